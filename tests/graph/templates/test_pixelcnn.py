"""PixelCNN: what each pixel sees, by the Jacobian; a reference with plain convolutions on the same weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

HEIGHT, WIDTH = 5, 4


def seen(model: nn.Module, colours: int, height: int = HEIGHT, width: int = WIDTH) -> Tensor:
    """Whether an output depends on an input: (value, out colour, out pixel, in colour, in pixel), pixels by rows.

    Large biases keep every ReLU open: one that happens to be shut would hide what lies behind it.
    """
    with torch.no_grad():
        model.horizontal.bias += 5
        model.mix.bias += 5
    x = torch.rand(1, colours, height, width, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda x: model(x).reshape(-1, colours, height * width), x)
    return jacobian.reshape(-1, colours, height * width, colours, height * width) != 0


@pytest.mark.parametrize("colours", [1, 3])
def test_a_pixel_sees_every_earlier_one_and_none_later(model_of, colours):
    """In the order row, column, colour: nothing from itself on, and with filters this large all before it."""
    model = model_of("pixelcnn", "tiny", image_channels=colours, channels=24, values=4, first_kernel=9, kernel_size=3)
    depends = seen(model, colours)
    assert depends.shape[0] == 4
    depends = depends.any(0)
    place = torch.arange(HEIGHT * WIDTH) * colours
    order = torch.arange(colours)[:, None] + place  # (colour, pixel)
    assert torch.equal(depends, order[None, None] < order[:, :, None, None])


def reach(layers: int) -> set[tuple[int, int]]:
    """What filters of 3 × 3 see, as (rows down, columns right) of the pixel, followed tap by tap."""
    above = {(-1, across) for across in (-1, 0, 1)}
    vertical, horizontal = above, above | {(0, -1)}
    for _ in range(layers):
        vertical = {(r + down, c + right) for r, c in vertical for down in (-1, 0) for right in (-1, 0, 1)}
        steps = above | {(0, -1), (0, 0)}
        horizontal = {(r + down, c + right) for r, c in horizontal for down, right in steps} | vertical
    return horizontal


@pytest.mark.parametrize("layers", [1, 3])
def test_there_is_no_blind_spot(model_of, layers):
    """With filters of 3 × 3 a single stack never sees what lies right of the pixel above to the right."""
    side = 2 * layers + 3
    model = model_of("pixelcnn", "tiny", channels=24, values=4, first_kernel=3, layers=layers)
    depends = seen(model, 1, layers + 2, side).any(0)[0, :, 0].view(layers + 2, side, layers + 2, side)
    row, column = layers + 1, layers + 1  # all that it may reach lies inside the picture
    found = {(r - row, c - column) for r, c in depends[row, column].nonzero().tolist()}
    assert found == reach(layers)
    assert {(-1, 1 + away) for away in range(layers + 1)} <= found


def masked(conv: nn.Module, x: Tensor, keep) -> Tensor:
    """A convolution by its weights, those taps alone of which `keep` (row, column from the middle) is true."""
    weight = conv.weight.clone()
    half = weight.shape[-1] // 2
    for a in range(weight.shape[-1]):
        for b in range(weight.shape[-1]):
            if not keep(a - half, b - half):
                weight[:, :, a, b] = 0
    return functional.conv2d(x, weight, conv.bias, padding=half)


def test_it_equals_its_definition(model_of, shake, agree):
    model = shake(model_of("pixelcnn", "tiny", channels=6, values=5))
    x = torch.rand(2, 1, 7, 6, dtype=torch.float64)
    before = lambda r, c: r < 0 or (r == 0 and c < 0)  # noqa: E731
    up_to = lambda r, c: r < 0 or (r == 0 and c <= 0)  # noqa: E731
    with torch.no_grad():
        vertical = masked(model.vertical, x, lambda r, c: r < 0)
        horizontal = masked(model.horizontal, x, before)
        for layer in model.layers:
            wide = masked(layer.vertical_conv, vertical, lambda r, c: r <= 0)
            signal, gate = (masked(layer.horizontal_conv, horizontal, up_to) + layer.link(wide)).chunk(2, 1)
            horizontal = horizontal + masked(layer.mix, signal.tanh() * gate.sigmoid(), up_to)
            signal, gate = wide.chunk(2, 1)
            vertical = signal.tanh() * gate.sigmoid()
        hidden = masked(model.mix, horizontal.relu(), up_to)
        agree(model(x), masked(model.scores, hidden.relu(), up_to))
        assert model(x).shape == (2, 5, 7, 6)


def test_colours_have_an_axis_of_their_own(model_of, planned):
    model = model_of("pixelcnn", "tiny", image_channels=3, channels=6, values=5)
    assert model(torch.rand(2, 3, 4, 4, dtype=torch.float64)).shape == (2, 5, 3, 4, 4)
    shape = planned("pixelcnn", "cifar10", {}).exits[0].signal.shape
    assert [str(size) for size in shape] == ["batch", "256", "3", "height", "width"]


def test_a_picture_is_drawn_pixel_by_pixel(model_of):
    """What is drawn last changes nothing before it, so that drawing twice from the same numbers agrees."""
    model = model_of("pixelcnn", "tiny", channels=6, values=2)
    picture = torch.zeros(1, 1, 4, 4, dtype=torch.float64)
    seen_scores = []
    for row in range(4):
        for column in range(4):
            scores = model(picture)[0, :, row, column]
            seen_scores.append(scores)
            picture[0, 0, row, column] = float(scores.argmax())
    again = model(picture)[0].flatten(1).T
    torch.testing.assert_close(torch.stack(seen_scores), again, atol=1e-12, rtol=0)
