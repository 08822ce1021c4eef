"""A user's own blocks: groups kept as drawings, one a file, read with the same suspicion as any drawing.

A block's file is an ordinary drawing whose top level holds one group and nothing else, with the variables that it
needs; `summary` says what it is good for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any

from graph import clipboard, files
from graph.commands import AddNode, Command, Sequence, SetVariable
from graph.document import Document, EditError, Node, Path

SUFFIX = files.SUFFIX
LONGEST_TITLE, LONGEST_SUMMARY = 80, 300
MOST_BLOCKS = 1000


@dataclass(frozen=True)
class OwnBlock:
    """A group of the user's library.

    Args:
        file: where it lies.
        title: what the user calls it.
        summary: what it is good for, in a line.
        clip: the group as the text of a clipboard, to be pasted as a fresh one.
    """

    file: FilePath
    title: str
    summary: str
    clip: str

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return self.file.stem


@dataclass(frozen=True)
class Broken:
    """A file of the library that is no block, and why, in a sentence."""

    file: FilePath
    reason: str


def drawing_of(document: Document, path: Path, title: str, summary: str = "") -> Document:
    """A group as a drawing of its own: with the variables that it needs.

    Raises:
        EditError: it is no group.
    """
    node = document.node(path)
    if node.level is None:
        raise EditError("only a group can be kept as a block")
    title = " ".join(title.split())[:LONGEST_TITLE]
    if not title:
        raise EditError("a block needs a name")
    kept = Document(title)
    for name, value in clipboard.variables_of(document, node).items():
        SetVariable(name, value).apply(kept)
    AddNode((), clipboard.fresh_copy(node).with_(title=title, position=(0.0, 0.0))).apply(kept)
    words = " ".join(summary.split())[:LONGEST_SUMMARY]
    if words:
        kept.extra = MappingProxyType({"summary": words})
    return kept


def read(file: FilePath) -> OwnBlock:
    """Read a block.

    Raises:
        FileError: it is no drawing, or holds something else than one group.
    """
    document = files.load(file)
    nodes = list(document.top.nodes.values())
    if len(nodes) != 1 or not nodes[0].is_group:
        raise files.FileError(f"{file.name} holds {_contents(nodes)}, and a block is one group.")
    summary = document.extra.get("summary", "")
    if not isinstance(summary, str):
        raise files.FileError(f"{file.name}: its summary must be a text.")
    title = " ".join((document.title or nodes[0].title or file.stem).split())[:LONGEST_TITLE]
    return OwnBlock(
        file, title, " ".join(summary.split())[:LONGEST_SUMMARY], clipboard.copy(document, (), [nodes[0].id])
    )


def read_all(folder: FilePath) -> tuple[list[OwnBlock], list[Broken]]:
    """The blocks of a folder by title, and the files that are none with the reason."""
    found: list[OwnBlock] = []
    broken: list[Broken] = []
    try:
        names = sorted(file for file in folder.iterdir() if file.suffix == SUFFIX and not file.name.startswith("."))
    except OSError:
        return [], []
    for file in names[:MOST_BLOCKS]:
        try:
            found.append(read(file))
        except files.FileError as error:
            broken.append(Broken(file, str(error)))
    return sorted(found, key=lambda block: block.title.lower()), broken


def file_for(folder: FilePath, title: str) -> FilePath:
    """Where a block of that title lies or would lie."""
    name = re.sub(r"[^\w\-]+", "-", title.lower(), flags=re.ASCII).strip("-")[:60] or "block"
    return folder / f"{name}{SUFFIX}"


def retitled(file: FilePath, title: str, summary: str) -> Document:
    """The drawing of a block under another title.

    Raises:
        FileError: it cannot be read. EditError: the title will not do.
    """
    document = files.load(file)
    group = next((id for id, node in document.top.nodes.items() if node.is_group), "")
    return drawing_of(document, (group,), title, summary)


def _contents(nodes: list[Node]) -> str:
    if not nodes:
        return "nothing"
    return f"{len(nodes)} blocks" if len(nodes) > 1 else "a single block"


def brought(steps: Iterable[Command]) -> dict[str, Any]:
    """The variables that a block brings along, of the steps before it is put on a level."""
    return {step.name: step.value for step in steps if isinstance(step, SetVariable)}


def placing(document: Document, at: Path, clip: str) -> tuple[list[Command], Node]:
    """What to do before a block is put on a level (the variables that it brings along), and the fresh node.

    Raises:
        EditError: the text is no block.
    """
    command, _ = clipboard.paste(document, at, clip, (0.0, 0.0))
    steps = command.steps if isinstance(command, Sequence) else (command,)
    nodes = [step.node for step in steps if isinstance(step, AddNode)]
    if len(nodes) != 1:
        raise EditError("this is not one block")
    return [step for step in steps if isinstance(step, SetVariable)], nodes[0]
