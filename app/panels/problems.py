"""The problems panel: what validation says, each with the way to the node and the repair."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app import theme
from app.icons import pixmap
from app.panels.bottom import BottomPanel
from app.symbols import of_state
from app.widgets.text import label
from app.workspace import Workspace
from graph.issues import Issue

MOST = 200
"""Rows that are shown; a drawing with more has one cause for most of them."""


class Problems(BottomPanel):
    """Every issue of the drawing, errors first."""

    name = "problems"
    title = "Problems"
    rank = 50

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.rows: list[IssueRow] = []
        self._issues: tuple[Issue, ...] = ()
        self._list = QWidget()
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(theme.SPACE_2, theme.SPACE_2, theme.SPACE_2, theme.SPACE_2)
        self._column.setSpacing(2)
        self._more = label("", "faint")
        self._more.setContentsMargins(theme.SPACE_2, theme.SPACE_1, 0, 0)
        self._column.addWidget(self._more)
        self._column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._list)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        self._area = area

    def badge(self) -> str:
        count = len(self.session.report.issues)
        return str(count) if count and self.session.document.top.nodes else ""

    def refresh(self) -> None:
        issues = self.session.report.issues
        if not issues or not self.session.document.top.nodes:
            self._issues = ()
            self.show_empty("No problems." if not issues else "Nothing is drawn yet.")
            return
        self.show_body()
        if issues == self._issues:
            return
        self._issues = issues
        focused = next((place for place, row in enumerate(self.rows) if row.hasFocus()), None)
        shown = issues[:MOST]
        while len(self.rows) < len(shown):
            row = IssueRow()
            row.chosen.connect(self._go)
            row.repaired.connect(self._repair)
            row.moved.connect(lambda step, row=row: self._move(row, step))
            self._column.insertWidget(len(self.rows), row)
            row.show()
            self.rows.append(row)
        for row in self.rows[len(shown) :]:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        del self.rows[len(shown) :]
        for row, issue in zip(self.rows, shown, strict=True):
            row.show_issue(issue)
        more = len(issues) - len(shown)
        self._more.setText(f"and {more} more")
        self._more.setVisible(more > 0)
        if focused is not None and self.rows:
            self.rows[min(focused, len(self.rows) - 1)].setFocus()

    def _go(self, issue: Issue) -> None:
        if issue.path:
            self.session.show(issue.path)
        else:
            self.session.select([])

    def _repair(self, issue: Issue) -> None:
        if issue.repair is not None:
            self.session.do(issue.repair.command)

    def _move(self, row: IssueRow, step: int) -> None:
        place = self.rows.index(row) + step
        if 0 <= place < len(self.rows):
            self.rows[place].setFocus()
            self._area.ensureWidgetVisible(self.rows[place])


class IssueRow(QFrame):
    """One issue.

    Signals:
        chosen: it was clicked, or Return pressed on it.
        repaired: its repair was asked for.
        moved: an arrow key leads to another row; carries +1 or -1.
    """

    chosen = Signal(object)
    repaired = Signal(object)
    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.issue: Issue | None = None
        self.setProperty("role", "issue")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.mark = QLabel()
        self.mark.setFixedSize(16, 16)
        self.where = label("", "section")
        self.message = label("", "muted", wrap=True)
        self.button = QPushButton()
        self.button.setProperty("role", "small")
        self.button.clicked.connect(lambda: self.repaired.emit(self.issue))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.where)
        words.addWidget(self.message)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.SPACE_2, theme.SPACE_1 + 2, theme.SPACE_2, theme.SPACE_1 + 2)
        layout.setSpacing(theme.SPACE_2)
        layout.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_issue(self, issue: Issue) -> None:
        """What the row is about."""
        self.issue = issue
        colour = getattr(theme.current(), issue.severity)
        self.mark.setPixmap(pixmap(of_state(issue.severity), colour, 16, self.devicePixelRatioF()))
        self.mark.setAccessibleName(issue.severity)
        self.where.setText(f"{issue.where[:1].upper()}{issue.where[1:]}")
        text = issue.message.replace("`", "")
        repair = issue.repair.label.replace("`", "") if issue.repair else ""
        self.message.setText(text.removesuffix(f" {repair}?") if repair else text)
        self.button.setText(repair)
        self.button.setVisible(bool(repair))
        self.button.setAccessibleName(f"{repair}, to mend {issue.where}")
        self.button.setToolTip(f"{repair}; can be undone")
        place = "/".join(issue.path)
        self.setToolTip(f"Go to {place}" if place else "")
        self.setAccessibleName(f"{issue.severity}: {issue.where}. {self.message.text()}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setFocus()
            self.chosen.emit(self.issue)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.issue)
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)
