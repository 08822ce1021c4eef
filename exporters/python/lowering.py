"""Blocks whose code is longer than what it comes down to: operators, einops patterns, slices.

Each becomes one expression that does what the block does, step by step, so that the numbers are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from blocks.functional import AxisOrder, read_axes, read_sizes, write_out
from blocks.patterns import equation
from exporters.python.sources import Import

if TYPE_CHECKING:
    from graph.plan import BlockStep

Lowering: TypeAlias = "Callable[[Mapping[str, Any], Sequence[str], int], str]"
"""From the parameters, the names of what comes in, and how many axes the first of them has."""

TORCH = Import("torch", "", "torch")
FUNCTIONAL = Import("torch.nn", "functional", "functional")


def is_lowered(step: BlockStep) -> bool:
    """Whether a block has such an expression under its parameters."""
    name = step.block.__name__
    if not step.block.__module__.startswith("blocks.") or name not in LOWERINGS:
        return False
    return name != "Pad" or step.params["mode"] == "constant"


def lowered(step: BlockStep, values: Sequence[str], rank: int) -> tuple[str, frozenset[Import]]:
    """The expression, and the imports it needs."""
    text = LOWERINGS[step.block.__name__](step.params, values, rank)
    return text, frozenset(found for found in (TORCH, FUNCTIONAL) if text.startswith(f"{found.bound}."))


def _joined(operator: str) -> Lowering:
    return lambda params, values, rank: operator.join(values)


def _nested(function: str) -> Lowering:
    def write(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
        text = values[0]
        for value in values[1:]:
            text = f"{function}({text}, {value})"
        return text

    return write


def _pooled(function: str) -> Lowering:
    def write(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
        """A call without what it would take anyway: windows side by side, nothing added at the edges."""
        kernel, stride, padding = (params[name] for name in ("kernel_size", "stride", "padding"))
        given = f", {stride}" if stride not in (None, kernel) else ""
        given += f", padding={padding}" if padding else ""
        return f"functional.{function}({values[0]}, {kernel}{given})"

    return write


def _rearranged(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    order, sizes = _read(params, rank)
    told = _told_by(values[0], order.before, sizes)  # what x itself tells is left to torch, as -1
    if len(values) > 1:
        sizes = _told_by(values[1], order.after, told | sizes) | sizes
    return values[0] + _split(order.before, sizes) + _merged(_names(order.before), order.after)


def _reduced(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    order, sizes = _read(params, rank)
    names, kept = _names(order.before), _names(order.after)
    axes = [place for place, name in enumerate(names) if name not in kept]
    operation = {"max": "amax", "min": "amin"}.get(params["operation"], params["operation"])
    left = [name for name in names if name in kept]
    together = f".{operation}({axes[0] if len(axes) == 1 else _tuple(axes)})"
    return values[0] + _split(order.before, sizes) + together + _merged(left, order.after)


def _repeated(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    order, sizes = _read(params, rank)
    names = _names(order.before)
    new = [name for name in _names(order.after) if name not in names]
    if len(values) > 1:
        sizes = {axis[0]: f"{values[1]}.shape[{at}]" for at, axis in enumerate(order.after) if len(axis) == 1} | sizes
    grown = ".unsqueeze(-1)" * len(new) + f".expand({', '.join(['-1'] * len(names) + [sizes[name] for name in new])})"
    return values[0] + _split(order.before, sizes) + grown + _merged([*names, *new], order.after)


def _einsum(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    return f'torch.einsum("{equation(params["pattern"])}", {", ".join(values)})'


def _cut(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    sizes = [size.strip() for size in params["sizes"].split(",") if size.strip()]
    if sizes:
        return f"{values[0]}.split([{', '.join(sizes)}], {params['axis']})"
    return f"{values[0]}.chunk({params['parts']}, {params['axis']})"


def _sliced(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    start, stop, step = params["start"], params["stop"], params["step"]
    text = f"{start or ''}:{'' if stop is None else stop}"
    return values[0] + _at(params["axis"], rank, text + (f":{step}" if step > 1 else ""))


def _selected(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    return values[0] + _at(params["axis"], rank, str(params["index"]))


def _reshaped(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    sizes = [int(size) for size in params["shape"].split(",")]
    given = [f"{values[0]}.shape[{place}]" if size == 0 else str(size) for place, size in enumerate(sizes)]
    return f"{values[0]}.reshape({', '.join(given)})"


def _padded(params: Mapping[str, Any], values: Sequence[str], rank: int) -> str:
    behind = -1 - params["axis"] if params["axis"] < 0 else rank - 1 - params["axis"]
    margins = _tuple([*(0, 0) * behind, params["before"], params["after"]])
    value = f", value={params['value']!r}" if params["value"] else ""
    return f"functional.pad({values[0]}, {margins}{value})"


LOWERINGS: Mapping[str, Lowering] = {
    "Add": _joined(" + "),
    "Multiply": _joined(" * "),
    "Maximum": _nested("torch.maximum"),
    "Minimum": _nested("torch.minimum"),
    "MaxPool2d": _pooled("max_pool2d"),
    "AvgPool2d": _pooled("avg_pool2d"),
    "AvgPool1d": _pooled("avg_pool1d"),
    "Rearrange": _rearranged,
    "Reduce": _reduced,
    "Repeat": _repeated,
    "Einsum": _einsum,
    "Split": _cut,
    "Slice": _sliced,
    "Select": _selected,
    "Reshape": _reshaped,
    "Pad": _padded,
}


def _read(params: Mapping[str, Any], rank: int) -> tuple[AxisOrder, dict[str, str]]:
    sizes = {name: str(size) for name, size in read_sizes(params["sizes"]).items()}
    return write_out(read_axes(params["pattern"]), rank), sizes


def _names(axes: Iterable[tuple[str, ...]]) -> list[str]:
    return [name for axis in axes for name in axis]


def _split(before: tuple[tuple[str, ...], ...], sizes: Mapping[str, str]) -> str:
    """Every axis of several parts as its parts, the last axis first so that places hold."""
    text = ""
    for place in reversed(range(len(before))):
        if len(before[place]) > 1:
            parts = [sizes.get(name, "-1") for name in before[place]]
            text += f".unflatten({place}, ({', '.join(parts)}))"
        elif not before[place]:
            text += f".squeeze({place})"
    return text


def _merged(parts: list[str], after: tuple[tuple[str, ...], ...]) -> str:
    """The parts in the order of the right side, laid together as it says."""
    merged = _names(after)
    text = ""
    if parts != merged:
        text += f".permute({', '.join(str(parts.index(name)) for name in merged)})"
    for place, axis in enumerate(after):
        if not axis:
            text += f".unsqueeze({place})"
        elif len(axis) > 1:
            text += f".flatten({place}, {place + len(axis) - 1})"
    return text


def _told_by(value: str, axes: tuple[tuple[str, ...], ...], sizes: Mapping[str, str]) -> dict[str, str]:
    """Sizes that can be read off a tensor with these axes: of each axis the one part that is not known."""
    told: dict[str, str] = {}
    for place, axis in enumerate(axes):
        unknown = [name for name in axis if name not in sizes]
        if len(unknown) == 1:
            others = [sizes[name] for name in axis if name in sizes]
            told[unknown[0]] = f"{value}.shape[{place}]" + "".join(f" // {size}" for size in others)
    return told


def _at(axis: int, rank: int, text: str) -> str:
    """An index that leaves every other axis alone."""
    if axis == -1 and rank > 1:
        return f"[..., {text}]"
    return f"[{':, ' * (axis % rank)}{text}]"


def _tuple(numbers: list[int]) -> str:
    return f"({', '.join(map(str, numbers))})"
