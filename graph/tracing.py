"""One pass over fake tensors: bytes alive and operations counted, by phase and block. Nothing is allocated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional
from torch.utils.flop_counter import flop_registry

from blocks.dimensions import evaluate
from graph.compile import compile_plan, tie_parameters
from graph.places import GroupPlace, Place, all_places
from graph.plan import Plan
from graph.probes.memory import LiveBytes
from graph.probes.taps import watch
from graph.unrolling import in_slices


class Moment(NamedTuple):
    """When something was alive: "forward", "loss" or "backward"; in which block; in which of its rounds."""

    phase: str
    plain: str
    round: str


@dataclass
class Level:
    """The most that was alive at a moment, without parameters; `gradients` is their part of it."""

    live: int = 0
    gradients: int = 0
    operation: str = ""


@dataclass
class Trace:
    """What a pass found: the most alive at each moment, and operations by block (both directions in training)."""

    levels: dict[Moment, Level] = field(default_factory=dict)
    flops: dict[str, int] = field(default_factory=dict)
    uncounted: set[str] = field(default_factory=set)


def trace(plan: Plan, sizes: Mapping[str, int], dtype: torch.dtype, training: bool) -> Trace:
    """Run a plan on fake tensors.

    Args:
        plan: what to run; its repetitions are run one by one.
        sizes: every axis.
        dtype: of weights and real inputs.
        training: whether to run backward too, from a loss.
    """
    found = Trace()
    with FakeTensorMode():
        model = _cast(compile_plan(plan, allocate=False), plan, dtype)
        model.train(training)
        for parameter in model.parameters():
            parameter.requires_grad_(training and parameter.requires_grad)
        feed = [_feed(plan, place, sizes, dtype) for place in range(len(plan.entries))]
        meter = _Meter(found)
        meter.ignore([*model.parameters(), *model.buffers()])
        meter.hold(feed)
        if training:
            for parameter in model.parameters():
                if parameter.requires_grad:
                    parameter.register_post_accumulate_grad_hook(meter.gained)
        watched = watch(model, all_places(plan), meter.before, meter.after)
        with torch.set_grad_enabled(training), in_slices(model), watched, meter:
            output = model(*feed)
            if training:
                meter.enter(Moment("loss", "", ""))
                loss = _loss(plan, output if isinstance(output, tuple) else (output,))
                if loss.requires_grad:
                    loss.backward()
    return found


class _Meter(LiveBytes):
    """Counts operations too, and books everything on the block that runs."""

    def __init__(self, found: Trace) -> None:
        super().__init__(self._grown)
        self._found = found
        self._stack: list[Moment] = [Moment("forward", "", "")]
        self._gradients = 0

    def enter(self, moment: Moment) -> None:
        """From here on something else runs."""
        self._stack = [moment]

    def before(self, place: Place | GroupPlace, _args: Any, _kwargs: Any) -> None:
        """A call begins."""
        self._stack.append(Moment("forward", place.plain, round_of(place)))

    def after(self, place: Place | GroupPlace, output: Any) -> None:
        """A call ends; when its gradient arrives, its backward begins."""
        self._stack.pop()
        moment = Moment("backward", place.plain, round_of(place))
        for tensor in output if isinstance(output, tuple) else (output,):
            if isinstance(tensor, Tensor) and tensor.requires_grad and isinstance(place, Place):
                tensor.register_hook(self._backward(moment))

    def gained(self, parameter: Tensor) -> None:
        """A gradient is complete."""
        if parameter.grad is not None:
            self._gradients += parameter.grad.untyped_storage().nbytes()

    def _backward(self, moment: Moment) -> Callable[[Tensor], None]:
        def hook(_gradient: Tensor) -> None:
            self.enter(moment)

        return hook

    def _grown(self, operation: str) -> None:
        level = self._found.levels.setdefault(self._stack[-1], Level())
        if self.live > level.live:
            level.live, level.gradients, level.operation = self.live, self._gradients, operation

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = super().__torch_dispatch__(func, types, args, kwargs)
        packet = func._overloadpacket
        counter = EXTRA.get(packet) or flop_registry.get(packet)
        if counter is not None:
            plain = self._stack[-1].plain
            flops = counter(*args, **(kwargs or {}), out_val=result)
            self._found.flops[plain] = self._found.flops.get(plain, 0) + int(flops)
        elif _is_costly(func):
            self._found.uncounted.add(str(packet))
        return result


def _cast(model: nn.Module, plan: Plan, dtype: torch.dtype) -> nn.Module:
    """The model in another number type; `Module.to` cannot swap fake parameters."""
    if dtype != torch.float32:
        for module in model.modules():
            for name, parameter in list(module.named_parameters(recurse=False)):
                setattr(module, name, nn.Parameter(parameter.detach().to(dtype), parameter.requires_grad))
            for name, buffer in list(module.named_buffers(recurse=False)):
                if buffer.is_floating_point():
                    setattr(module, name, buffer.to(dtype))
        tie_parameters(model, plan.ties)
    return model


def round_of(place: Place | GroupPlace) -> str:
    """The numbers of the rounds around a call, outermost first."""
    rounds = [part.rpartition(".")[2] for part in place.address.split("/") if "." in part]
    return "/".join(rounds)


def _feed(plan: Plan, place: int, sizes: Mapping[str, int], dtype: torch.dtype) -> Tensor:
    signal = plan.entries[place].signal
    kind = {"float": dtype, "integer": torch.int64, "bool": torch.bool}.get(signal.dtype, dtype)
    return torch.zeros([evaluate(size, sizes) for size in signal.shape], dtype=kind)


def _loss(plan: Plan, outputs: tuple[Any, ...]) -> Tensor:
    """Cross-entropy where an output scores the tokens of the vocabulary, the mean square elsewhere."""
    vocabularies = {entry.signal.below for entry in plan.entries if entry.signal.kind == "tokens"}
    parts: list[Tensor] = []
    for output in outputs:
        if not output.is_floating_point():
            continue
        if output.dim() > 1 and output.shape[-1] in vocabularies:
            scores = output.flatten(0, -2).float()
            parts.append(functional.cross_entropy(scores, scores.new_zeros(len(scores), dtype=torch.int64)))
        else:
            parts.append(output.float().square().mean())
    return torch.stack(parts).sum() if parts else torch.zeros(())


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(value.shape) if isinstance(value, Tensor) else tuple(value)


def _attention(query: Any, key: Any, value: Any, *_args: Any, **_kwargs: Any) -> int:
    batch, heads, length, width = _shape(query)
    return 2 * batch * heads * length * _shape(key)[-2] * (width + _shape(value)[-1])


def _attention_backward(_grad: Any, query: Any, key: Any, value: Any, *_args: Any, **_kwargs: Any) -> int:
    """The scores once more, then the gradients of weights, values, queries and keys."""
    batch, heads, length, width = _shape(query)
    return 2 * batch * heads * length * _shape(key)[-2] * (3 * width + 2 * _shape(value)[-1])


def _lstm(x: Any, of_x: Any, of_h: Any, *_args: Any, **_kwargs: Any) -> int:
    """One layer in one direction; x is (seq, batch, dim)."""
    (length, batch, dim), (rows, hidden) = _shape(x), _shape(of_h)
    return 2 * length * batch * rows * (dim + hidden)


def _lstm_backward(*args: Any, **kwargs: Any) -> int:
    return 2 * _lstm(*args, **kwargs)


def _triangular(matrix: Any, given: Any, *_args: Any, **_kwargs: Any) -> int:
    """Half of the matrix, once for each number that comes out."""
    return prod(_shape(given)) * _shape(matrix)[-1]


aten = torch.ops.aten
# torch's own counter gives 0 for the fused kernels of the CPU.
EXTRA: Mapping[Any, Callable[..., int]] = {
    aten.linalg_solve_triangular: _triangular,
    aten.mkldnn_rnn_layer: _lstm,
    aten.mkldnn_rnn_layer_backward: _lstm_backward,
    aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
}
COSTLY = ("rnn", "lstm", "gru", "cdist", "linalg", "fft", "grouped_mm", "attention", "matmul", "conv", "einsum")


def _is_costly(func: Any) -> bool:
    """Whether an operator that nothing counts does work worth counting: a custom one, or one with products inside."""
    namespace, _, name = func.name().partition("::")
    return namespace not in ("aten", "prim", "prims") or any(word in name for word in COSTLY)
