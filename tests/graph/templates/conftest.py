"""Models from templates in float64, and published models whose weights become theirs under other names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
import torch
from torch import Tensor, nn

from graph import templates
from graph.compile import compile_plan
from graph.counting import count_parameters
from graph.passes import run_passes
from graph.plan import Plan, plan_document
from graph.weights import tensors_of


def plan_of(name: str, preset: str, values: Mapping[str, object]) -> Plan:
    template = templates.find(name)
    return run_passes(plan_document(template.build({**template.presets[preset], **values})))[0]


@pytest.fixture
def planned():
    """Gives the plan of a template at a preset, with other values for some of its variables."""
    return plan_of


@pytest.fixture
def model_of():
    """Builds the model of a template in float64: at a preset, with other values for some of its variables."""

    def build(name: str, preset: str = "tiny", **values) -> nn.Module:
        return compile_plan(plan_of(name, preset, values), dtype=torch.float64)

    return build


@pytest.fixture
def count():
    """Counts what a template learns at a preset, each tensor once as published counts do; allocates nothing."""

    def parameters(name: str, preset: str, **values) -> int:
        return count_parameters(plan_of(name, preset, values))[1]

    return parameters


@pytest.fixture
def in_float64():
    """Opens a stretch in which published code computes in float64 throughout, even where it asks for float32.

    Norms, softmax and rotary angles of most published models do. Nothing is recorded for gradients there.
    """

    @contextmanager
    def stretch() -> Iterator[None]:
        before = torch.get_default_dtype()
        with pytest.MonkeyPatch.context() as patch, torch.no_grad():
            for name in ("float32", "float"):
                patch.setattr(torch, name, torch.float64)
            patch.setattr(Tensor, "float", Tensor.double)
            torch.set_default_dtype(torch.float64)
            try:
                yield
            finally:
                torch.set_default_dtype(before)

    return stretch


@pytest.fixture
def shake():
    """Gives a published model numbers that no start has (biases not 0, norms not 1, running statistics), in float64."""

    def spread(model: nn.Module, seed: int = 0) -> nn.Module:
        generator = torch.Generator().manual_seed(seed)
        model = model.double().eval()
        with torch.no_grad():
            for name, tensor in model.state_dict(keep_vars=True).items():
                if tensor.requires_grad or "running_" in name:
                    tensor += 0.1 * torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
        return model

    return spread


@pytest.fixture
def adopt():
    """Gives a model of ours the weights of a published one, whose names it knows by a table; strict in both ways.

    The table has the beginnings of names, theirs → ours, `*` standing for the number of a layer.
    """

    def load(ours: nn.Module, state: Mapping[str, Tensor], names: Mapping[str, str]) -> None:
        renamed = {_rename(name, names): tensor.detach() for name, tensor in state.items()}
        assert len(renamed) == len(state), "two tensors were given one name"
        ours.load_state_dict(renamed, strict=True)
        tensors, aliases = tensors_of(ours)
        for alias, first in aliases.items():
            assert torch.equal(renamed[alias], renamed[first]), f"{alias} and {first} are one tensor here only"
        places = {tensor.data_ptr() for tensor in renamed.values()}
        assert len(places) == len(tensors), "what is one tensor there is several here"

    return load


def _rename(name: str, names: Mapping[str, str]) -> str:
    """What we call a tensor; the longest beginning counts."""
    found: dict[int, str] = {}
    for theirs, ours in names.items():
        pattern = re.escape(theirs).replace(r"\*", r"(\d+)")
        if match := re.match(rf"{pattern}(?=\.|$)", name):
            numbers = iter(match.groups())
            found[match.end()] = re.sub(r"\*", lambda _, numbers=numbers: next(numbers), ours) + name[match.end() :]
    assert found, f"the table says nothing about {name}"
    return found[max(found)]


@pytest.fixture
def agree():
    """Compares what two models found."""

    def compare(found: Tensor, wanted: Tensor, tolerance: float = 1e-8) -> None:
        assert found.dtype == wanted.dtype == torch.float64
        assert found.shape == wanted.shape
        assert (found - wanted).abs().max() < tolerance

    return compare
