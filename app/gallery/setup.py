"""The variables of a template, to be turned before it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.catalogue import TemplateCard, VariableCard
from app.gallery.card import EMPTY
from app.widgets.combo import Combo
from app.widgets.field import Field
from app.widgets.gives_way import GivesWay
from app.widgets.text import ElidedLabel, label

WIDTH, NARROW, FIELD_WIDTH, BAR_ROOM = 352, 296, 208, 16
CHIP_GAP = 4


class Setup(QWidget):
    """Title, presets, a field for each variable, and the button that draws it; what is set scrolls, the rest stays.

    Signals:
        drawn: draw the template; carries its name ("" for an empty canvas) and the values that were set.
        changed: a value was changed.
    """

    drawn = Signal(str, dict)
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.template: TemplateCard | None = None
        self.fields: dict[str, Field | QCheckBox | Combo] = {}
        self._title = label("", "heading")
        self._summary = label("", "muted", wrap=True)
        self.setFixedWidth(WIDTH)
        self._holders: list[QWidget] = []
        self._presets: list[QPushButton] = []
        self._rows = QVBoxLayout()
        self._rows.setSpacing(CHIP_GAP)
        self._form = QGridLayout()
        self._form.setHorizontalSpacing(12)
        self._form.setVerticalSpacing(6)
        self._form.setColumnStretch(0, 1)
        self.estimate = label("", "muted", wrap=True)
        self.estimate.setAccessibleName("Estimated size")
        self.estimate.setMinimumHeight(20)  # kept free, so that nothing moves when the figures arrive
        self.fault = label("", "error", wrap=True)
        self.fault.hide()
        self.button = QPushButton("Draw it")
        self.button.setProperty("role", "primary")
        self.button.setFixedHeight(32)
        self.button.clicked.connect(self.draw)
        fields = QWidget()
        column = QVBoxLayout(fields)
        column.setContentsMargins(0, 0, BAR_ROOM, 0)
        column.setSpacing(theme.SPACE_3)
        column.addLayout(self._rows)
        column.addLayout(self._form)
        column.addStretch(1)
        self._scroll = GivesWay(fields)
        bar = self._scroll.verticalScrollBar()
        bar.rangeChanged.connect(
            lambda _low, high: column.setContentsMargins(0, 0, BAR_ROOM - (bar.sizeHint().width() if high else 0), 0)
        )
        foot = QVBoxLayout()
        foot.setContentsMargins(0, 0, BAR_ROOM, 0)
        foot.setSpacing(8)
        foot.addWidget(self.estimate)
        foot.addWidget(self.fault)
        foot.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self._summary)
        layout.addSpacing(4)
        layout.addWidget(self._scroll)
        layout.addSpacing(4)
        layout.addLayout(foot)
        layout.addStretch(1)

    def show_template(self, template: TemplateCard | None) -> None:
        """Show a template's variables at their defaults; None stands for the empty canvas."""
        self.template = template
        _clear(self._form)
        _clear(self._rows)
        self._presets = []
        self._holders = []
        self.fields = {}
        self.fault.hide()
        self.show_estimate("")
        self._title.setText(template.title if template else "Empty canvas")
        self._summary.setText(
            template.summary if template else "Nothing is there yet: drag blocks from the palette, or press Tab."
        )
        self.button.setText("Draw it" if template else "Open it")
        self.button.setAccessibleName(self.button.text())
        if template is None:
            return
        if len(template.presets) > 1:
            self._presets = [self._chip(name, values) for name, values in template.presets.items()]
            self._lay_out_presets()
        for row, variable in enumerate(template.variables):
            self._add_field(row, variable)
        self._show_preset()

    def take_width(self, width: int) -> None:
        """Be narrower, or as wide as usual; the fields give way, their names do not."""
        if width != self.width():
            self.setFixedWidth(width)
            for holder in self._holders:
                holder.setFixedWidth(self._field_width)
            self._lay_out_presets()

    @property
    def _field_width(self) -> int:
        return FIELD_WIDTH - (WIDTH - self.minimumWidth())

    def show_estimate(self, text: str) -> None:
        """Say what the model weighs at these values."""
        self.estimate.setText(text)

    def values(self) -> dict[str, Any] | None:
        """The values that differ from the defaults, or None when one of them will not do."""
        found: dict[str, Any] = {}
        good = True
        for variable in self.template.variables if self.template else ():
            widget = self.fields[variable.name]
            if isinstance(widget, QCheckBox):
                value: Any = widget.isChecked()
            elif isinstance(widget, Combo):
                value = widget.currentText()
            else:
                fault, value = _read(variable, widget.text())
                widget.set_fault(bool(fault))
                widget.setToolTip(fault or variable.doc)
                if fault and good:
                    self.fault.setText(f"{variable.name} {fault}.")
                good = good and not fault
            if value != variable.default:
                found[variable.name] = value
        self.fault.setVisible(not good)
        return found if good else None

    def draw(self) -> None:
        """Ask for the drawing, unless a value will not do."""
        values = self.values()
        if values is not None:
            self.drawn.emit(self.template.name if self.template else EMPTY, values)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.draw()  # from a preset or a switch, as from a field
        else:
            super().keyPressEvent(event)

    def _add_field(self, row: int, variable: VariableCard) -> None:
        name = label(variable.name, "muted")
        name.setToolTip(variable.doc)
        widget: Field | QCheckBox | Combo
        if isinstance(variable.default, bool):
            widget = QCheckBox()
            widget.setChecked(variable.default)
            widget.toggled.connect(self._edited)
        elif variable.options:
            widget = Combo()
            widget.addItems(variable.options)
            widget.setCurrentText(variable.default)
            widget.currentTextChanged.connect(self._edited)
        else:
            widget = Field(_spell(variable.default))
            widget.set_remarks(variable.doc)
            widget.textEdited.connect(self._edited)
            widget.returnPressed.connect(self.draw)
            if isinstance(variable.default, int):
                widget.stepped.connect(lambda steps, field=widget, card=variable: self._step(field, card, steps))
        widget.setToolTip(variable.doc)
        widget.setAccessibleName(f"{variable.name}: {variable.doc}")
        widget.setMinimumHeight(28)
        name.setBuddy(widget)
        holder: QWidget = widget
        if isinstance(widget, QCheckBox):
            holder = QWidget()
            beside = QHBoxLayout(holder)
            beside.setContentsMargins(0, 0, 0, 0)
            beside.addWidget(widget)
            beside.addWidget(ElidedLabel(variable.doc, "faint"), 1)
        holder.setFixedWidth(self._field_width)
        self._holders.append(holder)
        self._form.addWidget(name, row, 0)
        self._form.addWidget(holder, row, 1)
        self.fields[variable.name] = widget

    def _lay_out_presets(self) -> None:
        """As many beside each other as fit."""
        while (row := self._rows.takeAt(0)) is not None:
            row.layout().deleteLater()
        row, room = QHBoxLayout(), 0
        for chip in self._presets:
            width = chip.sizeHint().width()
            if width > room:
                row, room = QHBoxLayout(), self.minimumWidth() - BAR_ROOM
                row.setSpacing(CHIP_GAP)
                row.setAlignment(Qt.AlignmentFlag.AlignLeft)
                self._rows.addLayout(row)
            row.addWidget(chip)
            room -= width + CHIP_GAP

    def _chip(self, name: str, values: Mapping[str, Any]) -> QPushButton:
        is_size = len(name) <= 2 or (len(name) <= 4 and not name.isalpha())  # xl, b16, 410m
        chip = QPushButton(name.upper() if is_size else name.capitalize(), self)
        chip.setProperty("role", "chip")
        chip.setProperty("preset", name)
        chip.setCheckable(True)
        chip.setAccessibleName(f"Preset {name}")
        chip.clicked.connect(lambda: self._set(values))
        chip.ensurePolished()  # how wide it is, is a matter of style
        return chip

    def _step(self, field: Field, variable: VariableCard, steps: int) -> None:
        fault, value = _read(variable, field.text())
        if not fault and isinstance(value, int) and value + steps >= variable.low:
            field.setText(str(value + steps))
            self._edited()

    def _set(self, values: Mapping[str, Any]) -> None:
        for variable in self.template.variables if self.template else ():
            value = values.get(variable.name, variable.default)
            widget = self.fields[variable.name]
            if isinstance(widget, QCheckBox):
                widget.setChecked(bool(value))
            elif isinstance(widget, Combo):
                widget.setCurrentText(value)
            else:
                widget.setText(_spell(value))
        self._edited()

    def _edited(self) -> None:
        self.values()
        self._show_preset()
        self.changed.emit()

    def _show_preset(self) -> None:
        """Mark the preset that the values are."""
        values = self.values()
        for chip in self._presets:
            if self.template is not None:
                preset = self.template.presets[chip.property("preset")]
                defaults = {v.name: v.default for v in self.template.variables}
                differing = {name: value for name, value in preset.items() if value != defaults.get(name)}
                chip.setAutoExclusive(False)  # none of them may be chosen, too
                chip.setChecked(values == differing)
        stop = next((chip for chip in self._presets if chip.isChecked()), self._presets[0] if self._presets else None)
        for chip in self._presets:
            chip.setAutoExclusive(True)
            by_tab = Qt.FocusPolicy.StrongFocus if chip is stop else Qt.FocusPolicy.ClickFocus
            chip.setFocusPolicy(by_tab)  # Tab stops at one of them, and arrows go on


def _read(variable: VariableCard, text: str) -> tuple[str, Any]:
    """What is wrong with a text, as the end of a sentence, and the value."""
    if text == _spell(variable.default):
        return "", variable.default
    from graph.templates import read_value  # not needed for the first paint

    value = read_value(text)
    if isinstance(variable.default, str) and isinstance(value, str):
        return ("", value) if value.startswith("=") else (f"must be a number or begin with =, not {text!r}", value)
    if isinstance(value, str) and value.startswith("=") and not variable.structural:
        return "", value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"must be a number, not {text!r}", value
    if not isinstance(value, int):
        return ("must be a whole number", value) if isinstance(variable.default, int) else ("", value)
    if variable.structural and not variable.low <= value <= variable.high:
        return f"must be from {variable.low} to {variable.high}", value
    return ("must be at least 1", value) if value < 1 else ("", value)


def _spell(value: Any) -> str:
    return str(value)


def _clear(layout: Any) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if (inside := item.layout()) is not None:
            _clear(inside)
        if widget is not None:
            widget.hide()
            widget.deleteLater()
