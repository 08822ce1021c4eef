"""What blocks with patterns share at run time: axes that are taken together, repeated or multiplied."""

from __future__ import annotations

from torch import Tensor

from blocks.functional import AxisOrder, names_of, read_axes, rearrange, write_out


def read_reduction(pattern: str) -> AxisOrder:
    """Read a pattern whose right side leaves out the axes that are taken together: "b c (h p) -> b c h".

    Raises:
        ValueError: it is no such pattern; the message says why, as a clause.
    """
    order = read_axes(pattern)
    before, after = (names_of(side) for side in order)
    for name in after:
        if name not in before:
            raise ValueError(f"`{name}` stands after the arrow and not before it")
    if len(after) == len(before):
        raise ValueError("no axis is left out after the arrow, so there is nothing to take together")
    return order


def read_repetition(pattern: str) -> AxisOrder:
    """Read a pattern whose right side has axes that are new: "b s d -> b (s r) d".

    Raises:
        ValueError: it is no such pattern; the message says why, as a clause.
    """
    order = read_axes(pattern)
    before, after = (names_of(side) for side in order)
    for name in before:
        if name not in after:
            raise ValueError(f"`{name}` stands before the arrow and not after it")
    if len(after) == len(before):
        raise ValueError("no axis is new after the arrow, so there is nothing to repeat")
    if "..." in after and "..." not in before:
        raise ValueError("'...' stands after the arrow and not before it")
    return order


def reduce(x: Tensor, order: AxisOrder, sizes: dict[str, int], operation: str) -> Tensor:
    """Take the axes together that the right side leaves out: mean, sum, max or min."""
    before, after = write_out(order, x.dim())
    names = [name for axis in before for name in axis]
    kept = [name for axis in after for name in axis]
    axes = [place for place, name in enumerate(names) if name not in kept]
    left = tuple((name,) for name in names if name in kept)
    split = rearrange(x, AxisOrder(before, tuple((name,) for name in names)), sizes)
    return rearrange(take_together(split, axes, operation), AxisOrder(left, after), {})


def take_together(x: Tensor, axes: list[int], operation: str) -> Tensor:
    """The mean, sum, max or min over axes."""
    if operation == "mean":
        return x.mean(axes)
    if operation == "sum":
        return x.sum(axes)
    if operation == "max":
        return x.amax(axes)
    if operation == "min":
        return x.amin(axes)
    raise ValueError(f"there is no reduction called {operation!r}")


def repeat(x: Tensor, order: AxisOrder, sizes: dict[str, int], like: Tensor | None = None) -> Tensor:
    """Repeat x along the axes that are new on the right side; `like` has those axes and gives sizes not told."""
    before, after = write_out(order, x.dim())
    known = dict(sizes)
    names = [name for axis in before for name in axis]
    new = [name for axis in after for name in axis if name not in names]
    if like is not None:
        for axis, size in zip(after, like.shape, strict=True):
            if len(axis) == 1 and axis[0] not in known:
                known[axis[0]] = size
    split = AxisOrder(before, tuple((name,) for name in names))
    x = rearrange(x, split, {name: known[name] for name in names if name in sizes})
    for _ in new:
        x = x.unsqueeze(-1)
    x = x.expand(*x.shape[: len(names)], *(known[name] for name in new))
    return rearrange(x, AxisOrder(tuple((name,) for name in (*names, *new)), after), {})


def read_products(pattern: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Read a pattern of named axes such as "b i d, b j d -> b i j": the axes of each factor, and of the result.

    Raises:
        ValueError: it is no such pattern; the message says why, as a clause.
    """
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("it needs exactly one '->' between the factors and the result")
    factors = [tuple(part.split()) for part in sides[0].split(",")]
    result = tuple(sides[1].split())
    names = [name for factor in factors for name in factor]
    for name in (*names, *result):
        if not name.isidentifier():
            raise ValueError(f"`{name}` is no axis name")
    for name in result:
        if name not in names:
            raise ValueError(f"`{name}` stands after the arrow and not before it")
        if result.count(name) > 1:
            raise ValueError(f"`{name}` stands more than once after the arrow")
    if len(set(names)) > 52:
        raise ValueError("it has more than 52 axes")
    return tuple(factors), result


def equation(pattern: str) -> str:
    """The pattern as torch.einsum reads it, with one letter for each name."""
    factors, result = read_products(pattern)
    letters: dict[str, str] = {}
    for name in (name for factor in factors for name in factor):
        if name not in letters:
            free = [*name[:1], *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
            letters[name] = next(
                letter for letter in free if letter.isascii() and letter.isalpha() and letter not in letters.values()
            )
    left = ",".join("".join(letters[name] for name in factor) for factor in factors)
    return f"{left}->{''.join(letters[name] for name in result)}"
