"""Declared shapes are torch's at random sizes and parameters: both give the same, or both refuse."""

from __future__ import annotations

import pytest
import torch
from cases.drawing import AXES
from cases.table import strategies
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from blocks import catalogue
from blocks.dimensions import evaluate
from blocks.shapes import Needs, ShapeClash

STRATEGIES = strategies()


def test_every_block_has_a_strategy(block):
    assert block.role not in ("module", "output") or block.__name__ in STRATEGIES


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_declared_shapes_are_torchs_at_random(name, make_call, data):
    drawn, shapes = data.draw(STRATEGIES[name])
    sizes = data.draw(st.fixed_dictionaries({axis: st.integers(1, 17) for axis in AXES}))
    call = make_call(name, shapes, drawn, sizes)
    assume(not any(conflict.fatal for conflict in call.cls.conflicts(call.full)))

    need = Needs()
    try:
        symbolic = call.cls.infer(call.symbolic, call.full, need)
    except ShapeClash:
        with pytest.raises(ShapeClash):  # no size at all would do, so this one does not either
            call.cls.infer(call.concrete(), call.full, Needs())
        return
    kept = all(sizes[axis] in rest for axis, rest in need.remainders.items())
    for limit in need.limits:
        size = evaluate(limit.size, sizes)
        kept &= (limit.low is None or size >= limit.low) and (limit.high is None or size <= limit.high)
    expected = [tuple(evaluate(size, sizes) for size in shape) for shape in symbolic.values()]
    try:
        concrete = list(call.cls.infer(call.concrete(), call.full, Needs()).values())
    except ShapeClash:
        assert not kept
        for device in ("cpu", "meta"):
            assert refuses(call, device)
        return
    if name == "Output":
        expected = concrete = [call.concrete()["x"]]
    if kept:
        assert concrete == expected
    assert run(call, "cpu") == run(call, "meta") == concrete


def refuses(call, device):
    """Torch raises, or gives a tensor without a value, which is of no use either."""
    try:
        return any(0 in shape for shape in run(call, device))
    except (RuntimeError, ValueError, IndexError):
        return True


def run(call, device):
    arguments = [x if x is None else x.to(device) for x in call.tensors()]
    with torch.no_grad():
        result = call.build(device=device)(*arguments)
    return [tuple(value.shape) for value in (result if isinstance(result, tuple) else (result,))]


def test_the_whole_catalogue_is_drawn():
    assert set(STRATEGIES) <= set(catalogue())
