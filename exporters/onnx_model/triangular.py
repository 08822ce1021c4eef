"""Triangular systems of equations, which ONNX lacks: a few products of matrices, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
from onnxscript.values import Opset

from exporters.base import ExportError


def translation(opset: int) -> Callable[..., Any]:
    """How ONNX says torch.linalg.solve_triangular.

    A = D (I - M) with the diagonal D and an M that is zero on the diagonal and on one side of it, so its powers vanish
    from the size of the matrix on: A⁻¹ = (I + M)(I + M²)(I + M⁴)… D⁻¹, exactly.
    """
    op = Opset("", opset)

    def constant(array: np.ndarray) -> Any:
        return op.Constant(value=ir.tensor(array))

    def solve(A: Any, B: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:  # noqa: N803
        if A.shape is None or not isinstance(A.shape[-1], int):
            raise ExportError("ONNX cannot solve a triangular system whose size is free.")
        size = A.shape[-1]
        one = constant(np.eye(size))
        matrix = op.Cast(A, to=ir.DataType.DOUBLE)
        strict = op.Trilu(matrix, constant(np.array(1 if upper else -1)), upper=int(upper))
        power, inverse = op.Neg(strict), one
        if not unitriangular:
            diagonal = op.ReduceSum(op.Mul(matrix, one), constant(np.array([-1])), keepdims=1)
            power, inverse = op.Div(power, diagonal), op.Div(one, diagonal)
        factors: list[Any] = []
        reach = 1
        while reach < size:
            factors.append(op.Add(power, one))
            power = op.MatMul(power, power)
            reach *= 2
        for factor in reversed(factors):
            inverse = op.MatMul(factor, inverse)
        given = op.Cast(B, to=ir.DataType.DOUBLE)
        return op.CastLike(op.MatMul(inverse, given) if left else op.MatMul(given, inverse), B)

    return solve
