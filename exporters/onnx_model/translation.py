"""Translations of torch operators that the converter lacks or gets wrong where sizes are free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnxscript.values import Opset

from exporters.onnx_model import recurrent, triangular

ROWS, COLUMNS = 2, 3


@lru_cache
def table(opset: int) -> dict[Any, Callable[..., Any]]:
    """Operator → how it is said at an opset."""
    op = Opset("", opset)

    def integers(*values: int) -> Any:
        return op.Constant(value=ir.tensor(np.array(values, dtype=np.int64)))

    def windows(x: Any, axis: int, count: int) -> Any:
        """A matrix (count, size of the axis) that takes the mean of each window."""
        size = op.Shape(x, start=axis, end=axis + 1)
        index = integers(*range(count))
        start = op.Div(op.Mul(index, size), integers(count))
        ends = op.Mul(op.Add(index, integers(1)), size)
        end = op.Div(op.Add(ends, integers(count - 1)), integers(count))  # rounded up
        zero, one = op.Constant(value_int=0), op.Constant(value_int=1)
        pixel = op.Unsqueeze(op.Range(zero, op.Squeeze(size, integers(0)), one), integers(0))
        after = op.GreaterOrEqual(pixel, op.Unsqueeze(start, integers(1)))
        before = op.Less(pixel, op.Unsqueeze(end, integers(1)))
        inside = op.CastLike(op.And(after, before), x)
        return op.Div(inside, op.ReduceSum(inside, integers(1), keepdims=1))

    def adaptive_avg_pool2d(self: Any, output_size: Sequence[int]) -> Any:
        """Any size to a given one; the converter bakes the windows of the traced size in, without a word."""
        height, width = (int(size) for size in output_size)
        rows = op.MatMul(windows(self, ROWS, height), self)
        return op.MatMul(rows, op.Transpose(windows(self, COLUMNS, width), perm=[1, 0]))

    def sort_stable(self: Any, stable: bool | None = None, dim: int = -1, descending: bool = False) -> Any:
        """ONNX has no sort, but the best k of k."""
        size = op.Gather(op.Shape(self), integers(dim), axis=0)
        return op.TopK(self, size, axis=dim, largest=int(descending), sorted=1)

    def conv3d(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Sequence[int] = (1,),
        padding: Sequence[int] = (0,),
        dilation: Sequence[int] = (1,),
        groups: int = 1,
    ) -> Any:
        """Without a bias the converter adds one of a shape that no runtime takes."""
        strides, pads, dilations = (list(each) * (3 // len(each)) for each in (stride, padding, dilation))
        return op.Conv(input, weight, bias, strides=strides, pads=pads * 2, dilations=dilations, group=groups)

    def cross_entropy_loss(
        self: Any,
        target: Any,
        weight: Any = None,
        reduction: int = 1,
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
    ) -> Any:
        """The converter leaves out the smoothing, without a word; only the mean without weights is smoothed here."""
        ways = ("none", "mean", "sum")
        results: Any = op.SoftmaxCrossEntropyLoss(
            self, target, weight, reduction=ways[reduction], ignore_index=ignore_index, _outputs=2
        )
        loss = results[0]
        if not label_smoothing:
            return loss
        if weight is not None or ways[reduction] != "mean":
            raise NotImplementedError("label smoothing with weights or without a mean")
        kept = op.CastLike(op.Not(op.Equal(target, op.CastLike(integers(ignore_index), target))), self)
        spread = op.Mul(op.ReduceMean(op.LogSoftmax(self, axis=1), integers(1), keepdims=0), kept)
        even = op.Div(op.ReduceSum(spread, keepdims=0), op.ReduceSum(kept, keepdims=0))
        share = op.CastLike(op.Constant(value_float=label_smoothing), self)
        rest = op.CastLike(op.Constant(value_float=1 - label_smoothing), self)
        return op.Sub(op.Mul(rest, loss), op.Mul(share, even))

    aten = torch.ops.aten
    return {
        aten.conv3d.default: conv3d,
        aten.cross_entropy_loss.default: cross_entropy_loss,
        aten._adaptive_avg_pool2d.default: adaptive_avg_pool2d,
        aten.sort.stable: sort_stable,
        aten.linalg_solve_triangular.default: triangular.translation(opset),
        torch.ops.blockwright.recurrent.default: recurrent.translation(opset),
    }
