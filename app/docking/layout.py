"""Where panels lie, as data: splits of tabs around the canvas, what floats, what is closed. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["left", "right", "above", "below"]
SIDES: tuple[Side, ...] = ("left", "right", "above", "below")
PALETTE_WIDTH, PROPERTIES_WIDTH, READINGS_HEIGHT = 216, 316, 276
DEFAULT_SIZES: dict[Side, int] = {"left": PALETTE_WIDTH, "right": PROPERTIES_WIDTH, "above": 200, "below": 276}
"""What a panel takes of the canvas when it is put beside it."""
PALETTE_SHARE, SHARE, LOW_SHARE = 0.22, 0.28, 0.34
"""What the palette, properties and readings, and readings of a low window take of a small one at most, at first."""
LOW = 600
"""Pixels of height below which palette and outline are tabs, at first, rather than one above the other."""
ALIKE = 0.9
"""Windows whose sizes differ by less are taken for alike."""
OUTLINE_SHARE = 0.36
"""What the outline takes of the left side, at first."""
READINGS = ("attention_maps", "activations", "memory", "code", "problems", "history")


@dataclass(eq=False)
class Middle:
    """The place of the canvas, which takes what the others leave."""

    size: int = 0


@dataclass(eq=False)
class Tabs:
    """Panels of which one is in front. Those that are closed, or float, keep their place here until they come back.

    Args:
        panels: their names, in the order of the tabs.
        front: the one in front; where that is not to be seen, the first that is.
        size: pixels along the split that it is in.
    """

    panels: list[str]
    front: str = ""
    size: int = 0


@dataclass(eq=False)
class Split:
    """Parts side by side, or, where it is upright, one above the other."""

    upright: bool
    parts: list[Part]
    size: int = 0


Part = Middle | Tabs | Split


@dataclass(eq=False)
class Float:
    """Panels in a window of their own, and where that is on the desktop: left, top, width, height."""

    panels: list[str]
    rect: tuple[int, int, int, int]
    front: str = ""


@dataclass(eq=False)
class Layout:
    """The whole. Every panel has one place among the splits, whether or not it is there now."""

    root: Part
    closed: set[str] = field(default_factory=set)
    floats: list[Float] = field(default_factory=list)
    readings: bool = True
    """Whether the panels below the canvas are shown at all, which one key turns."""
    extent: tuple[int, int] = (0, 0)
    """Width and height of the window whose sizes these are; 0 where nobody knows."""

    def parts(self) -> Iterator[tuple[Part, Split | None]]:
        """Every part with the split that it is in, from left to right and from top to bottom."""
        waiting: list[tuple[Part, Split | None]] = [(self.root, None)]
        while waiting:
            part, parent = waiting.pop()
            yield part, parent
            if isinstance(part, Split):
                waiting += [(child, part) for child in reversed(part.parts)]

    def tabs(self) -> list[Tabs]:
        """Every place for panels."""
        return [part for part, _ in self.parts() if isinstance(part, Tabs)]

    @property
    def names(self) -> list[str]:
        """Every panel."""
        return [name for tabs in self.tabs() for name in tabs.panels]

    def below(self) -> set[str]:
        """The panels below the canvas."""
        parents = dict(self.parts())
        part: Part = next(part for part in parents if isinstance(part, Middle))
        found: set[str] = set()
        while (split := parents[part]) is not None:
            if split.upright:
                after = split.parts[split.parts.index(part) + 1 :]
                found |= {name for other in after for tabs in _leaves(other) for name in tabs.panels}
            part = split
        return found

    def home(self, name: str) -> Tabs | None:
        """Where a panel lies, or would lie if it did not float."""
        return next((tabs for tabs in self.tabs() if name in tabs.panels), None)

    def float_of(self, name: str) -> Float | None:
        """The window of a panel that floats."""
        return next((one for one in self.floats if name in one.panels), None)

    def fit(self, width: int, height: int) -> None:
        """Share out a window of another size as the last was; one that grows gives no more than at first."""
        for split, _ in self.parts():
            if not isinstance(split, Split) or not holds_middle(split):
                continue
            before, now = (self.extent[split.upright], (width, height)[split.upright])
            if not before or ALIKE <= now / before <= 1 / ALIKE:
                continue
            middle = next(place for place, part in enumerate(split.parts) if holds_middle(part))
            for place, part in enumerate(split.parts):
                if place != middle:
                    side = SIDES[2 * split.upright + (place > middle)]
                    most = max(part.size, DEFAULT_SIZES[side])
                    part.size = max(1, min(round(part.size * now / before), most))
        self.extent = (width, height)

    # Putting panels somewhere else

    def put_with(self, names: Sequence[str], goal: Tabs | Float, place: int | None = None) -> None:
        """Make panels tabs beside others: from `place` on, or at the end."""
        before = goal.panels[:place] if place is not None else goal.panels
        place = sum(name not in names for name in before)
        if isinstance(goal, Tabs):
            self._take(names)
        else:
            self._unfloat(names, but=goal)
        rest = [name for name in goal.panels if name not in names]
        goal.panels[:] = [*rest[:place], *names, *rest[place:]]
        goal.front = names[0] if goal.front not in names else goal.front
        self._tidy()

    def put_beside(self, names: Sequence[str], goal: Part, side: Side, size: int = 0, extent: int = 0) -> None:
        """Put panels at a side of a part.

        Args:
            names: the panels; the first is in front.
            goal: the part; the root is the edge of the window.
            side: which side of it.
            size: the pixels that the panels get.
            extent: the pixels that the part has along that side now, of which `size` is taken; 0 shares equally.
        """
        if isinstance(goal, Tabs) and set(goal.panels) <= set(names):
            self._unfloat(names)
            return
        self._take(names)
        size = size or DEFAULT_SIZES[side]
        new = Tabs(list(names), names[0], size)
        upright, first = side in ("above", "below"), side in ("left", "above")
        parent = next((split for part, split in self.parts() if part is goal), None)
        if isinstance(goal, Split) and goal.upright == upright:
            goal.parts.insert(0 if first else len(goal.parts), new)
        elif parent is not None and parent.upright == upright:
            parent.parts.insert(parent.parts.index(goal) + (not first), new)
            goal.size = max(1, extent - size) if extent else goal.size
        else:
            around = Split(upright, [new, goal] if first else [goal, new], goal.size)
            if parent is None:
                self.root = around
            else:
                parent.parts[parent.parts.index(goal)] = around
            goal.size = max(1, extent - size) if extent else size
        self._tidy()

    def put_at(self, names: Sequence[str], side: Side) -> None:
        """Move panels to a side as a menu would: below what lies there already, as tabs among the readings."""
        beside = self._beside_middle(side, names)
        if beside is None:
            self.put_beside(names, self.root, side)
        elif isinstance(beside, Tabs) and side == "below":
            self.put_with(names, beside)
        elif side == "below" and isinstance(beside, Split):
            self.put_with(names, next(part for part in _leaves(beside) if not set(part.panels) <= set(names)))
        else:
            column = beside.parts if isinstance(beside, Split) else []
            self.put_beside(names, beside, "below", sum(part.size for part in column) // max(1, len(column)))

    def float(self, names: Sequence[str], rect: tuple[int, int, int, int]) -> None:
        """Give panels a window of their own."""
        self._unfloat(names)
        self.floats.append(Float(list(names), rect, names[0]))

    def dock(self, names: Sequence[str]) -> None:
        """Put panels that float back to where they were."""
        self._unfloat(names)
        for name in names:
            home = self.home(name)
            if home is not None:
                home.front = name

    def add(self, name: str, beside: Sequence[str], side: Side) -> None:
        """Find a place for a panel that has none: with the first of others that is there, or at a side."""
        if self.home(name) is not None:
            return
        home = next((tabs for other in beside if (tabs := self.home(other)) is not None), None)
        if home is not None:
            home.panels.append(name)
        else:
            self.put_beside([name], self.root, side)

    def _beside_middle(self, side: Side, but: Sequence[str]) -> Part | None:
        """The nearest part at a side of the canvas that has panels other than these."""
        parents = dict(self.parts())
        part: Part = next(part for part in parents if isinstance(part, Middle))
        upright, first = side in ("above", "below"), side in ("left", "above")
        while (split := parents[part]) is not None:
            if split.upright == upright:
                place = split.parts.index(part)
                others = split.parts[:place][::-1] if first else split.parts[place + 1 :]
                for other in others:
                    if any(not set(tabs.panels) <= set(but) for tabs in _leaves(other)):
                        return other
            part = split
        return None

    def _take(self, names: Sequence[str]) -> None:
        self._unfloat(names)
        for tabs in self.tabs():
            tabs.panels[:] = [name for name in tabs.panels if name not in names]

    def _unfloat(self, names: Sequence[str], but: Float | None = None) -> None:
        for one in self.floats:
            one.panels[:] = [name for name in one.panels if name not in names]
        self.floats[:] = [one for one in self.floats if one.panels or one is but]

    def _tidy(self) -> None:
        """Drop what is empty, and splits that split nothing."""
        self.root = _tidied(self.root)


def _leaves(part: Part) -> Iterator[Tabs]:
    if isinstance(part, Tabs):
        yield part
    elif isinstance(part, Split):
        for child in part.parts:
            yield from _leaves(child)


def holds_middle(part: Part) -> bool:
    """Whether the canvas lies in a part."""
    return isinstance(part, Middle) or (isinstance(part, Split) and any(map(holds_middle, part.parts)))


def _tidied(part: Part) -> Part:
    if not isinstance(part, Split):
        return part
    parts: list[Part] = []
    for child in map(_tidied, part.parts):
        if isinstance(child, Split) and child.upright == part.upright:
            parts += child.parts
        elif not (isinstance(child, Tabs) and not child.panels) and not (isinstance(child, Split) and not child.parts):
            parts.append(child)
    if len(parts) == 1:
        parts[0].size = part.size
        return parts[0]
    part.parts[:] = parts
    return part


def default(width: int, height: int) -> Layout:
    """Palette and outline at the left, properties at the right, the readings below, in a window of some size."""
    outline, palette = round(height * OUTLINE_SHARE), min(PALETTE_WIDTH, round(width * PALETTE_SHARE))
    left: Part = Split(True, [Tabs(["palette"], size=height - outline), Tabs(["outline"], size=outline)], palette)
    low = height < LOW
    if low:
        left = Tabs(["palette", "outline"], size=palette)
    properties = Tabs(["properties"], size=min(PROPERTIES_WIDTH, round(width * SHARE)))
    readings = Tabs(list(READINGS), size=min(READINGS_HEIGHT, round(height * (LOW_SHARE if low else SHARE))))
    middle = Split(True, [Split(False, [Middle(), properties]), readings])
    return Layout(Split(False, [left, middle]), extent=(width, height))


def share(length: int, parts: Sequence[tuple[int, int, bool]]) -> list[int]:
    """How parts share a length.

    Args:
        length: the pixels there are.
        parts: what each wants, its least, and whether it takes what the others leave.

    Returns:
        The pixels of each; they are `length` together.
    """
    least = [max(0, low) for _, low, _ in parts]
    if sum(least) >= length:
        return _exactly(length, [length * low / max(1, sum(least)) for low in least])
    greedy = next((place for place, part in enumerate(parts) if part[2]), None)
    wanted = [max(want, low) for (want, _, _), low in zip(parts, least, strict=True)]
    if greedy is not None:
        others = sum(wanted) - wanted[greedy]
        wanted[greedy] = max(least[greedy], length - others)
        if sum(wanted) == length:
            return wanted
    given: dict[int, float] = {} if greedy is None else {greedy: least[greedy]}
    while True:  # in proportion, but for those that would get too little
        left = [place for place in range(len(parts)) if place not in given]
        scale = (length - sum(given.values())) / max(1, sum(wanted[place] for place in left))
        short = [place for place in left if wanted[place] * scale < least[place]]
        if not short:
            break
        given |= {place: least[place] for place in short}
    return _exactly(length, [given.get(place, want * scale) for place, want in enumerate(wanted)])


def _exactly(length: int, sizes: Sequence[float]) -> list[int]:
    """Whole pixels that are `length` together."""
    ends, total = [], 0.0
    for size in sizes:
        total += size
        ends.append(round(total))
    ends[-1] = length
    return [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]
