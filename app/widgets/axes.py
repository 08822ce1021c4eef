"""The axes of plots, in the program's fonts, colours and words."""

from __future__ import annotations

import math

import pyqtgraph
from PySide6.QtGui import QColor, QPen

from app import numbers, theme


class PlainAxis(pyqtgraph.AxisItem):
    """An axis of values: few labels, short ticks, no grid."""

    WIDTH, HEIGHT = 34, 18
    whole_numbers = False

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation, maxTickLength=3)
        self.enableAutoSIPrefix(False)
        self.setStyle(
            autoExpandTextSpace=False, autoReduceTextSpace=False, maxTickLevel=0, maxTextLevel=0, tickAlpha=255,
            tickTextOffset=2, hideOverlappingLabels=4, textFillLimits=[(0, 0.95)],
        )  # fmt: skip
        if orientation == "left":
            self.setWidth(self.WIDTH)
        else:
            self.setHeight(self.HEIGHT)
        self.follow_theme()

    def follow_theme(self) -> None:
        """Take fonts and colours anew."""
        colours = theme.current()
        self.setTickFont(theme.font(theme.TEXT_TINY))
        self.setPen(QPen(QColor(colours.node_line), 1))
        self.setTextPen(QPen(QColor(colours.faint)))

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        if not self.whole_numbers:
            return super().tickValues(minVal, maxVal, size)
        step = max(1, int(_round_step((maxVal - minVal) * 28 / max(size, 28.0))))
        first, last = math.ceil(minVal / step), math.floor(maxVal / step)
        return [(float(step), [float(step * place) for place in range(first, last + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]


class ShareAxis(PlainAxis):
    """An axis of shares in per cent; where it is logarithmic its values are powers of ten."""

    logarithmic = False

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        most = max(1, int(size / 24))
        if not self.logarithmic:
            step = _round_step((maxVal - minVal) / most)
            return [(step, [step * place for place in range(int(maxVal / step) + 1)])] if step > 0 else []
        first, last = math.ceil(minVal), math.floor(maxVal)
        step = max(1, -(-(last - first) // most))
        return [(float(step), [float(place) for place in range(first, last + 1, step)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [numbers.percent(10**value if self.logarithmic else value) for value in values]


def _round_step(least: float) -> float:
    """The least of 1, 2, 5, 10 ... that is not below."""
    if not least > 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))
