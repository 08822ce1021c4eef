"""Drawings to export: every call of every block between inputs and outputs, and small whole models."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from cases.call import Call
from cases.table import all_calls

import blocks
from blocks.spec import Port
from exporters.python.verifying import same_bits
from exporters.pytorch_code import source
from exporters.trials import random_inputs, trial_sizes
from graph.commands import AddNode, Connect, SetVariable
from graph.compile import compile_plan
from graph.document import Document, Level, Node, Wire
from graph.passes import run_passes
from graph.plan import Plan, plan_document
from graph.templates import find
from graph.weights import save_weights


class Undrawable(Exception):
    """A call that no drawing can make, such as one of a tensor whose axes are all numbers."""


def draw_call(call: Call) -> Document:
    """A drawing of one call from the table of tests/blocks: sources, the block as `it`, and all its outputs."""
    document = Document(f"{call.block} alone")
    SetVariable("context", 9).apply(document)  # the default length of every axis
    wires: list[Wire] = []
    ports, results = call.cls.ports(call.full)
    sources = Sources(document)
    for name, port in ports.items():
        given = call.shapes.get(name, ())
        for place, shape in enumerate((given,) if isinstance(given, str) else given):
            id = name if isinstance(given, str) else f"{name}_{place}"
            start, output = sources.add(f"{id}_in", port, shape, call.full)
            wires.append(Wire(start, output, "it", name, place))
    AddNode((), Node("it", call.block, call.params)).apply(document)
    for wire in wires:
        Connect((), wire).apply(document)
    for order, port in enumerate(results):
        AddNode((), Node(f"result_{port}", "Output", order=order)).apply(document)
        Connect((), Wire("it", port, f"result_{port}", "x")).apply(document)
    return document


class Sources:
    """Draws what gives a tensor of any shape: an input, and a rearrangement where the input has other axes."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._count = 0

    def add(self, id: str, port: Port, shape: str, params: Mapping[str, Any]) -> tuple[str, str]:
        """The node and the output that give the shape."""
        words = shape.split()
        if port.dtype == "integer":
            below = params.get("vocab", 10)
            if port.kind == "tokens" and words[:1] == ["batch"] and len(words) == 2 and words[1].isidentifier():
                return self._node(id, "TokenInput", {"vocab": below, "sequence": words[1]}), "tokens"
            if not words or not all(map(str.isidentifier, words)):
                raise Undrawable(f"integers of shape {shape}")
            return self._node(id, "IntegerInput", {"axes": shape, "below": below}), "numbers"
        if port.dtype == "bool":
            if any(word.isdecimal() and word != "1" for word in words):
                raise Undrawable(f"truth values of shape {shape}")
            return self._node(id, "MaskInput", {"axes": shape}), "mask"
        if port.kind == "number" and words == ["batch"]:
            return self._node(id, "TimeStepInput", {}), "t"
        if words[:1] == ["batch"] and words[2:] == ["height", "width"] and words[1].isdecimal():
            return self._node(id, "ImageInput", {"channels": int(words[1]), "image_size": 20}), "image"
        names = [factor for word in words for factor in word.split("*") if not factor.isdecimal()]
        if len(names) > len(set(names)):
            return self._square(id, words)
        return self._features(id, words, names)

    def _features(self, id: str, words: list[str], names: list[str]) -> tuple[str, str]:
        if not names:
            raise Undrawable("no free axis")
        parts: dict[str, int] = {}
        axes: list[str] = []
        for word in words:
            inside: list[str] = []
            for factor in word.split("*"):
                if factor.isdecimal():
                    parts[f"n{len(parts)}"] = int(factor)
                    factor = f"n{len(parts) - 1}"
                inside.append(factor)
            axes.append(inside[0] if len(inside) == 1 else f"({' '.join(inside)})")
        dim = math.prod(parts.values())
        self._node(id, "FeatureInput", {"dim": dim, "axes": " ".join(names)})
        if axes == [*names, *parts] and len(parts) == 1:
            return id, "features"
        last = f"({' '.join(parts)})" if parts else "1"
        sizes = ", ".join(f"{name}={size}" for name, size in parts.items())
        pattern = f"{' '.join(names)} {last} -> {' '.join(axes)}"
        self._node(f"{id}_shaped", "Rearrange", {"pattern": pattern, "sizes": sizes}, id, "features")
        return f"{id}_shaped", "y"

    def _square(self, id: str, words: list[str]) -> tuple[str, str]:
        """A shape in which a name comes twice is the product of two in which it comes once and 1 the other time."""
        twice = next(word for place, word in enumerate(words) if word in words[:place])
        first, second = words.index(twice), len(words) - 1 - words[::-1].index(twice)
        one = self.add(f"{id}_rows", Port("..."), " ".join(w if p != second else "1" for p, w in enumerate(words)), {})
        two = self.add(
            f"{id}_columns", Port("..."), " ".join(w if p != first else "1" for p, w in enumerate(words)), {}
        )
        AddNode((), Node(id, "Multiply")).apply(self._document)
        Connect((), Wire(*one, id, "x", 0)).apply(self._document)
        Connect((), Wire(*two, id, "x", 1)).apply(self._document)
        return id, "y"

    def _node(self, id: str, block: str, params: Mapping[str, Any], source: str = "", output: str = "") -> str:
        AddNode((), Node(id, block, params, order=self._count)).apply(self._document)
        if source:
            Connect((), Wire(source, output, id, "x")).apply(self._document)
        self._count += 1
        return id


