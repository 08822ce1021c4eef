"""One open document: the drawing, its history, its report and what is selected. The only thing that widgets share.

Widgets listen to its signals and write back through `do`; no widget calls another. It needs no Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path as FilePath
from typing import ClassVar

from psygnal import Signal

from app.files.stamps import Stamp
from app.garbage import uncollected
from app.live import Live
from graph import files
from graph.commands import Command
from graph.document import Document, EditError, Path, Wire
from graph.history import History
from graph.interface import following
from graph.issues import NodeReport, Report
from graph.validate import Validator


class Session:
    """A document that is being edited.

    Signals:
        edited: the document has changed; `report` is up to date.
        selected: `selection`, `comments` or `wire` has changed.
        entered: another level is shown; `at` is its path.
        saved: `path` or `is_saved` has changed.
        refused: an edit was impossible; carries the sentence that says why.
        reveal: someone asks the canvas to bring a node into view; carries its path.
    """

    edited: ClassVar[Signal] = Signal()
    selected: ClassVar[Signal] = Signal()
    entered: ClassVar[Signal] = Signal()
    saved: ClassVar[Signal] = Signal()
    refused: ClassVar[Signal] = Signal(str)
    reveal: ClassVar[Signal] = Signal(tuple)

    def __init__(self, document: Document, path: FilePath | None = None) -> None:
        self.document = document
        self.path = path
        self.history = History(document)
        self.validator = Validator(document)
        self.stamp: Stamp | None = None
        """What the file held when it was read or written last."""
        self.live = Live()
        """Where its run is, and what the last one took."""
        self.at: Path = ()
        self.selection: frozenset[str] = frozenset()
        self.comments: frozenset[str] = frozenset()
        """The frames and notes that are selected, beside the nodes."""
        self.wire: Wire | None = None
        """The wire that is marked; nothing else is selected then."""

    @property
    def report(self) -> Report:
        """What validation says of the document as it is now."""
        return self.validator.report()

    @property
    def title(self) -> str:
        """The name to show: that of the file, else of the document."""
        return self.path.stem if self.path else self.document.title

    @property
    def is_saved(self) -> bool:
        """Whether everything is on disk."""
        return self.history.is_saved

    @property
    def is_blank(self) -> bool:
        """Whether nothing was ever drawn and no file stands behind it."""
        return self.path is None and not self.document.top.nodes and not self.history.can_undo

    @property
    def focus(self) -> Path | None:
        """The path of the one selected node, or None."""
        return (*self.at, next(iter(self.selection))) if len(self.selection) == 1 else None

    @property
    def focus_report(self) -> NodeReport | None:
        """What is known of the one selected node."""
        return self.report.node(self.focus) if self.focus else None

    @uncollected()
    def do(self, command: Command, gesture: object | None = None) -> bool:
        """Make an edit as one step of the history; an impossible one is refused in words and changes nothing.

        Args:
            command: what to do.
            gesture: the token of a drag or slider; its commands become one step.
        """
        try:
            self.history.do(following(self.document, command), gesture)
        except EditError as error:
            self.refused.emit(_sentence(str(error)))
            return False
        self._after_edit()
        return True

    def refuse(self, sentence: str) -> None:
        """Say why something that was asked for cannot be done."""
        self.refused.emit(_sentence(sentence))

    def undo(self) -> str | None:
        """Go one step back, with what that brings back selected; returns its name."""
        return self._step(self.history.undo)

    def redo(self) -> str | None:
        """Go one step forth again, with what that brings back selected; returns its name."""
        return self._step(self.history.redo)

    @uncollected()
    def go_to(self, place: int) -> None:
        """Go back or forth to the state after so many steps."""
        history = self.history
        moved = False
        while len(history.done) > place and history.undo() is not None:
            moved = True
        while len(history.done) < place and history.redo() is not None:
            moved = True
        if moved:
            self._after_edit()

    def select(self, ids: Iterable[str], comments: Iterable[str] = ()) -> None:
        """Select nodes of the level that is shown, and frames and notes beside them."""
        level = self.document.level(self.at)
        chosen = frozenset(id for id in ids if id in level)
        written = frozenset(id for id in comments if id in level.comments)
        wire = None if chosen or written else self.wire
        if (chosen, written, wire) != (self.selection, self.comments, self.wire):
            self.selection, self.comments, self.wire = chosen, written, wire
            self.selected.emit()

    def mark(self, wire: Wire | None) -> None:
        """Mark a wire of the level that is shown, in place of what is selected, or none."""
        if wire != self.wire:
            self.wire = wire
            if wire is not None:
                self.selection = self.comments = frozenset()
            self.selected.emit()

    def enter(self, at: Path) -> None:
        """Show another level, with nothing selected."""
        self.document.level(at)
        if at != self.at:
            self.at = at
            self.selection = self.comments = frozenset()
            self.wire = None
            self.entered.emit()
            self.selected.emit()

    def show(self, path: Path) -> None:
        """Go to a node wherever it is, select it and bring it into view."""
        if not path:
            return
        self.enter(path[:-1])
        self.select([path[-1]])
        self.reveal.emit(path)

    def save(self, path: FilePath | None = None) -> None:
        """Write the document to its file, or to another one that is its file from now on.

        Raises:
            FileError: the place cannot be written.
        """
        target = path or self.path
        if target is None:
            raise files.FileError("There is no file name yet.")
        content = files.to_text(self.document).encode()
        files.write_atomically(target, content)
        self.stamp = Stamp.of_content(content)
        self.path = target
        self.history.mark_saved()
        self.saved.emit()

    @uncollected()
    def _step(self, go: Callable[[], str | None]) -> str | None:
        before, at = self.document.level(self.at), self.at
        nodes, comments = set(before.nodes), set(before.comments)
        label = go()
        if label is None:
            return None
        self._after_edit()
        if self.at == at:
            level = self.document.level(at)
            back = [id for id in level.nodes if id not in nodes], [id for id in level.comments if id not in comments]
            if back[0] or back[1]:
                self.select(*back)
        return label

    def _after_edit(self) -> None:
        """Leave a level or selection that is no longer there, then tell everyone."""
        at = self.at
        while at:
            try:
                self.document.level(at)
                break
            except EditError:
                at = at[:-1]
        if at != self.at:
            self.enter(at)
        level = self.document.level(self.at)
        gone = (self.selection - level.nodes.keys()) | (self.comments - level.comments.keys())
        wire = self.wire
        if wire is not None and (wire.target not in level or wire not in level.incoming(wire.target)):
            self.wire = None
        self.edited.emit()
        self.saved.emit()
        if gone:
            self.select(self.selection, self.comments)
        elif wire is not self.wire:
            self.selected.emit()


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
