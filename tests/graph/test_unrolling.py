"""Recurrent layers predicted in slices: the work and the memory of a real run that goes step by step."""

from __future__ import annotations

import contextlib

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from graph.document import Document
from graph.estimate import estimate
from graph.passes import run_passes
from graph.plan import plan_document
from graph.probes.memory import LiveBytes
from graph.templates.sketch import Sketch
from graph.unrolling import in_slices

DEEP = {"num_layers": 2, "bidirectional": True}


def measured(kind, length, training, dtype, fake, **how):
    """Peak bytes and operations of one pass."""
    with FakeTensorMode() if fake else contextlib.nullcontext():
        module = getattr(nn, kind)(24, 16, batch_first=True, dtype=dtype, **how).train(training)
        x = torch.zeros(3, length, 24, dtype=dtype)
        live, counter = LiveBytes(), FlopCounterMode(display=False)
        live.ignore(module.parameters())
        live.hold([x])
        slices = in_slices(module) if fake else contextlib.nullcontext()
        with torch.set_grad_enabled(training), slices, live, counter:
            y, _ = module(x)
            if training:
                y.sum().backward()
    return live.peak, counter.get_total_flops()


@pytest.mark.parametrize("how", [{}, DEEP, {"bias": False, "num_layers": 3, "dropout": 0.5}], ids=str)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("length", [5, 60])
@pytest.mark.parametrize(("kind", "dtype"), [("RNN", torch.float32), ("GRU", torch.float32), ("LSTM", torch.float64)])
def test_slices_do_what_steps_do(kind, dtype, length, training, how):
    peak, flops = measured(kind, length, training, dtype, False, **how)
    told_peak, told_flops = measured(kind, length, training, dtype, True, **how)
    # an LSTM of several tensors frees a step's parts in another order, which shows where there are few steps
    assert told_peak == pytest.approx(peak, rel=0.06 if kind == "LSTM" and length == 5 else 0.03)
    # the first state needs no gradient, which only a slice of one step can tell
    assert told_flops == flops if length == 5 or not training else told_flops == pytest.approx(flops, rel=0.02)


def test_the_outputs_have_their_shapes():
    with FakeTensorMode():
        for kind in ("RNN", "GRU", "LSTM"):
            module = getattr(nn, kind)(4, 3, dtype=torch.float64, **DEEP)
            x = torch.zeros(7, 2, 4, dtype=torch.float64)
            state = torch.zeros(4, 2, 3, dtype=torch.float64)
            with in_slices(module):
                y, last = module(x, (state, state) if kind == "LSTM" else state)
            assert y.shape == (7, 2, 6)
            assert [part.shape for part in (last if kind == "LSTM" else (last,))] == [(4, 2, 3)] * (
                2 if kind == "LSTM" else 1
            )
            assert "forward" not in vars(module)


class Operators(TorchDispatchMode):
    """How many operators run."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("kind", ["RNN", "GRU"])
def test_a_long_sequence_takes_no_more_operators(kind):
    counts = []
    for length in (64, 4000):
        with FakeTensorMode():
            module, x = getattr(nn, kind)(4, 3, batch_first=True), torch.zeros(2, length, 4)
            with in_slices(module), Operators() as operators:
                module(x)
            counts.append(operators.count)
    assert counts[0] == counts[1] < 1000


@pytest.mark.parametrize("block", ["RNN", "GRU", "LSTM"])
def test_a_sequence_is_estimated(block):
    document = Document("reader")
    sketch = Sketch(document)
    sketch.add("x", "FeatureInput", dim=32)
    sketch.add("read", block, "x", hidden=16)
    sketch.add("y", "Output", "read")
    plan = run_passes(plan_document(document))[0]
    found = estimate(plan, {"batch": 2, "seq": 4000})
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[block]
    assert found.flops == 2 * 2 * 4000 * gates * 16 * (32 + 16) and not found.notes
    training = estimate(plan, {"batch": 2, "seq": 400}, training=True)
    assert not training.notes and training.flops > 2 * found.flops / 10
