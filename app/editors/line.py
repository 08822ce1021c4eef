"""Editors that are a line to type in; `number`, `ratio` and `text` build on it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app import numbers
from app.editors.base import Editor, Setting
from app.editors.reading import spell
from app.widgets.field import Field
from blocks.spec import Param
from graph.commands import UNSET

_NOTHING = object()


class LineEditor(Editor):
    """A field that hands on each text that will do as it is typed; all of one visit is one step of the history."""

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field = Field(parent=self)
        self.field.setAccessibleName(param.name)
        self.field.setAccessibleDescription(param.rule.doc)
        self.field.setToolTip(self.hint())
        self._gesture: object = object()
        self._before = Setting()
        self._typed = False
        self._given: Any = _NOTHING  # the value of what was typed, however it is written
        self._fault = ""
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.addWidget(self.field)
        self.field.textEdited.connect(self._type)
        self.field.ended.connect(self._end)
        self.field.dismissed.connect(self._dismiss)
        self.edited.connect(self._remember)
        self.faulted.connect(self._note)
        self.setFocusProxy(self.field)

    def show_setting(self, setting: Setting) -> None:
        self.setting = setting
        if self._typed and not self._fault and setting.raw != self._given:
            self._typed = False  # undone, or changed elsewhere
        text = self._text(setting)
        if not self._typed and not self._fault and text != self.field.text():
            self.field.setText(text)
            self.field.setCursorPosition(0)
        main, _, empty = self.param.rule.doc.partition("; empty: ")
        self.field.setPlaceholderText("several values" if setting.several else empty)
        self.field.set_quiet(setting.origin == "wire" and not self._typed)
        self.field.set_remarks(self._remark(setting, getattr(self.param.rule, "unit", "") or main))

    @property
    def draft(self) -> str | None:
        return self.field.text() if self._fault else None

    def restore(self, draft: str) -> None:
        self.field.setText(draft)
        self._type(draft)

    def forget(self) -> None:
        self._typed = False
        if self._fault:
            self.faulted.emit("")

    def focus(self) -> QWidget:
        return self.field

    def place_button(self, button: QWidget | None) -> None:
        self.field.keep_free(22 if button is not None else 0)
        super().place_button(button)

    def _text(self, setting: Setting) -> str:
        if setting.several:
            return ""
        if setting.origin == "wire":
            return self.spell(setting.value) if setting.value is not UNSET else ""
        if setting.raw is UNSET:
            return self.spell(self.param.default)
        return setting.raw if isinstance(setting.raw, str) else self.spell(setting.raw)

    def _remark(self, setting: Setting, doc: str) -> str:
        if setting.several:
            return doc
        if setting.origin == "wire":
            return f"from {setting.source}" if setting.source else "from the wire"
        if setting.origin == "expression" and setting.value is not UNSET:
            return f"= {self.shown(setting.value)}"
        # An empty field says what being empty means; then there is no room for more.
        return "" if setting.value is None and "; empty: " in self.param.rule.doc else doc

    def spell(self, value: Any) -> str:
        """A value as one would type it."""
        return spell(value)

    def shown(self, value: Any) -> str:
        """A value as one reads it."""
        return numbers.exact(value) if isinstance(value, int) and not isinstance(value, bool) else spell(value)

    def _type(self, text: str) -> None:
        if not self._typed:
            self._begin()
        self._typed = True
        self.field.set_quiet(False)
        self._give(text, self._gesture)

    def _remember(self, value: Any, _gesture: object) -> None:
        self._given = value

    def _give(self, text: str, gesture: object) -> None:
        """A text that will not do leaves the value as it was before the visit, not as half of what is being typed."""
        super()._give(text, gesture)
        if self._fault and self._given is not _NOTHING and self._given != self._before.raw:
            self.edited.emit(self._before.raw, gesture)

    def _note(self, sentence: str) -> None:
        self._fault = sentence
        self.field.set_fault(bool(sentence))

    def _begin(self) -> None:
        """A visit begins: what it changes is one step, and Escape goes back to here."""
        self._gesture, self._given = object(), _NOTHING
        self._before = self.setting

    def _end(self) -> None:
        """The visit is over; a text that will not do stays with its sentence."""
        self._typed = False
        if not self._fault:
            self.show_setting(self.setting)

    def _dismiss(self) -> None:
        """Escape: as it was before this visit."""
        changed = self._typed and self._before.raw != self.setting.raw
        self._typed = False
        self.faulted.emit("")
        if changed:
            self.edited.emit(self._before.raw, self._gesture)
        self.show_setting(self.setting)
