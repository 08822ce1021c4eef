"""What the chapter says of training and depth, seen on the blocks.

Theorem 1, algorithm 1, definitions 3 and 4, remark 2, exercise 3.
"""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import nn

from blocks import catalogue


def block(name, **params):
    torch.manual_seed(0)
    return catalogue()[name](**params).double()


def shallow(weight, bias, out, offset=0.0):
    """One hidden layer of ReLU from one number to one number, with given weights."""
    first = block("Linear", in_features=1, out_features=len(weight))
    second = block("Linear", in_features=len(weight), out_features=1)
    with torch.no_grad():
        first.weight.copy_(torch.as_tensor(weight)[:, None])
        first.bias.copy_(torch.as_tensor(bias))
        second.weight.copy_(torch.as_tensor(out)[None])
        second.bias.fill_(offset)
    return nn.Sequential(first, block("ReLU"), second)


def interpolating(function, units):
    """A hidden layer that meets a function at equally spaced places of [0, 1] and is straight between them."""
    knots = torch.linspace(0, 1, units + 1, dtype=torch.float64)
    slopes = function(knots).diff() * units
    bends = torch.cat((slopes[:1], slopes.diff()))
    return shallow([1.0] * units, -knots[:-1], bends, function(knots[0]).item())


def test_theorem_1_one_hidden_layer_comes_as_near_as_one_likes():
    """With N units the distance is at most max|f''| / 8 N²: any bound is met by enough of them."""
    function = lambda x: torch.sin(2 * math.pi * x)
    x = torch.linspace(0, 1, 4001, dtype=torch.float64)[:, None]
    distances = []
    for units in (8, 16, 32, 64, 128):
        with torch.no_grad():
            distances.append((interpolating(function, units)(x) - function(x)).abs().max().item())
        assert distances[-1] <= (2 * math.pi) ** 2 / (8 * units**2)
    assert all(later < sooner / 3 for sooner, later in itertools.pairwise(distances))


def tent():
    """0 → 1 → 0 along [0, 1]: two units of ReLU."""
    return shallow([1.0, 1.0], [0.0, -0.5], [2.0, -4.0])


@pytest.mark.parametrize("depth", [1, 3, 6, 10])
def test_exercise_3_depth_makes_pieces_that_width_must_pay_for(depth):
    """`depth` layers of two units make 2^depth straight pieces; one hidden layer of N units makes N + 1 at most."""
    deep = nn.Sequential(*(tent() for _ in range(depth)))
    pieces = 2**depth
    x = torch.linspace(0, 1, 4 * pieces + 1, dtype=torch.float64)[:, None]
    with torch.no_grad():
        slopes = deep(x)[:, 0].diff() * (4 * pieces)
    changes = (slopes.diff().abs() > 1e-6).sum().item()
    assert changes + 1 == pieces
    assert (slopes.abs() - pieces).abs().max() < 1e-6


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_exercise_3_parity(depth):
    """Whether the number of ones among 2^depth bits is odd: `depth` layers of two units behind their sum."""
    bits = torch.tensor(list(itertools.product((0.0, 1.0), repeat=2**depth)), dtype=torch.float64)[:: max(1, depth**3)]
    total = block("Linear", in_features=2**depth, out_features=1, bias=False)
    nn.init.constant_(total.weight, 0.5**depth)
    with torch.no_grad():
        found = nn.Sequential(total, *(tent() for _ in range(depth)))(bits)[:, 0]
    assert torch.equal(found, bits.sum(1) % 2)


def test_algorithm_1_backpropagation_by_hand():
    """∂L/∂W = ∂L/∂z · aᵀ and ∂L/∂z of the layer before = Wᵀ ∂L/∂z ⊙ σ'(z), from the last layer to the first."""
    sizes = (3, 4, 4, 2)
    layers = [block("Linear", in_features=a, out_features=b) for a, b in itertools.pairwise(sizes)]
    activation, loss = block("Tanh"), block("MSELoss")
    x, target = torch.randn(5, 3, dtype=torch.float64), torch.randn(5, 2, dtype=torch.float64)
    inputs, sums = [x], []
    for layer in layers:
        sums.append(layer(inputs[-1]))
        inputs.append(activation(sums[-1]))
    loss(sums[-1], target).backward()
    with torch.no_grad():
        delta = 2 * (sums[-1] - target) / target.numel()
        for place in reversed(range(len(layers))):
            torch.testing.assert_close(layers[place].weight.grad, delta.T @ inputs[place])
            torch.testing.assert_close(layers[place].bias.grad, delta.sum(0))
            if place:
                delta = delta @ layers[place].weight * (1 - inputs[place] ** 2)


def regression():
    """A linear layer, twelve pairs to learn, and the loss of some of them."""
    torch.manual_seed(1)
    x, y = torch.randn(12, 3, dtype=torch.float64), torch.randn(12, 1, dtype=torch.float64)
    layer, loss = block("Linear", in_features=3, out_features=1, bias=False), block("MSELoss")
    return layer, x, y, lambda places: loss(layer(x[list(places)]), y[list(places)])


def gradient(layer, loss):
    return torch.autograd.grad(loss, layer.weight)[0]


def test_definition_3_gradient_descent_goes_to_the_least_squares():
    layer, x, y, loss = regression()
    everything = range(len(x))
    before = loss(everything).item()
    for _ in range(400):
        step = gradient(layer, loss(everything))
        with torch.no_grad():
            layer.weight -= 0.1 * step
        now = loss(everything).item()
        assert now <= before + 1e-12
        before = now
    torch.testing.assert_close(layer.weight.detach().T, torch.linalg.lstsq(x, y).solution)


def test_definition_4_mini_batches_point_the_right_way_on_average():
    """Over all batches, drawn with replacement, the mean is the full gradient and the variance falls as 1 / B."""
    layer, _, _, loss = regression()
    few = 5
    full = gradient(layer, loss(range(few)))
    spread = []
    for size in (1, 2, 3):
        every = torch.stack([gradient(layer, loss(batch)) for batch in itertools.product(range(few), repeat=size)])
        torch.testing.assert_close(every.mean(0), full)
        spread.append(every.var(0, correction=0))
    torch.testing.assert_close(spread[1], spread[0] / 2)
    torch.testing.assert_close(spread[2], spread[0] / 3)


def test_remark_2_adam_keeps_two_averages_of_each_gradient():
    """Kingma and Ba 2015, with the decay of weights apart from the gradient (Loshchilov and Hutter 2019)."""
    layer, x, _, loss = regression()
    rate, beta1, beta2, eps, decay = 0.01, 0.9, 0.999, 1e-8, 0.1
    optimizer = torch.optim.AdamW([layer.weight], lr=rate, betas=(beta1, beta2), eps=eps, weight_decay=decay)
    weight = layer.weight.detach().clone()
    first, second = torch.zeros_like(weight), torch.zeros_like(weight)
    for step in range(1, 6):
        optimizer.zero_grad()
        loss(range(len(x))).backward()
        slope = layer.weight.grad.clone()
        optimizer.step()
        first = beta1 * first + (1 - beta1) * slope
        second = beta2 * second + (1 - beta2) * slope**2
        weight = weight * (1 - rate * decay)
        weight -= rate * (first / (1 - beta1**step)) / ((second / (1 - beta2**step)).sqrt() + eps)
        torch.testing.assert_close(layer.weight.detach(), weight)
    state = optimizer.state[layer.weight]
    assert state["exp_avg"].shape == state["exp_avg_sq"].shape == layer.weight.shape
