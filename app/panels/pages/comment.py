"""The page of one frame or note: its words, its colour, and what a frame carries."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from app.note_text import note_height
from app.panels.pages.marks import MarksSection
from app.panels.pages.page import Head, Page
from app.widgets.text import label
from app.workspace import Workspace
from graph import comments
from graph.comments import FRAME, LONGEST, NOTE, Comment
from graph.tidying import measured

LONGEST_TITLE = 200


class CommentPage(Page):
    """One selected frame or note."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.id = ""
        self.head = Head("Title of the frame")
        self.head.retitled.connect(self._retitle)
        self.heading = label("Note", "heading")
        self.text = _Lines()
        self.text.setAccessibleName("Text of the note")
        self.text.setToolTip("What the note says; Markdown is set as such. Esc leaves it as it was")
        self._before: Comment | None = None
        self._gesture: object = object()
        self.text.begun.connect(self._begin)
        self.text.typed.connect(self._write)
        self.text.dismissed.connect(self._dismiss)
        self.hint = label("Markdown: *slanted*, **bold**, lists with a dash.", "faint", wrap=True)
        self.marks = MarksSection()
        self.marks.coloured.connect(self._colour)
        self.contents = QPushButton("Select what is inside")
        self.contents.setProperty("role", "small")
        self.contents.setToolTip("Select the blocks and notes that move with this frame")
        self.contents.clicked.connect(self._select_contents)
        for widget in (self.head, self.heading, self.text, self.hint):
            self.column.addWidget(widget)
        self.column.addWidget(self.contents, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self.marks)
        self.column.addStretch(1)

    @property
    def comment(self) -> Comment:
        """The frame or note that is shown."""
        return self.session.document.level(self.session.at).comments[self.id]

    def refresh(self) -> None:
        (id,) = self.session.comments
        if id != self.id:
            self.id, self._before = id, None
            self.text.forget()
        comment = self.comment
        is_frame = comment.kind == FRAME
        nodes, notes = self._inside()
        for widget, wanted in (
            (self.head, is_frame), (self.contents, is_frame), (self.heading, not is_frame),
            (self.text, comment.kind == NOTE), (self.hint, comment.kind == NOTE),
        ):  # fmt: skip
            widget.setVisible(wanted)
        if is_frame:
            self.head.show_head(comment.text, "Frame", _summary(len(nodes), len(notes)))
            self.contents.setEnabled(bool(nodes or notes))
        else:
            self.heading.setText("Note" if comment.kind == NOTE else f"A {comment.kind}, which a newer version draws")
            self.text.show_text(comment.text)
        self.marks.show_marks((), (comment.colour,))

    def _inside(self) -> tuple[list[str], list[str]]:
        """The nodes, and the frames and notes, that lie inside the frame."""
        session, comment = self.session, self.comment
        level = session.document.level(session.at)
        boxes = measured(level, session.report.level(session.at))
        rects = {
            id: (x, y, x + boxes[id].width, y + boxes[id].height)
            for id, node in level.nodes.items()
            for x, y in (node.position,)
        }
        others = {id: other.rect for id, other in level.comments.items() if id != comment.id}
        return comments.inside(comment, rects), comments.inside(comment, others)

    def _retitle(self, text: str, gesture: object) -> None:
        words = " ".join(text.split())[:LONGEST_TITLE] or "Frame"
        self.do(comments.change(self.session.at, [self.comment.with_(text=words)], "Write", "write"), gesture)

    def _begin(self) -> None:
        """A visit to the text begins: what it changes is one step, and Escape goes back to here."""
        self._before, self._gesture = self.comment, object()

    def _write(self, text: str) -> None:
        comment, words = self.comment, text.strip()[:LONGEST]
        wide, high = comment.size
        changed = comment.with_(text=words, size=(wide, max(high, note_height(words, wide))))
        self.do(comments.change(self.session.at, [changed], "Write", "write"), self._gesture)

    def _dismiss(self) -> None:
        before = self._before
        if before is not None and before.id == self.id and before != self.comment:
            self.do(comments.change(self.session.at, [before], "Write", "write"), self._gesture)
            self.text.forget()
            self.text.show_text(before.text)

    def _colour(self, name: str) -> None:
        self.do(comments.change(self.session.at, [self.comment.with_(colour=name)], "Colour"))

    def _select_contents(self) -> None:
        self.session.select(*self._inside())


class _Lines(QPlainTextEdit):
    """Lines to type in.

    Signals:
        begun: it has the keyboard; typed: carries the whole text; dismissed: Escape was pressed.
    """

    begun = Signal()
    typed = Signal(str)
    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setMinimumHeight(120)
        self.setPlaceholderText("Empty note")
        self._given: str | None = None
        self._shows = False
        self.textChanged.connect(self._type)

    def show_text(self, text: str) -> None:
        """The words of the note; what is being typed stays as it is."""
        if text == self._given or text == self.toPlainText():
            return
        self._shows, self._given = True, None
        self.setPlainText(text)
        self._shows = False

    def forget(self) -> None:
        """Nothing is being typed any more."""
        self._given = None

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.begun.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismissed.emit()
        else:
            super().keyPressEvent(event)

    def _type(self) -> None:
        if not self._shows:
            self._given = self.toPlainText().strip()
            self.typed.emit(self.toPlainText())


def _summary(nodes: int, notes: int) -> str:
    parts = [f"{nodes} block{'' if nodes == 1 else 's'}"] if nodes else []
    parts += [f"{notes} note{'' if notes == 1 else 's'}"] if notes else []
    if not parts:
        return "Nothing lies inside; what does moves with it."
    return f"{' and '.join(parts)} inside, which {'move' if nodes + notes > 1 else 'moves'} with it."
