"""One colour for all that is selected: nodes, frames and notes."""

from __future__ import annotations

from collections.abc import Collection

from graph import comments
from graph.commands import Command, Sequence
from graph.document import Document, EditError, Path
from graph.marking import tag


def colour_all(document: Document, at: Path, ids: Collection[str], notes: Collection[str], colour: str) -> Command:
    """Give nodes, frames and notes a colour tag, or none with an empty name, as one step.

    Raises:
        EditError: nothing is selected, or there is no such tag.
    """
    level = document.level(at)
    written = [level.comments[id].with_(colour=colour) for id in sorted(notes) if id in level.comments]
    steps: list[Command] = [tag(document, at, ids, colour)] if ids else []
    if written:
        steps.append(comments.change(at, written, "Colour" if colour else "Take the colour off"))
    if not steps:
        raise EditError("nothing is selected")
    label = f"Colour {len(ids) + len(written)} things"
    return steps[0] if len(steps) == 1 else Sequence(tuple(steps), label)
