"""What the places along an axis are called: the tokens of a text, (row, column) of a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blocks.dimensions import Dim, Dimension, evaluate, names
from graph.plan import Plan
from graph.samples import Inputs


def axis_labels(plan: Plan, inputs: Inputs, axis: Dimension | None) -> list[str]:
    """The tokens of the source whose sequence this is, (row, column) for places of a picture, or nothing."""
    if axis is None:
        return []
    for entry in plan.entries:
        if entry.id in inputs.labels and entry.signal.shape[-1] == axis:
            return inputs.labels[entry.id]
    for entry in plan.entries:
        if entry.signal.kind == "image":
            found = _grid(axis, entry.signal.shape[-2:], inputs.sizes)
            if found:
                return found
    return []


def with_sink(labels: list[str], keys: int) -> list[str]:
    """A label for every key; one more key than there are tokens is the learned one that takes what nothing gets."""
    return labels + ["(sink)"] * (keys - len(labels)) if labels else labels


def _grid(axis: Dimension, sides: Sequence[Dimension], sizes: Mapping[str, int]) -> list[str]:
    """(row, column) for each place, where the axis is the product of a part of either side of a picture.

    What stands before the places, such as a class token, is called extra 1, extra 2 and so on.
    """
    places = _parts(axis, sides, sizes) if isinstance(axis, Dim) else _patches(axis, sides)
    if places is None:
        return []
    rows, columns = places
    before = [f"extra {count + 1}" for count in range(evaluate(axis, sizes) - rows * columns)]
    return before + [f"({row}, {column})" for row in range(rows) for column in range(columns)]


def _parts(axis: Dim, sides: Sequence[Dimension], sizes: Mapping[str, int]) -> tuple[int, int] | None:
    """Rows and columns where the axis says of which parts of the sides it is the product."""
    products = [(atoms, count) for atoms, count in axis.terms if atoms]
    if len(products) != 1 or products[0][1] != 1 or len(products[0][0]) != 2:
        return None
    factors = [Dim((((atom,), 1),)) for atom in products[0][0]]
    parts = [[factor for factor in factors if names(factor) == names(side)] for side in sides]
    if [len(found) for found in parts] != [1, 1]:
        return None
    rows, columns = (evaluate(found[0], sizes) for found in parts)
    return rows, columns


def _patches(axis: int, sides: Sequence[Dimension]) -> tuple[int, int] | None:
    """Rows and columns of square patches of a picture whose size is fixed, one more place for a class token or not."""
    height, width = sides
    if not isinstance(height, int) or not isinstance(width, int):
        return None
    for patch in range(1, min(height, width) + 1):
        if height % patch == 0 and width % patch == 0 and axis - (height // patch) * (width // patch) in (0, 1):
            return height // patch, width // patch
    return None
