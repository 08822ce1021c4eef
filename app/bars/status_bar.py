"""The bar at the bottom: the engine, what the drawing weighs and demands, problems, the last run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QStatusBar, QWidget

from app import numbers, theme
from app.widgets.text import ElidedLabel


class StatusBar(QStatusBar):
    """The bar. Where there is little room, what the drawing weighs ends in … first; its tooltip is the whole.

    Signals:
        problems_pressed: someone wants to see the problems.
    """

    problems_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.setFixedHeight(26)
        self.dot = Dot(self)
        self.engine = ElidedLabel("Starting")
        self.engine.setAccessibleName("Engine")
        self.weight = ElidedLabel()
        self.weight.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.weight.setAccessibleName("Size of the model")
        self.problems = QPushButton("", self)
        self.problems.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.problems.hide()
        self.last = ElidedLabel()
        self.last.setContentsMargins(12, 0, 0, 0)
        self.last.hide()
        self.last.setAccessibleName("Last run")
        row = QWidget(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(12, 0, 12, 0)
        layout.setSpacing(6)
        layout.addWidget(self.dot)
        layout.addWidget(self.engine)
        layout.addSpacing(24)
        layout.addWidget(self.weight, 1)
        layout.addWidget(self.problems)
        layout.addWidget(self.last)
        self.addWidget(row, 1)
        self.problems.clicked.connect(self.problems_pressed)

    def show_engine(self, state: str, device: str, dtype: str = "") -> None:
        """Show what the engine is doing and where: starting, ready, working, running, dead."""
        short = {"bfloat16": "bf16", "float16": "fp16", "float64": "fp64"}.get(dtype, "")
        place = ", ".join(text for text in (device, short) if text)
        words = {
            "": "Engine off",
            "starting": "Starting the engine",
            "ready": f"Ready on {place}" if place else "Ready",
            "working": f"Working on {place}" if place else "Working",
            "running": f"Running on {place}" if place else "Running",
            "dead": "The engine has stopped",
        }
        self.engine.setText(words.get(state, state))
        look = theme.current()
        colours = {"ready": look.good, "working": look.accent, "running": look.accent, "dead": look.error}
        self.dot.show_colour(colours.get(state, look.faint))

    def show_weight(self, estimate: Mapping[str, Any] | None, requirements: Sequence[str]) -> None:
        """Show parameters, the predicted memory and what the sizes must satisfy."""
        parts: list[str] = []
        details: list[str] = []
        if estimate:
            parameters = estimate.get("parameters_unique", estimate.get("parameters", 0))
            parts.append(f"{numbers.count(parameters)} parameters")
            details.append(f"{numbers.exact(parameters)} parameters")
            memory = estimate.get("memory", {})
            sizes = estimate.get("sizes", {})
            if memory.get("peak") is not None:
                at = " × ".join(f"{size}" for size in sizes.values())
                parts.append(f"{numbers.size(memory['peak'])} to run")
                peak = f"{numbers.exact(memory['peak'])} bytes at the peak of a run"
                details.append(f"{peak}, {at}" if at else peak)
            if memory.get("kv_cache"):
                parts.append(f"KV cache {numbers.size(memory['kv_cache'])}")
        parts += list(requirements)[:2]
        details += list(requirements)
        self.weight.setText("   ·   ".join(parts))
        self.weight.set_hint("\n".join(details))

    def show_problems(self, errors: int, warnings: int) -> None:
        """Show how many problems there are."""
        words = [_many(errors, "problem"), _many(warnings, "warning")]
        text = ", ".join(word for word in words if word)
        self.problems.setText(text)
        self.problems.setAccessibleName(text or "No problems")
        self.problems.setVisible(bool(text))

    def show_last(self, text: str, tooltip: str = "") -> None:
        """Show the last run, or what is happening."""
        self.last.setText(text)
        self.last.setVisible(bool(text))
        self.last.set_hint(tooltip)


class Dot(QWidget):
    """A small disc whose colour is a state."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(QSize(12, 12))
        self._colour = ""

    def show_colour(self, colour: str) -> None:
        """Take a colour."""
        if colour != self._colour:
            self._colour = colour
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colour or theme.current().faint))
        painter.drawEllipse(QRectF(2, 2.5, 7, 7))
        painter.end()


def _many(count: int, word: str) -> str:
    return "" if not count else f"1 {word}" if count == 1 else f"{count} {word}s"
