"""Frames around nodes and notes beside them: what people write on a drawing. No model knows of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph.commands import Command
    from graph.document import Document, Level, Path

FRAME, NOTE = "frame", "note"
TITLE = 28.0
"""The height of a frame's title, which is what one takes hold of."""
AIR = 20.0
"""Between a frame and the nodes that it is put around."""
LEAST = {FRAME: (120.0, 60.0), NOTE: (80.0, 36.0)}
LONGEST = 20_000
"""Characters of a text."""
LARGEST = 1e6

Rect = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True)
class Comment:
    """A frame, whose text is its title, or a note.

    Args:
        id: its name on its level.
        kind: "frame" or "note"; one of another kind, from a newer version, is kept and not drawn.
        text: what is written on it; that of a note may be Markdown.
        position: top left corner in canvas units.
        size: width and height.
        colour: the name of a colour tag, or empty.
        extra: keys of the file that this version does not know.
    """

    id: str
    kind: str
    text: str = ""
    position: tuple[float, float] = (0.0, 0.0)
    size: tuple[float, float] = (240.0, 120.0)
    colour: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def rect(self) -> Rect:
        """Where it lies."""
        x, y = self.position
        return x, y, x + self.size[0], y + self.size[1]

    def with_(self, **changes: Any) -> Comment:
        """The same with some fields changed."""
        return replace(self, **changes)

    def moved(self, dx: float, dy: float) -> Comment:
        """The same elsewhere."""
        return replace(self, position=(self.position[0] + dx, self.position[1] + dy))

    def resized(self, left: float, top: float, right: float, bottom: float) -> Comment:
        """The same with its sides elsewhere, no smaller than it may be."""
        wide, high = LEAST.get(self.kind, (80.0, 36.0))
        return replace(self, position=(left, top), size=(max(wide, right - left), max(high, bottom - top)))


@dataclass(frozen=True)
class Annotate:
    """Put, change or take away frames and notes of a level: id → what it is to be, or None.

    `order` is how all of them lie over each other afterwards, for the inverse of taking one away.
    """

    at: Path
    changes: Mapping[str, Comment | None]
    label: str = "Change a note"
    merge_key: tuple[Any, ...] | None = None
    order: tuple[str, ...] = ()

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        before = {id: level.comments.get(id) for id in self.changes}
        kept = {id: self.changes.get(id, old) for id, old in level.comments.items()}
        kept |= self.changes
        order = tuple(level.comments)
        names = [*(id for id in self.order if id in kept), *(id for id in kept if id not in self.order)]
        level._annotate({id: comment for id in names if (comment := kept[id]) is not None})
        return Annotate(self.at, before, self.label, self.merge_key, order)


def fresh_id(level: Level, kind: str, taken: Iterable[str] = ()) -> str:
    """A name that no comment of the level has: frame, frame_2 ..."""
    used = {*level.comments, *taken}
    count = 1
    while (f"{kind}_{count}" if count > 1 else kind) in used:
        count += 1
    return f"{kind}_{count}" if count > 1 else kind


def frame_around(level: Level, bounds: Rect, grid: int = 4) -> Comment:
    """A frame around a rectangle, with air and a title."""
    left, top, right, bottom = bounds
    x, y = math.floor((left - AIR) / grid) * grid, math.floor((top - AIR - TITLE) / grid) * grid
    wide, high = math.ceil((right + AIR - x) / grid) * grid, math.ceil((bottom + AIR - y) / grid) * grid
    return Comment(fresh_id(level, FRAME), FRAME, "Frame", (float(x), float(y)), (float(wide), float(high)))


def inside(frame: Comment, rects: Mapping[str, Rect]) -> list[str]:
    """Which of some rectangles lie inside a frame."""
    left, top, right, bottom = frame.rect
    return [id for id, (x, y, r, b) in rects.items() if x >= left and y >= top and r <= right and b <= bottom]


def change(at: Path, comments: Iterable[Comment], verb: str, key: str = "") -> Annotate:
    """The edit after which some comments are as given; with a key the edits of one gesture become one step."""
    after = {comment.id: comment for comment in comments}
    what = _spoken(list(after.values()))
    return Annotate(at, after, f"{verb} {what}", (key, at, frozenset(after)) if key else None)


def remove(level: Level, at: Path, ids: Iterable[str]) -> Annotate:
    """The edit that takes comments away."""
    gone = [level.comments[id] for id in ids if id in level.comments]
    return Annotate(at, {comment.id: None for comment in gone}, f"Delete {_spoken(gone)}")


def pasted(level: Level, at: Path, comments: Iterable[Comment], dx: float, dy: float) -> Annotate:
    """The edit that puts copies of comments onto a level, moved, under fresh names."""
    copies: dict[str, Comment | None] = {}
    for comment in comments:
        id = fresh_id(level, comment.kind if comment.kind in (FRAME, NOTE) else NOTE, copies)
        copies[id] = comment.moved(dx, dy).with_(id=id)
    return Annotate(at, copies, f"Paste {len(copies)} notes" if len(copies) > 1 else "Paste a note")


def _spoken(comments: list[Comment]) -> str:
    if len(comments) == 1:
        return f"the {comments[0].kind}"
    return f"{len(comments)} notes"
