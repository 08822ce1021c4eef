"""A whole document in the place of another, as one step: what reading a file again is."""

from __future__ import annotations

from dataclasses import dataclass, field

from graph.commands import Command
from graph.document import Document

_PARTS = ("title", "seed", "variables", "weights", "template", "extra", "top")


@dataclass(frozen=True)
class Replace:
    """Let a document be as another one is; the other is not to be used any more."""

    by: Document
    label: str = "Reload"
    merge_key: None = field(default=None, repr=False)

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        before = Document()
        for part in _PARTS:
            setattr(before, part, getattr(document, part))
            setattr(document, part, getattr(self.by, part))
        return Replace(before, self.label)