def runnable_calls() -> dict[str, list[Call]]:
    """The calls of each block that computes, by its name."""
    found: dict[str, list[Call]] = {}
    for call in all_calls():
        if call.cls.role == "module":
            found.setdefault(call.block, []).append(call)
    return found


ROTATING = 8
"""The gate exports each eighth block to ONNX; the exhaustive run exports every call."""


def planned(document: Document) -> Plan:
    return run_passes(plan_document(document))[0]


def spread(model: torch.nn.Module) -> torch.nn.Module:
    """Fresh weights that hide nothing: no zeros, no ones, no two tensors alike."""
    generator = torch.Generator().manual_seed(3)
    for name, tensor in model.state_dict(keep_vars=True).items():
        if not tensor.is_floating_point():
            continue
        noise = torch.rand if name.endswith("running_var") else torch.randn
        tensor.data.add_(noise(tensor.shape, generator=generator) * 0.05)
    return model


@dataclass
class Example:
    """A plan with its compiled model."""

    plan: Plan
    model: torch.nn.Module


SMALL: Mapping[str, tuple[str, dict[str, Any]]] = {
    "gpt": ("gpt", {"dim": 32, "layers": 2, "num_heads": 4, "vocab": 61, "context": 24}),
    "gpt-untied": ("gpt", {"dim": 32, "layers": 1, "num_heads": 4, "vocab": 61, "context": 24, "tied": False}),
    "llama-short": ("llama", {"dim": 32, "layers": 1, "num_heads": 4, "kv_heads": 2, "hidden": 48, "vocab": 61}),
    "llama": ("llama", {"dim": 32, "layers": 2, "num_heads": 4, "kv_heads": 2, "hidden": 48, "vocab": 61}),
    "unet": ("unet", {"channels": 4, "depth": 2, "image_size": 20}),
    "diffusion_unet": (
        "diffusion_unet",
        {"channels": 8, "depth": 1, "layers": 1, "image_size": 8, "num_heads": 2, "context_dim": 12},
    ),
}


@pytest.fixture(scope="session")
def drawable() -> set[str]:
    """Blocks of which at least one call can be drawn."""
    found: set[str] = set()
    for block, calls in runnable_calls().items():
        for call in calls:
            try:
                draw_call(call)
            except Undrawable:
                continue
            found.add(block)
    return found


@pytest.fixture(scope="session")
def make_example():
    """Document → Example."""

    def make(document: Document) -> Example:
        plan = planned(document)
        return Example(plan, spread(compile_plan(plan)))

    return make


@pytest.fixture(scope="session")
def small(make_example):
    """Name of one of `SMALL`, or of a template at its tiny preset → the whole model, made once."""
    made: dict[str, Example] = {}

    def get(name: str) -> Example:
        if name not in made:
            template, values = SMALL[name] if name in SMALL else (name, find(name).presets["tiny"])
            made[name] = make_example(find(template).build(values))
        return made[name]

    return get


