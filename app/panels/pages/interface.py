"""The interface of a group in the properties: its ports can be named, added, put in order and taken away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.session import Session
from app.widgets.field import Field
from app.widgets.icons import IconButton
from app.widgets.text import Section, label
from graph import interface
from graph.document import EditError, Path
from graph.interface import Side
from graph.validate import group_ports


class InterfaceSection(Section):
    """The inputs and the outputs of a group, a line each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Interface", parent=parent)
        self._session: Session | None = None
        self._path: Path = ()
        self._naming: object | None = None
        """The token of the step that added a port, until the port is named or left: its name belongs to that step."""
        self.lists: dict[Side, _PortList] = {"input": _PortList("input"), "output": _PortList("output")}
        for side, ports in self.lists.items():
            ports.renamed.connect(lambda old, new, side=side: self._rename(side, old, new))
            ports.moved.connect(lambda name, step, side=side: self._move(side, name, step))
            ports.removed.connect(lambda name, side=side: self._remove(side, name))
            ports.added.connect(lambda side=side: self._add(side))
            ports.left.connect(self._leave)
            self.body.addWidget(ports)

    def show_group(self, session: Session, path: Path) -> None:
        """Show the ports of a group."""
        self._session, self._path = session, path
        level = session.document.node(path).level
        inputs, outputs = group_ports(level) if level is not None else ({}, {})
        self.lists["input"].show_ports(list(inputs))
        self.lists["output"].show_ports(list(outputs))

    def _rename(self, side: Side, old: str, new: str) -> None:
        session = self._session
        if session is None:
            return
        try:
            command = interface.rename_port(session.document, self._path, side, old, new)
        except EditError as error:
            session.refuse(str(error))
            self.lists[side].restore(old)
            return
        if session.do(command, self._naming):
            self._naming = None

    def _leave(self) -> None:
        self._naming = None

    def _move(self, side: Side, name: str, step: int) -> None:
        session = self._session
        command = interface.move_port(session.document, self._path, side, name, step) if session is not None else None
        if session is not None and command is not None:
            session.do(command)
            self.show_group(session, self._path)
            self.lists[side].focus_port(name)

    def _remove(self, side: Side, name: str) -> None:
        if self._session is not None:
            self._session.do(interface.remove_port(self._session.document, self._path, side, name))

    def _add(self, side: Side) -> None:
        if self._session is not None:
            gesture = object()
            command, name = interface.add_port(self._session.document, self._path, side)
            if self._session.do(command, gesture):
                self.show_group(self._session, self._path)
                self.lists[side].focus_port(name)
                self._naming = gesture


class _PortList(QWidget):
    """The ports of one side.

    Signals:
        renamed: carries the old name and the new one.
        moved: carries the name and up (-1) or down (1).
        removed: carries the name.
        added: another one is wanted.
        left: the keyboard has left a name.
    """

    renamed = Signal(str, str)
    moved = Signal(str, int)
    removed = Signal(str)
    added = Signal()
    left = Signal()

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side
        self.rows: list[_PortRow] = []
        self.names: list[str] = []
        self.add = QPushButton(f"Add {side}")
        self.add.setProperty("role", "link")
        self.add.setProperty("compact", "yes")
        self.add.setAccessibleName(f"Add {side}")
        self.add.setToolTip(f"Give the group another {side}")
        self.add.clicked.connect(self.added)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, theme.SPACE_1)
        self._column.setSpacing(theme.SPACE_1)
        self._column.addWidget(label("Inputs" if side == "input" else "Outputs", "muted"))
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    def show_ports(self, names: list[str]) -> None:
        """Show these ports in this order."""
        while len(self.rows) < len(names):
            self._make()
        for row in self.rows[len(names) :]:
            row.hide()
        self.names = names
        for place, (row, name) in enumerate(zip(self.rows, names, strict=False)):
            row.show_port(name, is_first=place == 0, is_last=place == len(names) - 1)

    def focus_port(self, name: str) -> None:
        """Put the cursor into the name of a port."""
        if name in self.names:
            field = self.rows[self.names.index(name)].field
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            field.selectAll()

    def restore(self, name: str) -> None:
        """Put a name back that was typed over."""
        if name in self.names:
            self.rows[self.names.index(name)].field.setText(name)

    def _make(self) -> None:
        row = _PortRow(self._side)
        row.renamed.connect(self.renamed)
        row.moved.connect(self.moved)
        row.removed.connect(self.removed)
        row.left.connect(self.left)
        self._column.insertWidget(1 + len(self.rows), row)
        self.rows.append(row)


class _PortRow(QWidget):
    """One port: its name, and buttons to move and remove it."""

    renamed = Signal(str, str)
    moved = Signal(str, int)
    removed = Signal(str)
    left = Signal()

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side
        self.name = ""
        self.field = Field()
        self.field.ended.connect(self._end)
        self.field.dismissed.connect(lambda: self.field.setText(self.name))
        self.field.stepped.connect(lambda step: self.moved.emit(self.name, -1 if step > 0 else 1))
        self.up = IconButton("chevron-up", "Move up")
        self.down = IconButton("chevron-down", "Move down")
        self.cross = IconButton("x", "Remove")
        self.up.clicked.connect(lambda: self.moved.emit(self.name, -1))
        self.down.clicked.connect(lambda: self.moved.emit(self.name, 1))
        self.cross.clicked.connect(lambda: self.removed.emit(self.name))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.field, 1)
        layout.addSpacing(theme.SPACE_1)
        for button in (self.up, self.down, self.cross):
            layout.addWidget(button)

    def show_port(self, name: str, *, is_first: bool, is_last: bool) -> None:
        """Show a port; the ends of the list cannot be moved past."""
        if name != self.name or not self.field.hasFocus():
            self.name = name
            self.field.setText(name)
        self.field.setAccessibleName(f"Name of {self._side} {name}")
        self.field.setToolTip(f"The {self._side}'s name; Return renames it and its wires follow, arrows move it")
        self.up.setEnabled(not is_first)
        self.down.setEnabled(not is_last)
        self.up.show_icon("chevron-up", f"Move {self._side} {name} up", "faint" if is_first else "muted")
        self.down.show_icon("chevron-down", f"Move {self._side} {name} down", "faint" if is_last else "muted")
        self.cross.show_icon("x", f"Remove {self._side} {name}")
        self.show()

    def _end(self) -> None:
        wish = self.field.text().strip()
        if wish != self.name:
            self.renamed.emit(self.name, wish)
        if not self.field.hasFocus():
            self.left.emit()
