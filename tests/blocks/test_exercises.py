"""Exercises 1, 4, 5, 6 and 9 of the chapter and its example of a convolution, with their values."""

from __future__ import annotations

import pytest
import torch

from blocks import catalogue
from blocks.shapes import Needs


def block(name, **params):
    torch.manual_seed(0)
    return catalogue()[name](**params).double()


def conflicts(name, **params):
    cls = catalogue()[name]
    return list(cls.conflicts({param.name: param.default for param in cls.params()} | params))


def size_behind(name, size, **params):
    """Height and width behind a block, as it declares them and as it computes them."""
    cls = catalogue()[name]
    full = {param.name: param.default for param in cls.params()} | params
    shape = (1, full["in_channels"], size, size)
    declared = cls.infer({"x": shape}, full, Needs())["y"]
    assert tuple(block(name, **params)(torch.zeros(shape, dtype=torch.float64)).shape) == declared
    return declared[2:]


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


def test_1_a_forward_pass_and_a_gradient():
    first = block("Linear", in_features=2, out_features=2)
    second = block("Linear", in_features=2, out_features=1)
    with torch.no_grad():
        first.weight.copy_(torch.tensor([[2.0, -1.0], [1.0, 1.0]]))
        second.weight.copy_(torch.tensor([[1.0, -1.0]]))
        first.bias.zero_()
        second.bias.zero_()
    z = first(torch.tensor([1.0, -1.0], dtype=torch.float64))
    y = second(block("ReLU")(z))
    y.backward()
    assert z.tolist() == [3, 0]
    assert y.tolist() == [3]
    assert second.weight.grad.tolist() == [[3, 0]]


def test_4_batch_norm_works_down_the_columns_and_layer_norm_along_the_rows():
    x = torch.arange(1.0, 13.0, dtype=torch.float64).reshape(4, 3)
    columns = block("BatchNorm", num_features=3, eps=1e-12).train()(x)
    for row, value in zip(columns, (-1.3416, -0.4472, 0.4472, 1.3416), strict=True):
        assert row.tolist() == pytest.approx([value] * 3, abs=5e-5)
    for row in block("LayerNorm", dim=3, eps=0.0)(x):
        assert row.tolist() == pytest.approx([-1.2247, 0, 1.2247], abs=5e-5)


def test_4_layer_norm_of_a_sample_does_not_depend_on_the_others():
    x = torch.arange(1.0, 13.0, dtype=torch.float64).reshape(4, 3)
    layer, batch = block("LayerNorm", dim=3), block("BatchNorm", num_features=3).train()
    assert torch.equal(layer(x)[:2], layer(x[:2]))
    assert not torch.allclose(batch(x)[:2], batch(x[:2]))


def test_5_convolution_arithmetic():
    given = {"in_channels": 3, "out_channels": 64, "kernel_size": 3, "stride": 2, "bias": False}
    assert count(block("Conv2d", **given)) == 1_728
    assert size_behind("Conv2d", 64, **given, padding=0) == (31, 31)
    assert size_behind("Conv2d", 64, **given, padding=1) == (32, 32)
    with torch.device("meta"):
        full = catalogue()["Linear"](in_features=3 * 64 * 64, out_features=64 * 31 * 31, bias=False)
    assert count(full) == 12_288 * 61_504


def test_example_1_a_convolution_is_small():
    assert count(block("Conv2d", in_channels=3, out_channels=64, kernel_size=3)) == 1_792
    assert count(block("Linear", in_features=3 * 32 * 32, out_features=64, bias=False)) == 196_608


def test_6_a_transposed_convolution_doubles_the_size():
    given = {"in_channels": 4, "out_channels": 4, "kernel_size": 4, "stride": 2, "padding": 1}
    assert size_behind("ConvTranspose2d", 16, **given) == (32, 32)
    size = 4
    for _ in range(4):  # a generator grows its picture step by step
        (size, _) = size_behind("ConvTranspose2d", size, **given)
    assert size == 64
    assert not conflicts("ConvTranspose2d", **given)


def test_6_a_kernel_that_the_stride_does_not_divide_warns():
    (conflict,) = conflicts("ConvTranspose2d", kernel_size=3, stride=2, padding=1, output_padding=1)
    assert not conflict.fatal
    assert conflict.repair == {"kernel_size": 4, "padding": 1, "output_padding": 0}


@pytest.mark.parametrize("depth", [1, 10, 100])
def test_9_the_gradient_of_residual_blocks_keeps_the_identity(depth):
    """Each block has the Jacobian I + J; along a chain the product keeps I, however deep, where plain layers vanish."""
    generator = torch.Generator().manual_seed(0)
    branches = [block("Linear", in_features=4, out_features=4, bias=False) for _ in range(depth)]
    for branch in branches:
        branch.weight.data.copy_(torch.randn(4, 4, generator=generator, dtype=torch.float64) * 0.01)
    add = block("Add")

    def chain(x, residual):
        for branch in branches:
            x = add(x, branch(x)) if residual else branch(x)
        return x

    x = torch.zeros(4, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda x: chain(x, True), x)
    identity = torch.eye(4, dtype=torch.float64)
    product = identity
    for branch in branches:
        product = (identity + branch.weight.detach()) @ product
    torch.testing.assert_close(jacobian, product)
    if depth == 1:
        torch.testing.assert_close(jacobian - identity, branches[0].weight.detach())
    assert torch.linalg.matrix_norm(jacobian, 2) > 0.5
    plain = torch.autograd.functional.jacobian(lambda x: chain(x, False), x)
    assert torch.linalg.matrix_norm(plain, 2) < 0.1**depth


def test_9_a_residual_block_of_resnet_passes_the_gradient_on():
    residual = block("BasicResidual", in_channels=3, out_channels=3).eval()
    for parameter in residual.parameters():
        parameter.data.zero_()
    x = torch.rand(1, 3, 5, 5, dtype=torch.float64, requires_grad=True)
    residual(x).sum().backward()
    assert (x.grad == 1).all()
