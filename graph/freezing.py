"""A document as it is now, to be read later: edits replace nodes, so that only the tables have to be copied."""

from __future__ import annotations

from graph.document import Document, Level, Node, Wire


def frozen(document: Document) -> Document:
    """The document as it is now; to be read by `graph.files`, in another thread if need be, and not to be edited."""
    copy = Document(document.title)
    for part in ("seed", "variables", "weights", "template", "extra", "revision"):
        setattr(copy, part, getattr(document, part))
    copy.top = _FrozenLevel(document.top)
    return copy


class _FrozenLevel(Level):
    """The nodes and wires of a level at one moment."""

    def __init__(self, level: Level) -> None:
        super().__init__()
        self._nodes = {id: node if node.level is None else _frozen_group(node) for id, node in level.nodes.items()}
        self.extra, self.comments = level.extra, level.comments
        self._wires = level.wires()

    def wires(self) -> list[Wire]:
        """All wires, by target and order."""
        return self._wires


def _frozen_group(node: Node) -> Node:
    assert node.level is not None
    return node.with_(level=_FrozenLevel(node.level))
