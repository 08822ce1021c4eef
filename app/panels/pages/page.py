"""What the pages share: the head with its title and help, and the card of an issue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.panels.pages.form import without_repair
from app.panels.pages.help import HelpPage, has_help
from app.session import Session
from app.widgets.field import Field
from app.widgets.icons import IconButton
from app.widgets.text import label
from app.workspace import Workspace
from blocks.spec import Block
from graph.commands import Command
from graph.issues import Issue


class Page(QWidget):
    """A page of the properties panel; it shows the workspace's session and writes to it."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(theme.SPACE_4, theme.SPACE_2, theme.SPACE_4, theme.SPACE_4)
        self.column.setSpacing(theme.SPACE_3)

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return self.workspace.session

    def refresh(self) -> None:
        """Show what the session says now."""
        raise NotImplementedError

    def keep_free(self, width: int) -> None:
        """Let a scroll bar stand in the margin, so that nothing moves when it comes."""
        margins = self.column.contentsMargins()
        margins.setRight(max(theme.SPACE_1, theme.SPACE_4 - width))
        self.column.setContentsMargins(margins)

    def do(self, command: Command, gesture: object | None = None) -> bool:
        """Make an edit."""
        return self.session.do(command, gesture)


class Head(QWidget):
    """The title, which can be typed over, one line on what it is, and the help page behind a button.

    `retitled` carries the text and the token of the visit.
    """

    retitled = Signal(str, object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gesture: object = object()
        self._fallback = ""
        self._given: str | None = None  # what was typed in this visit, however it is written
        self.title = Field(mono=False)
        self.title.setProperty("role", "title")
        self.title.setAccessibleName(name)
        self.title.setToolTip(f"{name}; type to change it")
        self.title.setMaxLength(200)
        self.title.setTextMargins(-2, 0, 0, 0)  # as far left as the line below
        self.title.textEdited.connect(self._type)
        self.title.begun.connect(self._begin)
        self.title.ended.connect(self._end)
        self.button = IconButton("circle-question-mark", "Show the help page")
        self.button.setCheckable(True)
        self.button.toggled.connect(self._toggle)
        self.summary = label("", "muted", wrap=True)
        self.help = HelpPage()
        self.help.hide()
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(theme.SPACE_1)
        line.addWidget(self.title, 1)
        line.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addLayout(line)
        layout.addWidget(self.summary)
        layout.addWidget(self.help)

    def show_head(self, title: str, fallback: str, summary: str, block: type[Block] | None = None) -> None:
        """The title (or what stands for it), the line below, and the help page of a block."""
        shown = title or fallback
        if title != self._given and shown != self.title.text():
            self._given = None
            self.title.setText(shown)
            self.title.setCursorPosition(0)
        self.title.setPlaceholderText(fallback)
        self._fallback = fallback
        self.summary.setText(summary)
        self.summary.setVisible(bool(summary))
        self.button.setVisible(has_help(block))
        if not has_help(block):
            self.button.setChecked(False)
        self.help.show_block(block)

    def _begin(self) -> None:
        self._gesture = object()

    def _type(self, text: str) -> None:
        """The words that stand there anyway are no title of its own."""
        words = text.strip()
        self._given = "" if words == self._fallback else words
        self.retitled.emit(self._given, self._gesture)

    def _end(self) -> None:
        self._given = None
        if not self.title.text().strip():
            self.title.setText(self._fallback)
        self.title.setCursorPosition(0)

    def _toggle(self, shown: bool) -> None:
        self.help.setVisible(shown)
        self.button.show_icon("circle-question-mark", "Hide the help page" if shown else "Show the help page", "muted")


class IssueCard(QFrame):
    """An issue of an input, in words, with its repair; `repaired` says that the repair was accepted."""

    repaired = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.where = label("", "section", wrap=True)
        self.message = label("", "muted", wrap=True)
        self.button = QPushButton()
        self.button.setProperty("role", "link")
        self.button.clicked.connect(self.repaired)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.SPACE_3, theme.SPACE_2, theme.SPACE_3, theme.SPACE_2)
        layout.setSpacing(theme.SPACE_1)
        layout.addWidget(self.where)
        layout.addWidget(self.message)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignRight)

    def show_issue(self, issue: Issue | None) -> None:
        """The issue, or nothing."""
        self.setVisible(issue is not None)
        if issue is None:
            return
        self.setProperty("tone", issue.severity)
        self.style().unpolish(self)
        self.style().polish(self)
        self.where.setText(issue.where)
        self.message.setText(without_repair(issue))
        self.button.setVisible(issue.repair is not None)
        if issue.repair is not None:
            self.button.setText(issue.repair.label.replace("`", ""))
            self.button.setAccessibleName(self.button.text())
            self.button.setToolTip(f"Mend it: {self.button.text()}")


def several(values: Sequence[Any]) -> bool:
    """Whether they are not all the same."""
    return any(value != values[0] for value in values[1:])
