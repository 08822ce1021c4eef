"""LSTM, GRU and RNN: one operator each while a model is traced, one node for each layer in ONNX.

torch.export would unroll them over the steps of the traced sequence and so fix its length.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx_ir as ir
import torch
from onnxscript.values import Opset
from torch import Tensor, nn

from exporters.base import ExportError

GATES = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2)}
"""Where ONNX wants torch's gates; a plain RNN has only one."""

States = tuple[Tensor, Tensor, Tensor]


@torch.library.custom_op("blockwright::recurrent", mutates_args=())
def recurrent(
    x: Tensor, h0: Tensor, c0: Tensor, weights: list[Tensor], mode: str, layers: int, both_ways: bool, bias: bool
) -> States:
    """All layers over a sequence (batch, seq, dim); returns every step, the last states, and the last cells."""
    settings = (weights, bias, layers, 0.0, False, both_ways, True)
    if mode == "LSTM":
        y, h, c = torch.lstm(x, (h0, c0), *settings)
        return y.clone(), h.clone(), c.clone()
    run = {"GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu}[mode]
    y, h = run(x, h0, *settings)
    return y.clone(), h.clone(), torch.zeros_like(h)


@recurrent.register_fake
def _(
    x: Tensor, h0: Tensor, c0: Tensor, weights: list[Tensor], mode: str, layers: int, both_ways: bool, bias: bool
) -> States:
    width = h0.shape[-1] * (2 if both_ways else 1)
    return x.new_empty(x.shape[0], x.shape[1], width), torch.empty_like(h0), torch.empty_like(h0)


@contextmanager
def as_one_operator(model: nn.Module) -> Iterator[None]:
    """While it lasts, the recurrent layers of a model are the operator above.

    Raises:
        ExportError: a layer projects its states, which ONNX does not know.
    """
    layers = [module for module in model.modules() if isinstance(module, nn.RNNBase)]
    for layer in layers:
        if layer.proj_size:
            raise ExportError("ONNX has no LSTM whose states are projected (`proj_size`).")
    try:
        for layer in layers:
            layer.forward = types.MethodType(_forward, layer)
        yield
    finally:
        for layer in layers:
            layer.__dict__.pop("forward", None)


def _forward(self: nn.RNNBase, x: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
    if not self.batch_first:
        x = x.transpose(0, 1)
    if hx is None:
        h = x.new_zeros(self.num_layers * (2 if self.bidirectional else 1), x.shape[0], self.hidden_size)
        c = torch.zeros_like(h)
    elif self.mode == "LSTM":
        h, c = hx
    else:
        h, c = hx, torch.zeros_like(hx)
    weights = [getattr(self, name) for names in self._all_weights for name in names]
    y, h, c = recurrent(x, h, c, weights, self.mode, self.num_layers, self.bidirectional, self.bias)
    y = y if self.batch_first else y.transpose(0, 1)
    return (y, (h, c)) if self.mode == "LSTM" else (y, h)


def translation(opset: int) -> Callable[..., Any]:
    """How ONNX says the operator."""
    op: Any = Opset("", opset)  # what it returns, and how much, depends on the operator

    def integers(*values: int) -> Any:
        return op.Constant(value=ir.tensor(np.array(values, dtype=np.int64)))

    def joined(parts: list[Any]) -> Any:
        return op.Concat(*parts, axis=0) if len(parts) > 1 else parts[0]

    def split(value: Any, count: int) -> Any:
        return op.Split(value, axis=0, num_outputs=count, _outputs=count) if count > 1 else [value]

    def gates(weight: Any, mode: str) -> Any:
        order = GATES.get(mode, (0,))
        parts = split(weight, len(order))
        return joined([parts[place] for place in order])

    def one(value: Any) -> Any:
        return op.Unsqueeze(value, integers(0))

    def say(
        x: Any, h0: Any, c0: Any, weights: Any, mode: str, layers: int, both_ways: bool, bias: bool
    ) -> tuple[Any, Any, Any]:
        directions, each = (2 if both_ways else 1), (4 if bias else 2)
        first_h, first_c = split(h0, layers), split(c0, layers)
        x = op.Transpose(x, perm=[1, 0, 2])
        last_h, last_c = [], []
        for layer in range(layers):
            own = [weights[(layer * directions + way) * each :][:each] for way in range(directions)]
            into = joined([one(gates(way[0], mode)) for way in own])
            again = joined([one(gates(way[1], mode)) for way in own])
            added = None
            if bias:
                added = joined([one(op.Concat(gates(way[2], mode), gates(way[3], mode), axis=0)) for way in own])
            settings: dict[str, Any] = {
                "hidden_size": int(own[0][1].shape[1]),
                "direction": "bidirectional" if both_ways else "forward",
            }
            if mode == "LSTM":
                y, h, c = op.LSTM(x, into, again, added, None, first_h[layer], first_c[layer], **settings)
                last_c.append(c)
            elif mode == "GRU":
                y, h = op.GRU(x, into, again, added, None, first_h[layer], linear_before_reset=1, **settings)
            else:
                bend = ["Relu" if mode == "RNN_RELU" else "Tanh"] * directions
                y, h = op.RNN(x, into, again, added, None, first_h[layer], activations=bend, **settings)
            last_h.append(h)
            x = op.Reshape(op.Transpose(y, perm=[0, 2, 1, 3]), integers(0, 0, -1))
        states = joined(last_h)
        return op.Transpose(x, perm=[1, 0, 2]), states, joined(last_c) if last_c else op.Identity(states)

    return say
