"""The table of calls that every block is tested with, and what turns a call into shapes and tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, settings
from torch import Tensor

from blocks import catalogue
from blocks.dimensions import Dim, evaluate, named
from blocks.spec import Block

settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

SIZES = {"batch": 3, "seq": 7, "source_seq": 5, "height": 13, "width": 11}


@dataclass(frozen=True)
class Call:
    """One call of a block: parameters, a shape for each input, and sizes for the names in the shapes."""

    block: str
    shapes: Mapping[str, str | tuple[str, ...]]
    params: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def cls(self) -> type[Block]:
        """The block's class."""
        return catalogue()[self.block]

    @property
    def full(self) -> dict[str, Any]:
        """All parameters, those not set at their defaults."""
        return {param.name: param.default for param in self.cls.params()} | dict(self.params)

    @property
    def symbolic(self) -> dict[str, Any]:
        """The shapes with names for free sizes."""
        return self._each(_shape)

    def concrete(self, sizes: Mapping[str, int] | None = None) -> dict[str, Any]:
        """The shapes in numbers."""
        known = SIZES | dict(self.sizes) | dict(sizes or {})
        return self._each(lambda text: tuple(evaluate(size, known) for size in _shape(text)))

    def _each(self, read: Callable[[str], tuple[Any, ...]]) -> dict[str, Any]:
        return {
            name: tuple(map(read, given)) if isinstance(given, tuple) else read(given)
            for name, given in self.shapes.items()
        }

    def build(self, dtype: torch.dtype = torch.float32, device: str = "cpu", seed: int = 0) -> Block:
        """The module in evaluation, with every parameter and buffer drawn at random."""
        with torch.random.fork_rng(devices=[]), torch.device(device):
            torch.manual_seed(seed)
            module = self.cls(**self.params).to(dtype).eval()
            for name, tensor in module.state_dict(keep_vars=True).items():
                if tensor.is_floating_point() and device != "meta":
                    spread = torch.rand_like(tensor) if name == "running_var" else torch.randn_like(tensor)
                    tensor.data.copy_(spread * (0.3 if tensor.dim() > 1 else 1.0) + (name == "running_var") * 0.5)
        return module

    def tensors(
        self, dtype: torch.dtype = torch.float32, sizes: Mapping[str, int] | None = None, device: str = "cpu"
    ) -> list[Tensor | None]:
        """Random arguments in the order of `forward`; None for an optional input that is not wired."""
        shapes = self.concrete(sizes)
        ports, _ = self.cls.ports(self.full)
        generator = torch.Generator().manual_seed(1)
        arguments: list[Tensor | None] = []
        for name, port in ports.items():
            if name not in shapes:
                arguments.append(None)
                continue
            for shape in shapes[name] if port.many else (shapes[name],):
                if port.dtype == "integer":
                    tensor = torch.randint(self.full.get("vocab", 10), shape, generator=generator)
                elif port.dtype == "bool":
                    tensor = torch.rand(shape, generator=generator) < 0.6
                elif name == "t":
                    tensor = (torch.rand(shape, generator=generator, dtype=torch.float64) * 999).to(dtype)
                else:
                    tensor = torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
                arguments.append(tensor.to(device))
        return arguments


def _shape(text: str) -> tuple[int | Dim, ...]:
    sizes: list[Any] = []
    for word in text.split():
        product: Any = 1
        for factor in word.split("*"):
            product = product * (int(factor) if factor.isdigit() else named(factor))
        sizes.append(product)
    return tuple(sizes)


