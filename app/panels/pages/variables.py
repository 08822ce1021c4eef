"""The table of a document's variables: a row each, with what it counts, its value, and a way to add and remove."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.editors.base import Setting
from app.editors.row import ParamRow
from app.session import Session
from app.widgets.field import Field
from app.widgets.icons import IconButton
from app.widgets.text import label
from blocks.spec import Flag, Number, Param, Text
from graph import expressions, templates
from graph.commands import UNSET
from graph.document import Path
from graph.issues import Issue


def visible_variables(session: Session, path: Path) -> Mapping[str, Any]:
    """What an expression at that node may mention: the document's variables, and `layer` within a repetition."""
    variables = dict(session.report.variables)
    for depth in range(1, len(path)):
        if session.document.node(path[:depth]).repeat != 1:
            variables["layer"] = 0
    return variables


def docs_of(session: Session) -> dict[str, str]:
    """What each variable counts, as far as its template says."""
    name = session.document.template.get("name", "")
    known = templates.all_templates().get(name)
    return {key: variable.doc for key, variable in known.variables.items()} if known else {}


class VariableTable(QWidget):
    """The variables of a document.

    Signals:
        edited: carries a name, the value (UNSET to remove it) and the gesture's token.
    """

    edited = Signal(str, object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, ParamRow] = {}
        self._kinds: dict[str, tuple[Any, ...]] = {}
        self._lines: dict[str, QWidget] = {}
        self._column = QVBoxLayout()
        self._column.setSpacing(theme.SPACE_2)
        self.add_button = QPushButton("Add a variable")
        self.add_button.setProperty("role", "link")
        self.add_button.setProperty("compact", "yes")
        self.add_button.setToolTip("A name for a number that several parameters share")
        self.add_button.clicked.connect(self._open)
        self.name_field = Field()
        self.name_field.setPlaceholderText("name")
        self.name_field.setAccessibleName("Name of the new variable")
        self.value_field = Field()
        self.value_field.setPlaceholderText("value or =expression")
        self.value_field.setAccessibleName("Value of the new variable")
        self.fault = label("", "error", wrap=True)
        self.fault.setProperty("compact", "yes")
        self.fault.hide()
        self.new_line = QWidget()
        self.new_line.hide()
        line = QHBoxLayout(self.new_line)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(theme.SPACE_2)
        self.name_field.setFixedWidth(104)
        line.addWidget(self.name_field)
        line.addWidget(self.value_field, 1)
        for field in (self.name_field, self.value_field):
            field.returnPressed.connect(self._add)
            field.dismissed.connect(self._close)
            field.textEdited.connect(lambda _text: self._say(""))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_2)
        layout.addLayout(self._column)
        layout.addWidget(self.new_line)
        layout.addWidget(self.fault)
        layout.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._taken: frozenset[str] = frozenset()
        self._known: Mapping[str, Any] = {}

    def show_variables(self, session: Session, issues: tuple[Issue, ...]) -> None:
        """Every variable as it stands."""
        variables, resolved = session.document.variables, session.report.variables
        docs = docs_of(session)
        self._taken, self._known = frozenset(variables), resolved
        for name in [name for name in self.rows if name not in variables]:
            self._drop(name)
        faults = {issue.param: issue for issue in issues if not issue.path and issue.param}
        for place, (name, raw) in enumerate(variables.items()):
            value = resolved.get(name, UNSET)
            kind = (_kind(value if value is not UNSET else raw), docs.get(name, ""))
            if self._kinds.get(name) != kind:
                self._drop(name)
                self._build(name, place, *kind)
            others = {key: known for key, known in resolved.items() if key != name}
            origin = "expression" if expressions.is_expression(raw) else "set"
            self.rows[name].show_setting(Setting(raw, value, origin, variables=others))
            fault = faults.get(name)
            self.rows[name].show_issue(fault.message.replace("`", "") if fault else "")

    def _build(self, name: str, place: int, kind: type, doc: str) -> None:
        rule = {bool: Flag, str: Text}.get(kind, Number)(doc)
        row = ParamRow(Param(name, kind, kind(), rule))
        row.button.setVisible(False)
        row.resettable = False
        row.edited.connect(lambda value, gesture: self.edited.emit(name, value, gesture))
        remove = IconButton("x", f"Remove {name}", tone="faint")
        remove.clicked.connect(lambda: self.edited.emit(name, UNSET, object()))
        line = QWidget()
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addWidget(row, 1)
        remove.setFixedHeight(28)
        layout.addWidget(remove, 0, Qt.AlignmentFlag.AlignTop)
        self._column.insertWidget(place, line)
        line.show()
        self.rows[name], self._lines[name], self._kinds[name] = row, line, (kind, doc)

    def _drop(self, name: str) -> None:
        line = self._lines.pop(name, None)
        if line is not None:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.rows.pop(name, None)
        self._kinds.pop(name, None)

    def _open(self) -> None:
        self.new_line.show()
        self.add_button.hide()
        self.name_field.setFocus()

    def _close(self) -> None:
        self._say("")
        for field in (self.name_field, self.value_field):
            field.clear()
        self.new_line.hide()
        self.add_button.show()

    def _say(self, sentence: str) -> None:
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence))
        self.name_field.set_fault(bool(sentence) and not self.value_field.hasFocus())

    def _add(self) -> None:
        name, text = self.name_field.text().strip(), self.value_field.text().strip()
        if not name.isidentifier():
            self._say("A name is letters, digits and _ and begins with a letter.")
        elif name in self._taken:
            self._say(f"There is a variable {name} already.")
        elif not text:
            self.value_field.setFocus()
        else:
            value = templates.read_value(text)
            if expressions.is_expression(value):
                try:
                    expressions.evaluate(value, self._known)
                except expressions.ExpressionError as error:
                    self._say(f"{str(error)[:1].upper()}{str(error)[1:]}.")
                    return
            self._close()
            self.edited.emit(name, value, object())


def _kind(value: Any) -> type:
    return bool if isinstance(value, bool) else str if isinstance(value, str) else int
