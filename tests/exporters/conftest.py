"""Drawings to export: every block of the catalogue alone between inputs and an output, and small whole models."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

import blocks
from blocks.spec import Block
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

SOURCES: Mapping[str, tuple[str, str]] = {
    "tokens": ("TokenInput", "tokens"),
    "features": ("FeatureInput", "features"),
    "image": ("ImageInput", "image"),
    "mask": ("MaskInput", "mask"),
    "time": ("TimeStepInput", "t"),
}


@dataclass(frozen=True)
class Lone:
    """One block in a little drawing.

    `inputs` maps a port to the source it is wired to, or to a list of them: a kind and parameters, or a shape such as
    "batch 6 length", whose numbers are made by a rearrangement.
    """

    block: str
    inputs: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict)

    def draw(self) -> Document:
        """The drawing: sources, the block as `it`, and an output for each of its outputs."""
        document = Document(f"{self.block} alone")
        SetVariable("context", 9).apply(document)  # the default length of every axis
        wires: list[Wire] = []
        for port, given in self.inputs.items():
            for place, wanted in enumerate(given if isinstance(given, list) else [given]):
                id = f"{port}_in" if not isinstance(given, list) else f"{port}_in_{place}"
                start, output = _add_source(document, id, wanted, len(wires))
                wires.append(Wire(start, output, "it", port, place))
        AddNode((), Node("it", self.block, self.params)).apply(document)
        for wire in wires:
            Connect((), wire).apply(document)
        cls = blocks.find(self.block)
        assert cls is not None
        full = {param.name: param.default for param in cls.params()} | dict(self.params)
        for order, port in enumerate(cls.ports(full)[1]):
            AddNode((), Node(f"result_{port}", "Output", order=order)).apply(document)
            Connect((), Wire("it", port, f"result_{port}", "x")).apply(document)
        return document


def _add_source(document: Document, id: str, wanted: Any, order: int) -> tuple[str, str]:
    """Draw a source; returns the node and output to wire."""
    if isinstance(wanted, tuple):
        block, output = SOURCES[wanted[0]]
        AddNode((), Node(id, block, wanted[1], order=order)).apply(document)
        return id, output
    words = wanted.split()
    axes = list(dict.fromkeys(word for word in words if not word.isdecimal()))
    numbers = [word for word in words if word.isdecimal()]
    block, params = "FeatureInput", {"dim": math.prod(map(int, numbers)), "axes": " ".join(axes)}
    AddNode((), Node(id, block, params, order=order)).apply(document)
    if words == [*axes, *numbers] and len(numbers) == 1:
        return id, "features"
    parts = {f"n{place}": number for place, number in enumerate(numbers)}
    queue = iter(parts)
    right = " ".join(next(queue) if word.isdecimal() else word for word in words)
    pattern = f"{' '.join(axes)} ({' '.join(parts)}) -> {right}"
    sizes = ", ".join(f"{name}={size}" for name, size in parts.items())
    AddNode((), Node(f"{id}_shaped", "Rearrange", {"pattern": pattern, "sizes": sizes})).apply(document)
    Connect((), Wire(id, "features", f"{id}_shaped", "x")).apply(document)
    return f"{id}_shaped", "y"


def by_declaration(block: type[Block]) -> Lone:
    """A block at its defaults, fed what its ports say."""
    params = {param.name: param.default for param in block.params()}
    inputs: dict[str, Any] = {}
    for name, port in block.ports(params)[0].items():
        if port.optional:
            continue
        words = [str(params.get(word, word)) for word in port.pattern.split()]
        shape = " ".join(words).replace("...", "batch seq") if words != ["..."] else "batch seq 12"
        if port.dtype == "integer":
            wanted: Any = tokens(params.get("vocab", 17))
        elif port.dtype == "bool":
            wanted = mask()
        elif port.kind == "image" and len(words) == 4:
            wanted = image(int(words[1]) if words[1].isdecimal() else 8)
        elif port.kind == "number" and words == ["batch"]:
            wanted = ("time", {})
        else:
            wanted = shape if any(word.isdecimal() for word in shape.split()) else f"{shape} 8"
        inputs[name] = [wanted, wanted] if port.many else wanted
    return Lone(block.__name__, inputs)


def features(dim: int, axes: str = "batch seq") -> tuple[str, dict[str, Any]]:
    return "features", {"dim": dim, "axes": axes}


def image(channels: int = 6) -> tuple[str, dict[str, Any]]:
    return "image", {"channels": channels, "image_size": 20}


def mask(axes: str = "batch 1 1 seq") -> tuple[str, dict[str, Any]]:
    return "mask", {"axes": axes}


def tokens(vocab: int, sequence: str = "seq") -> tuple[str, dict[str, Any]]:
    return "tokens", {"vocab": vocab, "sequence": sequence}


def lone_blocks() -> list[Lone]:
    """Every block that computes, in the ways that matter to an export; those not told of here, at their defaults."""
    told = _chosen()
    names = {lone.block for lone in told}
    rest = [cls for name, cls in blocks.catalogue().items() if cls.role == "module" and name not in names]
    return told + [by_declaration(cls) for cls in rest]


def _chosen() -> list[Lone]:
    x, picture = {"x": features(12)}, {"x": image()}
    conv = {"in_channels": 6, "out_channels": 4}
    attention = {"dim": 12, "num_heads": 4}
    both = {"x": features(12), "context": features(10, "batch source_seq")}
    raw = {
        "q": features(8, "batch heads seq"),
        "k": features(8, "batch heads source_seq"),
        "v": features(8, "batch heads source_seq"),
    }
    plain = [Lone(name, x) for name in ("ReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "Softmax", "Dropout")]
    return [
        *plain,
        Lone("GELU", picture, {"approximate": "tanh"}),
        Lone("Softmax", picture, {"axis": 1}),
        Lone("Embedding", {"tokens": tokens(17)}, {"vocab": 17, "dim": 12, "init_std": 0.02}),
        Lone("Embedding", {"tokens": tokens(17)}, {"vocab": 17, "dim": 5}),
        Lone("Linear", x, {"in_features": 12, "out_features": 5}),
        Lone("Linear", x, {"in_features": 12, "out_features": 1, "bias": False, "init_std": 0.5}),
        Lone("Linear", {"x": features(12, "batch")}, {"in_features": 12, "out_features": 7, "init_std": 0.1}),
        Lone("LearnedPosition", x, {"dim": 12, "context": 40}),
        Lone("SinusoidalPosition", x, {"dim": 12}),
        Lone("SinusoidalPosition", {"x": features(9)}, {"dim": 9, "max_period": 100.0}),
        Lone("TimestepEmbedding", {"t": ("time", {})}, {"dim": 14}),
        Lone("LayerNorm", x, {"dim": 12}),
        Lone("LayerNorm", x, {"dim": 12, "bias": False, "eps": 0.1}),
        Lone("RMSNorm", x, {"dim": 12}),
        Lone("GroupNorm", picture, {"num_groups": 3, "num_channels": 6}),
        Lone("BatchNorm", picture, {"num_features": 6}),
        Lone("FeedForward", x, {"dim": 12}),
        Lone("FeedForward", x, {"dim": 12, "hidden": 5, "bias": False, "activation": "relu", "init_std": 0.02}),
        Lone("SwiGLU", x, {"dim": 12, "multiple_of": 4}),
        Lone("Conv2d", picture, conv),
        Lone("Conv2d", picture, conv | {"kernel_size": 4, "stride": 3, "padding": 2, "groups": 2, "bias": False}),
        *(
            Lone("Conv2d", picture, conv | {"kernel_size": 5, "padding": 2, "padding_mode": mode})
            for mode in ("reflect", "replicate", "circular")
        ),
        Lone("ConvTranspose2d", picture, conv),
        Lone("ConvTranspose2d", picture, conv | {"kernel_size": 3, "padding": 1, "output_padding": 1}),
        Lone("UpSample", picture, {"factor": 2}),
        Lone("UpSample", picture, {"factor": 3, "mode": "bilinear"}),
        *(
            Lone(name, picture, params)
            for name in ("MaxPool2d", "AvgPool2d")
            for params in ({}, {"kernel_size": 3, "stride": 2, "padding": 1})
        ),
        Lone("GlobalAvgPool", picture),
        Lone("Add", {"x": [features(5), features(5), features(5)]}),
        Lone("Add", {"x": [features(5), features(5, "seq")]}),
        Lone("Multiply", {"x": [features(5), features(5)]}),
        Lone("Concat", {"x": [features(5), features(3)]}),
        Lone("Concat", {"x": [features(3), features(3, "batch source_seq")]}, {"axis": 1}),
        Lone("Flatten", {"x": features(5)}, {"start_axis": 1}),
        Lone("Rearrange", picture),
        Lone("Rearrange", picture, {"pattern": "b c (h p) (w q) -> b (h w) (p q c)", "sizes": "p=4, q=2"}),
        Lone("Rearrange", x, {"pattern": "b s (heads d) -> b heads s d", "sizes": "heads=3"}),
        Lone("Rearrange", x, {"pattern": "... d -> d ..."}),
        Lone("Rearrange", x, {"pattern": "a ... -> a 1 ... 1"}),
        Lone("Rearrange", x, {"pattern": "b s d -> (b s) d"}),
        Lone("MultiHeadAttention", x, attention),
        Lone("MultiHeadAttention", x, attention | {"causal": True, "init_std": 0.3}),
        Lone("MultiHeadAttention", x, attention | {"kv_heads": 2, "causal": True, "rope": True, "head_dim": 6}),
        Lone("MultiHeadAttention", x, attention | {"kv_heads": 1, "bias": False}),
        Lone("MultiHeadAttention", x, attention | {"head_dim": 6, "rope": True, "rope_layout": "interleaved"}),
        Lone("MultiHeadAttention", x | {"mask": mask()}, attention),
        Lone("MultiHeadAttention", x | {"mask": mask("seq")}, attention | {"causal": True, "kv_heads": 2}),
        Lone("CrossAttention", both, attention | {"context_dim": 10}),
        Lone("CrossAttention", both, attention | {"context_dim": 10, "kv_heads": 2, "head_dim": 5, "bias": False}),
        Lone("CrossAttention", both | {"mask": mask("batch 1 1 source_seq")}, attention | {"context_dim": 10}),
        Lone("ScaledDotProductAttention", raw),
        Lone("ScaledDotProductAttention", raw, {"scale": 0.7}),
        *(
            Lone(name, x, {"dim": 12, "hidden": 7} | params)
            for name in ("RNN", "GRU", "LSTM")
            for params in ({}, {"layers": 2, "bidirectional": True}, {"bias": False})
        ),
        Lone("GRU", x | {"h0": "2 batch 7"}, {"dim": 12, "hidden": 7, "layers": 2}),
        Lone("LSTM", x | {"h0": "2 batch 7", "c0": "2 batch 7"}, {"dim": 12, "hidden": 7, "bidirectional": True}),
    ]


ROTATING = 6
"""The gate exports each sixth little drawing; the exhaustive run exports all."""


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
    "llama": ("llama", {"dim": 32, "layers": 3, "num_heads": 4, "kv_heads": 2, "hidden": 48, "vocab": 61}),
    "unet": ("unet", {"channels": 4, "depth": 2, "image_size": 20}),
    "diffusion_unet": (
        "diffusion_unet",
        {"channels": 8, "depth": 1, "image_size": 8, "num_heads": 2, "context_dim": 12},
    ),
}


@pytest.fixture(scope="session")
def every_lone() -> list[Lone]:
    """The whole table."""
    return lone_blocks()


@pytest.fixture(scope="session")
def make_example():
    """Document → Example."""

    def make(document: Document) -> Example:
        plan = planned(document)
        return Example(plan, spread(compile_plan(plan)))

    return make


@pytest.fixture(scope="session")
def small(make_example):
    """Name → a small whole model, made once."""
    made: dict[str, Example] = {}

    def get(name: str) -> Example:
        if name not in made:
            template, values = SMALL[name]
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
    """Tests that take `lone` run for little drawings; the slow ones for some in the gate, for all exhaustively.

    A test is slow unless it says `quick = True`.
    """
    quick = getattr(metafunc.function, "quick", False)
    if "lone" in metafunc.fixturenames:
        every = lone_blocks()
        marked = [
            pytest.param(
                lone,
                id=f"{lone.block}-{place}",
                marks=() if quick or place % ROTATING == 0 else pytest.mark.exhaustive,
            )
            for place, lone in enumerate(every)
        ]
        metafunc.parametrize("lone", marked)
    if "block" in metafunc.fixturenames:
        metafunc.parametrize("block", blocks.catalogue().values(), ids=list(blocks.catalogue()))
