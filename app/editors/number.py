"""Whole and real numbers: a field that also takes arithmetic, and steps with the arrow keys."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QWidget

from app.editors.line import LineEditor
from app.editors.reading import spell
from blocks.spec import Number, Param, Size


class NumberEditor(LineEditor):
    """Type a number or "=4*dim"; Up and Down step by one, with Shift by ten."""

    rules = (Size, Number)

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(param, parent)
        self.field.stepped.connect(self._step)

    def _step(self, steps: int) -> None:
        value = self.setting.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        if isinstance(self.param.rule, Size):
            moved: int | float = int(value) + steps
        else:
            # A real number steps in its last leading figure: 0.02 by 0.001, 10000 by 1000.
            unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1) if value else 0.1
            moved = float(f"{value + steps * unit:.10g}")
        low, high = self.param.rule.low, self.param.rule.high
        moved = min(max(moved, low), high)
        if moved != value:
            self.field.setText(spell(moved))
            self._type(self.field.text())
