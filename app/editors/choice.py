"""One of a few words, or yes and no."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QStackedLayout, QWidget

from app import theme
from app.editors.base import Editor, Setting
from app.editors.line import LineEditor
from app.widgets.combo import Combo
from app.widgets.text import ElidedLabel
from blocks.spec import Choice, Flag, Param
from graph.commands import UNSET
from graph.expressions import is_expression

NONE = "none"


class _Pick(Editor):
    """A control to pick with, which gives way to a line while the value is an expression."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.line = LineEditor(param)
        self.line.edited.connect(self.edited)
        self.line.faulted.connect(self.faulted)
        self.pages = QStackedLayout(self)
        self.control = self._make_control()
        self.pages.addWidget(self.control)
        self.pages.addWidget(self.line)
        self.setToolTip(self.hint())

    def show_setting(self, setting: Setting) -> None:
        self.setting = setting
        self.pages.setCurrentIndex(1 if is_expression(setting.raw) or self.line.draft is not None else 0)
        self.line.show_setting(setting)
        value = self.param.default if setting.value is UNSET else setting.value
        self._show_value(None if setting.several else value, setting.several)

    @property
    def draft(self) -> str | None:
        return self.line.draft

    def restore(self, draft: str) -> None:
        self.pages.setCurrentIndex(1)
        self.line.restore(draft)

    def forget(self) -> None:
        self.line.forget()

    def _make_control(self) -> QWidget:
        raise NotImplementedError

    def _show_value(self, value: Any, several: bool) -> None:
        raise NotImplementedError


class ChoiceEditor(_Pick):
    """A list to pick from."""

    rules = (Choice,)

    def _make_control(self) -> QWidget:
        rule = self.param.rule
        assert isinstance(rule, Choice)
        self.combo = Combo()
        self.combo.setAccessibleName(self.param.name)
        self.combo.setAccessibleDescription(rule.doc)
        self.combo.setToolTip(self.hint())
        if self.param.optional:
            self.combo.addItem(NONE, None)
        for option in rule.options:
            self.combo.addItem(option.replace("_", " "), option)
        self.combo.activated.connect(lambda place: self.edited.emit(self.combo.itemData(place), object()))
        return self.combo

    def focus(self) -> QWidget:
        return self.line.field if self.pages.currentIndex() else self.combo

    @property
    def free_right(self) -> int:
        return 26

    def _show_value(self, value: Any, several: bool) -> None:
        self.combo.setCurrentIndex(-1 if several else self.combo.findData(value))
        self.combo.setPlaceholderText("several values" if several else "")


class FlagEditor(_Pick):
    """A box to tick, with what it means beside it."""

    rules = (Flag,)

    def _make_control(self) -> QWidget:
        self.box = QCheckBox()
        self.box.setAccessibleName(self.param.name)
        self.box.setAccessibleDescription(self.param.rule.doc)
        self.box.setToolTip(self.hint())
        self.box.clicked.connect(self._tick)
        self.box.setFixedWidth(18)
        words = _Words(self.param.rule.doc, self.box)
        holder = QWidget()
        layout = QHBoxLayout(holder)
        layout.setContentsMargins(1, 0, 0, 0)
        layout.setSpacing(theme.SPACE_2)
        layout.addWidget(self.box)
        layout.addWidget(words, 1)
        self._holder = layout
        return holder

    def focus(self) -> QWidget:
        return self.line.field if self.pages.currentIndex() else self.box

    def place_button(self, button: QWidget | None) -> None:
        self._holder.setContentsMargins(1, 0, 28 if button is not None else 0, 0)
        super().place_button(button)

    def _tick(self, checked: bool) -> None:
        self.box.setTristate(False)
        self.edited.emit(checked, object())

    def _show_value(self, value: Any, several: bool) -> None:
        self.box.setTristate(several)
        state = Qt.CheckState.PartiallyChecked if several else _STATES[bool(value)]
        self.box.setCheckState(state)


class _Words(ElidedLabel):
    """The meaning of a tick box; a click on it is a click on the box."""

    def __init__(self, text: str, box: QCheckBox) -> None:
        super().__init__(text, "faint")
        self._box = box

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._box.click()


_STATES = {True: Qt.CheckState.Checked, False: Qt.CheckState.Unchecked}