@dataclass
class Written:
    """An exported file that was imported here, with the model it came from."""

    example: Example
    code: str
    model: torch.nn.Module

    def assert_same_bits(self) -> None:
        """Same keys, and for the same weights the same outputs to the last bit, at all trial sizes."""
        expected = self.example.model.state_dict()
        assert list(self.model.state_dict()) == list(expected)
        for sizes in trial_sizes(self.example.plan):
            inputs = random_inputs(self.example.plan, sizes, seed=1)
            with torch.no_grad():
                wanted, given = self.example.model(*inputs), self.model(*inputs)
            wanted, given = (one if isinstance(one, tuple) else (one,) for one in (wanted, given))
            assert len(wanted) == len(given)
            for one, other in zip(wanted, given, strict=True):
                assert same_bits(one, other), f"at {sizes}"


@pytest.fixture
def run_code(tmp_path):
    """Example → its code, imported from a file of its own, with the weights loaded by `Model.load`."""

    def run(example: Example) -> Written:
        code = source(example.plan)
        file = tmp_path / f"exported_{len(list(tmp_path.iterdir()))}.py"
        file.write_text(code, encoding="utf-8")
        save_weights(example.model, file.with_suffix(".safetensors"))
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        try:
            spec.loader.exec_module(module)
            return Written(example, code, module.Model.load())
        finally:
            del sys.modules[file.stem]

    return run


class Pen:
    """Draws one level: `add(id, block, *sources, **params)` wires the first input, or all where it takes many."""

    def __init__(self, document: Document, at: tuple[str, ...] = ()) -> None:
        self.document = document
        self.at = at

    def add(self, id: str, block: str, *sources: str, **params: Any) -> str:
        """A block; a source is "node" or "node.port", a further input "port=node"."""
        fields = {name: params.pop(name) for name in ("title", "ties", "order") if name in params}
        AddNode(self.at, Node(id, block, params, **fields)).apply(self.document)
        cls = blocks.find(block)
        assert cls is not None
        names = list(cls.inputs)
        for place, given in enumerate(sources):
            port, _, rest = given.rpartition("=")
            many = bool(names) and cls.inputs[names[0]].many
            self.wire(rest, id, port or names[0 if many else place], place if many else 0)
        return id

    def group(self, id: str, *, title: str = "", repeat: int | str = 1, shared: bool = False) -> Pen:
        """A group; draw its inside with the pen that comes back, then wire it."""
        node = Node(id, "Group", title=title, level=Level(), repeat=repeat, shared=shared)
        AddNode(self.at, node).apply(self.document)
        return Pen(self.document, (*self.at, id))

    def wire(self, source: str, target: str, port: str, order: int = 0) -> None:
        """A wire from "node" or "node.port" to a port."""
        start, _, output = source.partition(".")
        node = self.document.level(self.at).node(start)
        if not output and node.level is None:
            cls = blocks.find(node.block)
            assert cls is not None
            output = next(iter(cls.outputs))
        Connect(self.at, Wire(start, output or "x", target, port, order)).apply(self.document)


@pytest.fixture
def pen() -> Pen:
    """A pen on an empty document."""
    return Pen(Document("a drawing"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that take `call` run for every call of every block, most of them in the exhaustive run only.

    In the gate a test that is `quick` sees the first and the last call of each block, another the first of some blocks.
    """
    if "call" in metafunc.fixturenames:
        quick = getattr(metafunc.function, "quick", False)
        cases = []
        for number, (block, calls) in enumerate(runnable_calls().items()):
            for place, call in enumerate(calls):
                gate = place in (0, len(calls) - 1) if quick else place == 0 and number % ROTATING == 0
                marks = () if gate else pytest.mark.exhaustive
                cases.append(pytest.param(call, id=f"{block}-{place}", marks=marks))
        metafunc.parametrize("call", cases)


@pytest.fixture
def draw():
    """Call → its drawing; a call that cannot be drawn is skipped."""

    def draw(call: Call) -> Document:
        try:
            return draw_call(call)
        except Undrawable as reason:
            pytest.skip(f"no source gives {reason}")

    return draw