def _calls() -> list[Call]:
    picture = "batch 6 height width"
    calls = [
        Call("Embedding", {"tokens": "batch seq"}, {"vocab": 17, "dim": 12}),
        Call("Embedding", {"tokens": "batch"}, {"vocab": 3, "dim": 1, "init_std": 0.02}),
        Call("Linear", {"x": "batch seq 9"}, {"in_features": 9, "out_features": 5}),
        Call("Linear", {"x": "9"}, {"in_features": 9, "out_features": 1, "bias": False, "init_std": 0.5}),
        Call("LearnedPosition", {"x": "batch seq 10"}, {"dim": 10, "context": 40}),
        Call("SinusoidalPosition", {"x": "batch seq 10"}, {"dim": 10}),
        Call("SinusoidalPosition", {"x": "batch seq 9"}, {"dim": 9, "max_period": 100.0}),
        Call("TimestepEmbedding", {"t": "batch"}, {"dim": 14}),
        Call("LayerNorm", {"x": "batch seq 11"}, {"dim": 11}),
        Call("LayerNorm", {"x": "batch height width 11"}, {"dim": 11, "bias": False, "eps": 0.1}),
        Call("RMSNorm", {"x": "batch seq 11"}, {"dim": 11}),
        Call("RMSNorm", {"x": "11"}, {"dim": 11, "eps": 0.1}),
        Call("GroupNorm", {"x": picture}, {"num_groups": 3, "num_channels": 6}),
        Call("GroupNorm", {"x": "batch 6"}, {"num_groups": 2, "num_channels": 6}),
        Call("GroupNorm", {"x": "batch 6 seq"}, {"num_groups": 6, "num_channels": 6, "eps": 0.1}),
        Call("BatchNorm", {"x": picture}, {"num_features": 6}),
        Call("BatchNorm", {"x": "batch 6"}, {"num_features": 6, "eps": 0.1}),
        Call("BatchNorm", {"x": "batch 6 seq"}, {"num_features": 6}),
        *(Call(name, {"x": "batch seq 5"}) for name in ("ReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "Softmax")),
        Call("GELU", {"x": picture}, {"approximate": "tanh"}),
        Call("Softmax", {"x": picture}, {"axis": 1}),
        Call("Softmax", {"x": picture}, {"axis": -2}),
        Call("FeedForward", {"x": "batch seq 6"}, {"dim": 6}),
        *(
            Call("FeedForward", {"x": "batch height width 6"}, {"dim": 6, "hidden": 5, "bias": bias, "activation": act})
            for act, bias in (("gelu_tanh", True), ("relu", False), ("silu", True))
        ),
        Call("SwiGLU", {"x": "batch seq 6"}, {"dim": 6, "multiple_of": 4}),
        Call("SwiGLU", {"x": "6"}, {"dim": 6, "hidden": 7, "bias": True}),
        Call("UpSample", {"x": picture}),
        Call("UpSample", {"x": picture}, {"factor": 3, "mode": "bilinear"}),
        Call("UpSample", {"x": picture}, {"factor": 1}),
        *(
            Call(block, {"x": picture}, params)
            for block in ("MaxPool2d", "AvgPool2d")
            for params in ({}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 5, "stride": 1})
        ),
        Call("GlobalAvgPool", {"x": picture}),
        *(Call(name, {"x": ("batch seq 5", "batch seq 5", "batch seq 5")}) for name in ("Add", "Multiply")),
        *(Call(name, {"x": ("batch seq 5", "5", "batch 1 1")}) for name in ("Add", "Multiply")),
        *(Call(name, {"x": ("batch seq 5",)}) for name in ("Add", "Multiply", "Concat")),
        Call("Concat", {"x": ("batch seq 5", "batch seq 2", "batch seq 3")}),
        Call("Concat", {"x": ("batch 4 height width", "batch 2 height width")}, {"axis": 1}),
        Call("Concat", {"x": ("batch seq 3", "batch source_seq 3")}, {"axis": -2}),
        Call("Flatten", {"x": picture}),
        Call("Flatten", {"x": "batch seq 5"}, {"start_axis": 0}),
        Call("Flatten", {"x": "batch seq 5"}, {"start_axis": 2}),
        Call("Dropout", {"x": "batch seq 5"}),
        Call("Output", {"x": "batch seq 5"}),
    ]
    return calls + _convolutions() + _attention() + _rearrangements()


def _convolutions() -> list[Call]:
    picture = {"x": "batch 6 height width"}
    six = {"in_channels": 6}
    return [
        Call("Conv2d", picture, six | {"out_channels": 4}),
        Call("Conv2d", picture, six | {"out_channels": 4, "kernel_size": 1, "padding": 0, "bias": False}),
        Call("Conv2d", picture, six | {"out_channels": 4, "kernel_size": 4, "stride": 3, "padding": 2, "groups": 2}),
        Call("Conv2d", picture, six | {"out_channels": 6, "kernel_size": 3, "groups": 6, "dilation": 3, "padding": 0}),
        *(
            Call("Conv2d", picture, six | {"out_channels": 3, "kernel_size": 5, "padding": 2, "padding_mode": mode})
            for mode in ("reflect", "replicate", "circular")
        ),
        Call("Conv2d", picture, six | {"out_channels": 3, "kernel_size": 2, "padding": 0, "padding_mode": "reflect"}),
        Call("ConvTranspose2d", picture, six | {"out_channels": 4}),
        Call(
            "ConvTranspose2d", picture, six | {"out_channels": 4, "kernel_size": 3, "padding": 1, "output_padding": 1}
        ),
        Call(
            "ConvTranspose2d",
            picture,
            six | {"out_channels": 9, "kernel_size": 4, "stride": 3, "groups": 3, "dilation": 2, "bias": False},
        ),
        Call("ConvTranspose2d", picture, six | {"out_channels": 2, "kernel_size": 1, "stride": 1, "padding": 2}),
    ]


def _attention() -> list[Call]:
    base = {"dim": 24, "num_heads": 6}
    variants: list[dict[str, Any]] = [
        {"kv_heads": 2, "causal": True, "rope": True},
        {},
        {"causal": True},
        {"kv_heads": 1, "bias": False},
        {"head_dim": 6, "rope": True, "rope_layout": "interleaved", "rope_theta": 500.0},
        {"dim": 5, "num_heads": 2, "head_dim": 3, "causal": True, "init_std": 0.02},
    ]
    extras: list[dict[str, str]] = [
        {"mask": "batch 1 1 seq"},
        {"score_bias": "6 seq seq"},
        {"mask": "seq seq", "score_bias": "batch 1 seq seq"},
        {"mask": "seq"},
    ]
    calls = [
        Call("MultiHeadAttention", {"x": f"batch seq {(base | variant)['dim']}"}, base | variant)
        for variant in variants
    ]
    calls += [
        Call("MultiHeadAttention", {"x": "batch seq 24"} | extra, base | {"causal": causal, "kv_heads": 3})
        for extra in extras
        for causal in (False, True)
    ]
    both = {"x": "batch seq 24", "context": "batch source_seq 10"}
    calls += [
        Call("CrossAttention", both, base | {"context_dim": 10}),
        Call("CrossAttention", both, base | {"context_dim": 10, "kv_heads": 2, "head_dim": 5, "bias": False}),
        Call("CrossAttention", both | {"mask": "batch 1 1 source_seq"}, base | {"context_dim": 10, "kv_heads": 1}),
        Call("CrossAttention", both | {"score_bias": "seq source_seq"}, base | {"context_dim": 10}),
    ]
    raw = {"q": "batch 6 seq 8", "k": "batch 2 source_seq 8", "v": "batch 2 source_seq 5"}
    same = {"q": "batch 4 seq 8", "k": "batch 4 seq 8", "v": "batch 4 seq 8"}
    name = "ScaledDotProductAttention"
    calls += [
        Call(name, raw),
        Call(name, raw | {"mask": "batch 6 seq source_seq", "score_bias": "source_seq"}, {"scale": 0.7}),
        Call(name, same, {"causal": True}),
        Call(name, same | {"mask": "batch 1 1 seq"}, {"causal": True, "scale": 2.0}),
    ]
    return calls


def _rearrangements() -> list[Call]:
    name = "Rearrange"
    even = {"height": 12, "width": 8}
    patches = {"pattern": "b c (h p) (w q) -> b (h w) (p q c)", "sizes": "p=4, q=2"}
    return [
        Call(name, {"x": "batch 6 height width"}),
        Call(name, {"x": "batch 6 height width"}, patches, even),
        Call(
            name,
            {"x": "batch height*width 24", "like": "batch 9 4*height 2*width"},
            {"pattern": "b (h w) (p q c) -> b c (h p) (w q)", "sizes": "p=4, q=2"},
        ),
        Call(
            name,
            {"x": "batch height*width 6", "like": "batch 3 height width"},
            {"pattern": "b (h w) c -> b c h w"},
        ),
        Call(name, {"x": "batch seq 12"}, {"pattern": "b s (heads d) -> b heads s d", "sizes": "heads=3"}),
        Call(name, {"x": "batch 3 seq 4"}, {"pattern": "b heads s d -> b s (heads d)"}),
        Call(name, {"x": "batch seq 5"}, {"pattern": "... d -> d ..."}),
        Call(name, {"x": "batch seq 5"}, {"pattern": "b ... -> (b ...)"}),
        Call(name, {"x": "batch seq 5"}, {"pattern": "a ... -> a 1 ... 1"}),
        Call(name, {"x": "batch 1 5"}, {"pattern": "a 1 (b c) -> (c 1 a) b", "sizes": "c=5"}),
        Call(name, {"x": "batch seq"}, {"pattern": "b s -> b s"}),
        Call(name, {"x": "batch seq"}, {"pattern": "b s -> () b s ()"}),
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `call` for each call, and one that takes `block` for each block of the catalogue.

    A test with an attribute `only` sees the calls of those blocks; of one that is `slow` all but the first and the last
    call of a block are left to the exhaustive run.
    """
    if "call" in metafunc.fixturenames:
        calls = _calls()
        wanted = getattr(metafunc.function, "only", None)
        calls = [call for call in calls if wanted is None or call.block in wanted]
        slow = getattr(metafunc.function, "slow", False)
        ends = {block: [call for call in calls if call.block == block] for block in {call.block for call in calls}}
        cases = []
        for place, call in enumerate(calls):
            late = slow and call not in (ends[call.block][0], ends[call.block][-1])
            marks = [pytest.mark.exhaustive] if late else []
            cases.append(pytest.param(call, id=f"{call.block}-{place}", marks=marks))
        metafunc.parametrize("call", cases)
    if "block" in metafunc.fixturenames:
        metafunc.parametrize("block", catalogue().values(), ids=list(catalogue()))


@pytest.fixture(scope="session")
def calls() -> list[Call]:
    """The whole table."""
    return _calls()


@pytest.fixture(scope="session")
def make_call() -> type[Call]:
    """The class of a call, for tests that make their own."""
    return Call
