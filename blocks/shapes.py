"""Port patterns and what they demand: unify shapes with patterns, fill patterns with sizes, tell clashes in words.

A pattern is a line of axis names such as ``batch seq dim``. An axis called like a parameter must equal it, a number
must be that number, ``...`` stands for any axes, and every other name is free and means one size within the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from blocks.dimensions import (
    Dim,
    Dimension,
    complexity,
    remainders_making_equal,
    remainders_making_multiple,
)
from blocks.remainders import ANY, Allowed

Shape: TypeAlias = tuple[Dimension, ...]
Params: TypeAlias = Mapping[str, Any]
Incoming: TypeAlias = Mapping[str, Any]
"""Port name → Shape; a port that takes many wires maps to a tuple of shapes, an unwired optional port is absent."""

REST = "..."


class ShapeClash(Exception):
    """Two sizes that cannot be one: what was found, what is needed and why, and what would mend it.

    Args:
        port: the input where it shows.
        found: what arrives there, as the end of a sentence ("512 features per token").
        needed: what the block needs, as a sentence of its own without a full stop ("its `dim` is 256").
        repair: parameter values that would make it fit.
        peers: other inputs that disagree as equals; neither is then called expected.
    """

    def __init__(
        self,
        port: str,
        found: str,
        needed: str,
        *,
        repair: Mapping[str, Any] | None = None,
        peers: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"input {port}: found {found}; {needed}")
        self.port = port
        self.found = found
        self.needed = needed
        self.repair = dict(repair or {})
        self.peers = peers


@dataclass(frozen=True)
class Limit:
    """A bound on a size that is not known yet, such as seq ≤ 1024."""

    size: Dim
    low: int | None
    high: int | None
    because: str


@dataclass
class Needs:
    """What a block demands of the sizes it meets, gathered while it infers its shapes.

    `remainders` maps an axis name to what its size may leave when it is divided; `limits` are bounds on unknown sizes.
    A demand that no size can meet raises ShapeClash at once.
    """

    remainders: Allowed = field(default_factory=dict)
    limits: list[Limit] = field(default_factory=list)

    def equal(
        self,
        left: Dimension,
        right: Dimension,
        *,
        port: str,
        found: str,
        needed: str,
        peers: tuple[str, ...] = (),
    ) -> Dimension:
        """Demand that two sizes are one; returns the shorter of the two."""
        if left is right or left == right:
            return left
        answer = remainders_making_equal(left, right)
        if answer is None:
            raise ShapeClash(port, found, needed, peers=peers)
        self._require(answer, port, found, needed)
        return left if complexity(left) <= complexity(right) else right

    def multiple(self, size: Dimension, divisor: int, *, port: str, found: str, needed: str) -> Dimension:
        """Demand that `divisor` divides `size`; returns the quotient."""
        answer = remainders_making_multiple(size, divisor)
        if answer is None:
            raise ShapeClash(port, found, needed)
        self._require(answer, port, found, needed)
        return size // divisor

    def between(
        self, size: Dimension, low: int | None = None, high: int | None = None, *, port: str, because: str
    ) -> None:
        """Demand low <= size <= high; `because` ends the sentence ("the table holds 1024 positions")."""
        if isinstance(size, Dim):
            self.limits.append(Limit(size, low, high, because))
            return
        if low is not None and size < low:
            raise ShapeClash(port, f"a size of {size}", f"at least {low} is needed: {because}")
        if high is not None and size > high:
            raise ShapeClash(port, f"a size of {size}", f"at most {high} is possible: {because}")

    @property
    def divisors(self) -> Mapping[str, int]:
        """Axis name → the number that must divide it."""
        return {name: rest.divisor for name, rest in self.remainders.items() if rest.is_multiple}

    def _require(self, allowed: Allowed, port: str, found: str, needed: str) -> None:
        for name, rest in allowed.items():
            known = self.remainders.get(name, ANY)
            both = known & rest
            if both is None:
                raise ShapeClash(port, found, f"{needed}, for which {name} must {rest}, and it must {known} too")
            self.remainders[name] = both


@lru_cache(4096)
def axes_of(pattern: str) -> tuple[str | int, ...]:
    """The axes of a pattern; ValueError when it is not one."""
    axes: list[str | int] = []
    for word in pattern.split():
        if word.isdigit():
            axes.append(int(word))
        elif word == REST or word.isidentifier():
            axes.append(word)
        else:
            raise ValueError(f"{word!r} in the pattern {pattern!r} is no axis name, number or '...'")
    if axes.count(REST) > 1:
        raise ValueError(f"the pattern {pattern!r} has '...' more than once")
    return tuple(axes)


def unify(
    patterns: Iterable[tuple[str, str, Shape]],
    params: Params,
    need: Needs,
    words: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The size of each axis, from (port, pattern, shape) triples.

    `words` says what a parameter counts ("features per token"), so that a clash reads as people speak. The axes that
    ``...`` stands for are a tuple under the key "...".
    """
    bound: dict[str, Any] = {}
    first: dict[str, str] = {}
    for port, pattern, shape in patterns:
        axes = axes_of(pattern)
        if REST in axes:
            at = axes.index(REST)
            fixed = len(axes) - 1
            if len(shape) < fixed:
                raise ShapeClash(port, _describe(shape), f"it needs at least {_axes(fixed)}: {spell(pattern)}")
            stop = at + len(shape) - fixed
            _bind_rest(bound, first, port, shape[at:stop], need)
            pairs = zip(axes[:at] + axes[at + 1 :], shape[:at] + shape[stop:], strict=True)
        elif len(axes) != len(shape):
            raise ShapeClash(port, _describe(shape), f"it needs {_axes(len(axes))}: {spell(pattern)}")
        else:
            pairs = zip(axes, shape, strict=True)
        for axis, size in pairs:
            if isinstance(axis, int):
                need.equal(size, axis, port=port, found=f"a size of {size}", needed=f"it needs {axis} there")
            elif axis in params and params[axis] is not None:
                _match_parameter(port, shape, axis, size, params[axis], need, words)
                bound[axis] = params[axis]
            elif axis not in bound:
                bound[axis] = size
                first[axis] = port
            elif size is not bound[axis]:
                other = first[axis]
                bound[axis] = need.equal(
                    size,
                    bound[axis],
                    port=port,
                    found=f"{axis} = {size}",
                    needed=f"input {other} has {axis} = {bound[axis]}"
                    if other != port
                    else f"{axis} is {bound[axis]} too",
                    peers=(other,),
                )
    return bound


