"""The code panel: the drawing as one PyTorch file, always up to date."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.panels.bottom import BottomPanel
from app.panels.inside.highlight import PythonHighlighter
from app.widgets.text import ElidedLabel
from app.workspace import Workspace
from graph.files import FileError, write_atomically

SAID = 2000
"""Milliseconds for which the panel says that something was copied."""


class Code(BottomPanel):
    """The file that an export would write."""

    name = "code"
    title = "Code"
    rank = 40

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.text = ""
        self._session_shown = 0
        self.source = self.question("source", delay=400)
        self.source.answered.connect(self._take)
        self.source.failed.connect(lambda _sentence: self._show())
        self.editor = QPlainTextEdit()
        self.editor.setProperty("role", "code")
        self.editor.setReadOnly(True)
        self.editor.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.editor.setTabChangesFocus(True)
        self.editor.setAccessibleName("PyTorch code of the drawing")
        self.editor.setFont(theme.font(theme.TEXT_SMALL, mono=True))
        self._highlighter = PythonHighlighter(self.editor.document())
        self._theme = theme.current().name
        self.note = ElidedLabel("", "faint")
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the whole file")
        self.copy.clicked.connect(self._copy)
        self.save = QPushButton("Save…")
        self.save.setToolTip("Write the file, without weights")
        self.save.clicked.connect(self._save)
        for button in (self.copy, self.save):
            button.setProperty("role", "small")
            button.setAccessibleName(f"{button.text().rstrip('…')} the code")
        self._said = QTimer(self)
        self._said.setSingleShot(True)
        self._said.timeout.connect(self._show_note)
        head = QHBoxLayout()
        head.setContentsMargins(theme.SPACE_4, theme.SPACE_2, theme.SPACE_4, theme.SPACE_1)
        head.setSpacing(theme.SPACE_2)
        head.addWidget(self.note, 1)
        head.addWidget(self.copy)
        head.addWidget(self.save)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        inset = QHBoxLayout()
        inset.setContentsMargins(theme.SPACE_4 - theme.SPACE_1, 0, 0, 0)
        inset.addWidget(self.editor)
        layout.addLayout(inset, 1)

    def refresh(self) -> None:
        if id(self.session) != self._session_shown:
            self._session_shown = id(self.session)
            self.text = ""
            self.source.forget()
        if theme.current().name != self._theme:
            self._theme = theme.current().name
            self._highlighter.recolour()
        if self.session.report.valid:
            self.source.ask()
        else:
            self.source.drop()
        self._show()

    def _show(self) -> None:
        report = self.session.report
        if not report.valid:
            first = next(issue for issue in report.issues if issue.severity == "error")
            errors = sum(issue.severity == "error" for issue in report.issues)
            more = f" ({errors - 1} more in Problems.)" if errors > 1 else ""
            self.show_empty(f"There is no code while the drawing has errors. {first}{more}".replace("`", ""))
        elif self.source.sentence:
            self.show_empty(self.source.sentence)
        elif not self.text:
            self.show_empty("Writing…")
        else:
            self.show_body()
            self._show_text()

    def _show_text(self) -> None:
        """Put the text in, and leave the view and the selection where they were."""
        if self.text != self.editor.toPlainText():
            across, down = self.editor.horizontalScrollBar().value(), self.editor.verticalScrollBar().value()
            self.editor.setPlainText(self.text)
            self.editor.horizontalScrollBar().setValue(across)
            self.editor.verticalScrollBar().setValue(down)
        if not self._said.isActive():
            self._show_note()

    def _show_note(self) -> None:
        lines = self.text.count("\n")
        self.note.setText(f"{lines} lines of ordinary PyTorch; needs no Blockwright")

    def _say(self, sentence: str) -> None:
        self.note.setText(sentence)
        self._said.start(SAID)

    def _take(self, data: Any) -> None:
        self.text = str(data["code"])
        self._show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self._say("Copied.")

    def _save(self) -> None:
        folder = self.session.path.parent if self.session.path else FilePath()
        path, _ = QFileDialog.getSaveFileName(
            self, "Save the code", str(folder / f"{self.session.title}.py"), "Python (*.py)"
        )
        if not path:
            return
        file = FilePath(path) if path.endswith(".py") else FilePath(f"{path}.py")
        try:
            write_atomically(file, self.text.encode())
        except FileError as error:
            self.workspace.failed.emit("The code was not saved", str(error))
            return
        self._say(f"Saved as {file.name}.")
