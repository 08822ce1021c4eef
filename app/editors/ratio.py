"""A share between 0 and 1: a field and a slider."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app import theme
from app.editors.base import Setting
from app.editors.line import LineEditor
from app.editors.reading import spell
from app.widgets.slider import Slider
from blocks.spec import Param, Ratio

STEPS = 100


class RatioEditor(LineEditor):
    """Drag the slider, in steps of a hundredth, or type; a whole drag is one step of the history."""

    rules = (Ratio,)

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field.setMaximumWidth(72)
        self.field.stepped.connect(lambda steps: self._move(self.slider.value() + steps))
        rule = param.rule
        assert isinstance(rule, Ratio)
        self.slider = Slider(f"{param.name}, slider")
        self.slider.setRange(round(rule.low * STEPS), max(round(rule.low * STEPS), round(rule.high * STEPS) - 1))
        self.slider.setToolTip(self.hint())
        self.slider.valueChanged.connect(self._slide)
        self.slider.sliderPressed.connect(self._begin)
        self.slider.sliderReleased.connect(self._end)
        self.row.setSpacing(theme.SPACE_3)
        self.row.addWidget(self.slider, 1)

    def show_setting(self, setting: Setting) -> None:
        super().show_setting(setting)
        self.field.set_remarks("")
        self.slider.blockSignals(True)
        if isinstance(setting.value, int | float):
            self.slider.setValue(round(setting.value * STEPS))
        self.slider.blockSignals(False)
        self.slider.setToolTip(f"{self.hint()}\n{spell(setting.value)}")

    def place_button(self, button: QWidget | None) -> None:
        super().place_button(button)
        self.field.keep_free(0)
        self.row.setContentsMargins(0, 0, 28 if button is not None else 0, 0)

    def _move(self, value: int) -> None:
        self.slider.setValue(value)

    def _slide(self, value: int) -> None:
        self.field.setText(spell(value / STEPS))
        self._give(self.field.text(), self._gesture)