def fill(pattern: str, axes: Mapping[str, Any], params: Params) -> Shape:
    """The shape that a pattern has once its axes are known."""
    shape: list[Dimension] = []
    for axis in axes_of(pattern):
        if isinstance(axis, int):
            shape.append(axis)
        elif axis == REST:
            shape.extend(axes.get(REST, ()))
        else:
            shape.append(axes[axis] if axis in axes else params[axis])
    return tuple(shape)


def spell(shape: str | Shape) -> str:
    """A shape as people read it: batch × seq × 768."""
    parts = shape.split() if isinstance(shape, str) else [str(size) for size in shape]
    return " × ".join(parts) if parts else "a single number"


def broadcast(shapes: Mapping[str, Shape] | list[tuple[str, Shape]], need: Needs) -> Shape:
    """The shape that several shapes broadcast to, aligned at the right as torch does; 1 stretches to any size."""
    pairs = list(shapes.items()) if isinstance(shapes, Mapping) else shapes
    rank = max((len(shape) for _, shape in pairs), default=0)
    result: list[Dimension] = [1] * rank
    owner: list[str] = [""] * rank
    for port, shape in pairs:
        for offset, size in enumerate(shape, start=rank - len(shape)):
            if size == 1:
                continue
            known = result[offset]
            if size is known or size == known:
                continue
            if known == 1:
                result[offset], owner[offset] = size, port
                continue
            result[offset] = need.equal(
                known,
                size,
                port=port,
                found=f"{spell(shape)}",
                needed=f"another input has {known} where this one has {size}",
                peers=(owner[offset],),
            )
    return tuple(result)


def stretch(port: str, shape: Shape, target: Shape, words: str, need: Needs) -> None:
    """Demand that `shape` broadcasts to `target`, whose axes `words` names if not empty; 1 stretches to any size."""
    goals = f"{spell(words)}, here {spell(target)}" if words else spell(target)
    needed = f"it must stretch to {goals}"
    if len(shape) > len(target):
        raise ShapeClash(port, _describe(shape), needed)
    for size, goal in zip(shape, target[len(target) - len(shape) :], strict=True):
        if size != 1 and size is not goal:
            need.equal(size, goal, port=port, found=_describe(shape), needed=needed)


def axis_at(shape: Shape, axis: int, *, port: str) -> int:
    """Where an axis lies, counted from the front; a negative one counts from the end."""
    rank = len(shape)
    if not -rank <= axis < rank:
        raise ShapeClash(port, _describe(shape), f"it has no axis {axis}", repair={"axis": -1} if rank else None)
    return axis % rank


def reduced(shape: Shape, axis: int | None, keep: bool, *, port: str) -> Shape:
    """What is left when the values along an axis are taken together, or, with None, along all of them."""
    if axis is None:
        return (1,) * len(shape) if keep else ()
    at = axis_at(shape, axis, port=port)
    return (*shape[:at], *((1,) if keep else ()), *shape[at + 1 :])


def _match_parameter(
    port: str, shape: Shape, axis: str, size: Dimension, value: int, need: Needs, words: Mapping[str, str] | None
) -> None:
    if size == value:
        return
    noun = (words or {}).get(axis) or f"along {axis}"
    if isinstance(size, int):
        raise ShapeClash(port, f"{size} {noun}", f"its `{axis}` is {value}", repair={axis: size})
    needed = f"its `{axis}` is {value}, where this has {size}"
    if remainders_making_equal(size, value) is None:
        raise ShapeClash(port, spell(shape), needed)
    need.equal(size, value, port=port, found=spell(shape), needed=needed)


def _bind_rest(bound: dict[str, Any], first: dict[str, str], port: str, shape: Shape, need: Needs) -> None:
    if REST not in bound:
        bound[REST], first[REST] = shape, port
        return
    known: Shape = bound[REST]
    other = first[REST]
    if len(known) != len(shape):
        raise ShapeClash(port, _describe(shape), f"input {other} has {_describe(known)}", peers=(other,))
    bound[REST] = tuple(
        need.equal(a, b, port=port, found=spell(shape), needed=f"input {other} has {spell(known)}", peers=(other,))
        for a, b in zip(known, shape, strict=True)
    )


def _axes(count: int) -> str:
    return "one axis" if count == 1 else f"{count} axes"


def _describe(shape: Shape) -> str:
    return f"{spell(shape)} ({_axes(len(shape))})" if shape else "a single number (no axes)"
