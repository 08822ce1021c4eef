"""Recurrent layers where only sizes matter: many steps at once, since one after another would take seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

SLICES = 16
"""Into how many parts a sequence is cut at most; up to this length each step is a part, as in a real run."""


@contextmanager
def in_slices(model: nn.Module) -> Iterator[None]:
    """While a model runs on fake tensors, its recurrent layers do the work and take the memory of all steps in slices.

    They call what torch calls on a CPU, in its order, with as many rows; only the numbers would be wrong. An LSTM that
    torch hands to oneDNN as a whole is left alone.
    """
    layers = [module for module in model.modules() if isinstance(module, nn.RNN | nn.GRU | nn.LSTM)]
    changed = [layer for layer in layers if layer.mode != "LSTM" or layer.weight_ih_l0.dtype != torch.float32]
    for layer in changed:
        vars(layer)["forward"] = partial(_forward, layer)
    try:
        yield
    finally:
        for layer in changed:
            del vars(layer)["forward"]


def _forward(layer: nn.RNNBase, x: Tensor, state: Any = None) -> tuple[Tensor, Any]:
    if layer.batch_first:
        x = x.transpose(0, 1)
    directions = 2 if layer.bidirectional else 1
    if state is None:
        zeros = x.new_zeros(layer.num_layers * directions, x.shape[1], layer.hidden_size)
        state = (zeros, zeros) if layer.mode == "LSTM" else zeros
    starts = list(zip(*(part.unbind() for part in (state if layer.mode == "LSTM" else (state,))), strict=True))
    finals: list[tuple[Tensor, ...]] = []
    for level in range(layer.num_layers):
        x = _level(layer, level, x, starts[level * directions : (level + 1) * directions], finals)
        if layer.training and layer.dropout and level < layer.num_layers - 1:
            x = functional.dropout(x, layer.dropout)
    states = tuple(torch.stack(parts) for parts in zip(*finals, strict=True))
    y = x.transpose(0, 1) if layer.batch_first else x
    return y, states if layer.mode == "LSTM" else states[0]


def _level(
    layer: nn.RNNBase,
    level: int,
    x: Tensor,
    starts: Sequence[tuple[Tensor, ...]],
    finals: list[tuple[Tensor, ...]],
) -> Tensor:
    """One layer in one direction or both; what it holds on the way goes when it is through, as in torch."""
    read: list[Tensor] = []
    held: list[list[Tensor]] = []
    for start, end in zip(starts, ("", "_reverse"), strict=False):
        weights = layer.get_parameter(f"weight_ih_l{level}{end}"), layer.get_parameter(f"weight_hh_l{level}{end}")
        biases = getattr(layer, f"bias_ih_l{level}{end}", None), getattr(layer, f"bias_hh_l{level}{end}", None)
        product = functional.linear(x, weights[0], biases[0])
        again = partial(functional.linear, weight=weights[1], bias=biases[1])
        held.append([])
        state = tuple(part.expand(len(x), -1, -1) for part in start)
        for part in product.chunk(min(len(x), SLICES)):
            # a slice goes on from the one before it
            state = CELLS[layer.mode](part, again, *(known[: len(part)] for known in state))
            held[-1].append(state[0])
        finals.append(tuple(part[-1] for part in state))
        read.append(torch.cat(held[-1]))
    return torch.cat(read, -1) if len(read) > 1 else read[0]


def _plain(
    bend: Callable[[Tensor], Tensor], read: Tensor, again: Callable[[Tensor], Tensor], h: Tensor
) -> tuple[Tensor]:
    return (bend(again(h).add_(read)),)


def _gru(read: Tensor, again: Callable[[Tensor], Tensor], h: Tensor) -> tuple[Tensor]:
    of_x, of_h = read.unsafe_chunk(3, -1), again(h).unsafe_chunk(3, -1)
    reset, update = of_h[0].add_(of_x[0]).sigmoid_(), of_h[1].add_(of_x[1]).sigmoid_()
    new = of_x[2].add(of_h[2].mul_(reset)).tanh_()
    return ((h - new).mul_(update).add_(new),)


def _lstm(read: Tensor, again: Callable[[Tensor], Tensor], h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    take, forget, new, show = again(h).add_(read).unsafe_chunk(4, -1)
    take, forget, new, show = take.sigmoid_(), forget.sigmoid_(), new.tanh_(), show.sigmoid_()
    c = (forget * c).add_(take * new)
    return show * c.tanh(), c


CELLS = {"RNN_TANH": partial(_plain, torch.tanh), "RNN_RELU": partial(_plain, torch.relu), "GRU": _gru, "LSTM": _lstm}
