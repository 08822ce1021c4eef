"""Triangular systems in ONNX give what torch's solver gives, from either side and of any size."""

from __future__ import annotations

import itertools

import onnxruntime as runtime
import pytest
import torch
from torch import Tensor, nn

from exporters.onnx_model.converting import quiet
from exporters.onnx_model.translation import table


class Solve(nn.Module):
    """A triangle of a rotation, as they come in flows; the side that must not be looked at is full of sevens."""

    def __init__(self, size: int, *, upper: bool, unitriangular: bool, left: bool) -> None:
        super().__init__()
        rotation = torch.linalg.qr(torch.randn(size, size, generator=torch.Generator().manual_seed(size))).Q
        _, lower, matrix = torch.linalg.lu(rotation)
        matrix = matrix / matrix.diagonal().unsqueeze(-1) if unitriangular else matrix
        wrong = torch.full((size, size), 7.0)
        self.matrix = nn.Parameter(matrix + wrong.tril(-1) if upper else lower + wrong.triu(1))
        self.how = {"upper": upper, "unitriangular": unitriangular, "left": left}

    def forward(self, x: Tensor) -> Tensor:
        return torch.linalg.solve_triangular(self.matrix, x, **self.how)


CASES = [
    pytest.param(*case, marks=() if place % 11 == 5 else pytest.mark.exhaustive, id="-".join(map(str, case)))
    for place, case in enumerate(itertools.product((1, 2, 5, 48), (False, True), (False, True), (True, False)))
]


@pytest.mark.parametrize(("size", "upper", "unit", "left"), CASES)
def test_triangular_systems(size, upper, unit, left, tmp_path):
    module = Solve(size, upper=upper, unitriangular=unit, left=left).eval()
    shape = (size, 3) if left else (3, size)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    free = {1 if left else 0: torch.export.Dim("columns", min=1, max=64)}
    program = torch.export.export(module, (x,), dynamic_shapes=(free,), strict=False)
    with quiet():
        converted = torch.onnx.export(
            program, (), dynamo=True, opset_version=20, verbose=False, custom_translation_table=table(20)
        )
    assert converted is not None
    converted.save(tmp_path / "solve.onnx")
    session = runtime.InferenceSession(tmp_path / "solve.onnx")
    for count in (3, 1, 8):
        x = torch.randn((size, count) if left else (count, size), generator=torch.Generator().manual_seed(count))
        with torch.no_grad():
            wanted = module(x)
        (given,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        torch.testing.assert_close(torch.from_numpy(given), wanted, rtol=1e-3, atol=1e-4)
