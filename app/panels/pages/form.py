"""A form of parameters: a row each, made when it is first shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app import theme
from app.editors.base import Setting
from app.editors.row import ParamRow
from blocks.spec import Param
from graph.commands import UNSET
from graph.issues import Issue

SHORT = 8
"""A form of so many rows shows them all."""


class Form(QWidget):
    """A row for each parameter; of many, those that are not in `main`, set or wrong wait behind a button.

    Signals:
        edited: carries the parameter's name, the value and the gesture's token.
        repaired: the repair of an issue was accepted; carries the issue.
    """

    edited = Signal(str, object, object)
    repaired = Signal(object)

    def __init__(
        self, params: Sequence[Param], main: Collection[str] | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.params = {param.name: param for param in params}
        self.rows: dict[str, ParamRow] = {}
        everything = main is None or len(params) <= SHORT
        self._shown = set(self.params) if everything else set(main or ()) & self.params.keys()
        self._main = frozenset(self._shown)
        self._settings: Mapping[str, Setting] = {}
        self._issues: dict[str, Issue] = {}
        self.more = QPushButton()
        self.more.setProperty("role", "link")
        self.more.setProperty("compact", "yes")
        self.more.setCheckable(True)
        self.more.hide()
        self.more.toggled.connect(lambda _on: self._show_rows())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.SPACE_2)
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)

    def show_settings(self, settings: Mapping[str, Setting], issues: Sequence[Issue] = ()) -> None:
        """How the parameters stand and what is wrong with them."""
        self._settings = settings
        self._issues = {issue.param: issue for issue in reversed(issues) if issue.param in self.params}
        self._shown |= self._issues.keys()
        for name, setting in settings.items():
            if name in self.params and (setting.raw is not UNSET or setting.several):
                self._shown.add(name)
        for name in self.rows:
            self._fill(name)
        self._show_rows()

    def drafts(self) -> dict[str, str]:
        """Texts that would not do, by parameter."""
        found = {name: row.editor.draft for name, row in self.rows.items()}
        return {name: draft for name, draft in found.items() if draft is not None}

    def restore(self, drafts: Mapping[str, str]) -> None:
        """Put back texts that would not do."""
        self._shown |= drafts.keys() & self.params.keys()
        self._show_rows()
        for name, draft in drafts.items():
            if name in self.rows:
                self.rows[name].editor.restore(draft)

    def forget(self) -> None:
        """Another node of the same block is shown from now on."""
        for row in self.rows.values():
            row.editor.forget()
        self._shown = set(self._main)

    def _show_rows(self) -> None:
        """Make the rows that are wanted and hide the others."""
        wanted = [name for name in self.params if self.more.isChecked() or name in self._shown]
        for place, name in enumerate(self.params):
            if name in wanted and name not in self.rows:
                self._make(name, sum(before in self.rows for before in list(self.params)[:place]))
        for name, row in self.rows.items():
            row.setVisible(name in wanted)
        rest = len(self.params) - len(self._shown)
        self.more.setVisible(rest > 0)
        self.more.setText("Fewer parameters" if self.more.isChecked() else f"{rest} more parameters")
        self.more.setToolTip("Hide what is as usual" if self.more.isChecked() else "Show what is as usual, too")

    def _make(self, name: str, place: int) -> None:
        row = ParamRow(self.params[name], self)
        row.edited.connect(lambda value, gesture: self.edited.emit(name, value, gesture))
        row.repaired.connect(lambda: self.repaired.emit(self._issues[name]))
        self._column.insertWidget(place, row)
        self.rows[name] = row
        self._fill(name)

    def _fill(self, name: str) -> None:
        row, issue = self.rows[name], self._issues.get(name)
        row.show_setting(self._settings.get(name, Setting()))
        sentence = without_repair(issue) if issue else ""
        row.show_issue(sentence, issue.repair.label.replace("`", "") if issue and issue.repair else "")


def without_repair(issue: Issue) -> str:
    """An issue in words, where its repair is a button beside them."""
    text = issue.message
    return text.removesuffix(f" {issue.repair.label}?").replace("`", "") if issue.repair else text.replace("`", "")
