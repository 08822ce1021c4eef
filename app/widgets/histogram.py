"""How often values occur, by value or by power of two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app import numbers, theme
from app.access.voice import VOICE
from app.widgets.axes import PlainAxis, ShareAxis
from app.widgets.plots import Plot, Window
from app.widgets.text import ElidedLabel

LARGEST_HALF, SMALLEST_HALF = 16, -14
"""From 2^16 on float16 is infinite; below 2^-14 it loses digits."""
FEWEST = 4
"""The fewest bins to zoom to."""


class Histogram(QWidget):
    """Bars between edges over an axis of values; their height is a share, on a plain or a logarithmic scale.

    The bin under the pointer is told above. Where magnitudes were counted too, a button shows them by power of two, in
    red what float16 cannot hold and in yellow what loses digits there.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._by_value = (np.array([0.0, 1.0]), np.zeros(1))
        self._by_power: tuple[int, np.ndarray] | None = None
        self.words = ElidedLabel("", "faint")
        self.powers = _switch("2ⁿ", "By power of two", "Count magnitudes by their power of two")
        self.logarithmic = _switch("log", "Logarithmic", "A logarithmic scale, on which rare values show")
        self.plot = _Bars(name)
        self.plot.setAccessibleDescription("Left and right go through the bins")
        self.powers.toggled.connect(self._show)
        self.logarithmic.toggled.connect(self._show)
        self.plot.pointed.connect(self._tell)
        head = QHBoxLayout()
        head.setSpacing(0)
        head.addWidget(self.words, 1)
        head.addWidget(self.powers)
        head.addWidget(self.logarithmic)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.plot, 1)
        self.powers.setVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def edges(self) -> np.ndarray:
        """Where the bins that are shown begin, and where the last one ends."""
        return self.plot.edges

    @property
    def counts(self) -> np.ndarray:
        """How many values are in each bin that is shown."""
        return self.plot.counts

    @property
    def bin(self) -> int:
        """The bin under the pointer, or -1."""
        return self.plot.bin

    def show_counts(self, edges: np.ndarray, counts: np.ndarray, powers: tuple[int, np.ndarray] | None = None) -> None:
        """Other counts.

        Args:
            edges: one more than counts.
            counts: of values between two edges.
            powers: the least power of two and how many magnitudes lie between it and the next, and so on.
        """
        self._by_value = (_increasing(np.asarray(edges, dtype=float)), np.asarray(counts, dtype=float))
        has_powers = powers is not None and len(powers[1]) > 0
        self._by_power = (powers[0], np.asarray(powers[1], dtype=float)) if powers is not None and has_powers else None
        self.powers.setVisible(has_powers)
        low, high = float(edges[0]), float(edges[-1])
        self.setAccessibleDescription(f"from {numbers.value(low)} to {numbers.value(high)}")
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "plot"):
            self._show()

    def sizeHint(self) -> QSize:
        return QSize(220, 112)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 64)

    @property
    def _shows_powers(self) -> bool:
        return self._by_power is not None and self.powers.isChecked()

    def _show(self) -> None:
        colours = theme.current()
        plain = colours.kind("features")
        if self._by_power is not None and self._shows_powers:
            low, counts = self._by_power
            edges = low + np.arange(len(counts) + 1, dtype=float)
            hues = [
                QColor(colours.error if at >= LARGEST_HALF else colours.warning if at < SMALLEST_HALF else plain)
                for at in edges[:-1]
            ]
        else:
            edges, counts = self._by_value
            hues = [plain]
        scale = self.logarithmic.isChecked()
        self.plot.show_bars(edges, counts, hues, logarithmic=scale, whole_numbers=self._shows_powers)
        self._tell(self.plot.bin)

    def _tell(self, place: int) -> None:
        if place < 0:
            self.words.setText("magnitudes 2ⁿ" if self._shows_powers else "values")
            self.words.set_hint("")
            return
        start, end = self.edges[place], self.edges[place + 1]
        bounds = f"2^{start:.0f} – 2^{end:.0f}" if self._shows_powers else _between(start, end)
        share = numbers.percent(self.counts[place] / max(self.counts.sum(), 1))
        self.words.setText(f"{share}  {bounds.replace('-', '−')}")
        count = f"{numbers.exact(self.counts[place])} of {numbers.exact(self.counts.sum())}"
        self.words.set_hint(count)
        if self.plot.hasFocus():
            VOICE.say(self.plot, f"{bounds}: {share}, {count}")


class _Bars(Plot):
    """The plot itself.

    Signals:
        pointed: the pointer is on another bin; -1 when it has left.
    """

    pointed = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.edges, self.counts, self.bin = np.array([0.0, 1.0]), np.zeros(1), -1
        self._heights = np.zeros(1)
        self._base = 0.0
        self._pointer: QPointF | None = None
        self.sight = Window(upwards=True)
        self.sight.setMouseEnabled(True, False)
        none = pyqtgraph.mkPen(None)
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=0, y1=[], pen=none, brush="w")
        self._lit = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=0, y1=[], pen=none, brush="w")
        for item in (self._bars, self._lit):
            self.sight.addItem(item, ignoreBounds=True)
        self._across, self._up = PlainAxis("bottom"), ShareAxis("left")
        layout = pyqtgraph.GraphicsLayout()
        layout.setContentsMargins(0, 4, 1, 0)
        layout.setSpacing(0)
        layout.addItem(self._up, 0, 0)
        layout.addItem(self.sight, 0, 1)
        layout.addItem(self._across, 1, 1)
        self.setCentralItem(layout)
        self._across.linkToView(self.sight)
        self._up.linkToView(self.sight)
        self.sight.moved.connect(self._follow_pointer)

    def show_bars(
        self, edges: np.ndarray, counts: np.ndarray, hues: Sequence[QColor], *, logarithmic: bool, whole_numbers: bool
    ) -> None:
        """Other bars, in one colour or one each."""
        keep = np.array_equal(edges, self.edges)
        self.edges, self.counts = edges, counts
        shares = counts / max(counts.sum(), 1.0)
        highest = max(float(shares.max(initial=0.0)), 1e-9)
        if logarithmic:
            least = float(shares[shares > 0].min(initial=highest))
            self._base = np.log10(least / 2)
            self._heights = np.log10(np.maximum(shares, least / 2))
            top = np.log10(highest) + 0.08 * (np.log10(highest) - self._base)
        else:
            # A lone value among many must not vanish, so no bar is lower than about a pixel.
            self._base, top = 0.0, highest * 1.08
            self._heights = np.where(shares > 0, np.maximum(shares, highest / 60), 0.0)
        colours = {"brush": hues[0], "brushes": None} if len(hues) == 1 else {"brushes": list(hues)}
        self._bars.setOpts(x0=edges[:-1], x1=edges[1:], y0=self._base, y1=self._heights, **colours)
        self._up.logarithmic = logarithmic
        self._across.whole_numbers = whole_numbers
        for axis in (self._across, self._up):
            axis.follow_theme()
        whole = QRectF(edges[0], self._base, edges[-1] - edges[0], top - self._base)
        least_wide = FEWEST * whole.width() / max(len(counts), FEWEST)
        self.sight.show_whole(whole, (least_wide, whole.height()), keep=keep)
        self._light(self.bin if self.bin < len(counts) else -1)

    def point_of(self, place: int) -> QPoint:
        """Where a bin is on the viewport, near its foot."""
        at = QPointF((self.edges[place] + self.edges[place + 1]) / 2, self._base)
        return (self.sight.mapViewToScene(at) - QPointF(0, 1)).toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._pointer = event.position()
        self._follow_pointer()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._pointer = event.position()
        super().wheelEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self._light(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last, here = len(self.counts) - 1, max(self.bin, 0)
        goal = {
            Qt.Key.Key_Left: here - 1, Qt.Key.Key_Right: here + 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))  # fmt: skip
        if goal is None or not self.counts.sum():
            event.ignore()
        else:
            self._light(min(max(goal, 0), last))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.bin < 0 and self.counts.sum():
            self._light(int(np.argmax(self.counts)))
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._light(-1)
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.current().accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def _follow_pointer(self) -> None:
        if self._pointer is None:
            return
        room = self.sight.sceneBoundingRect()
        if room.left() <= self._pointer.x() <= room.right() and self.counts.sum() > 0:
            value = self.sight.mapSceneToView(self._pointer).x()
            place = int(np.searchsorted(self.edges, value, side="right")) - 1
            self._light(min(max(place, 0), len(self.counts) - 1))
        else:
            self._light(-1)

    def _light(self, place: int) -> None:
        one = slice(place, place + 1) if place >= 0 else slice(0, 0)
        self._lit.setOpts(
            x0=self.edges[:-1][one], x1=self.edges[1:][one], y0=self._base, y1=self._heights[one],
            brush=QColor(theme.current().text),
        )  # fmt: skip
        if place != self.bin:
            self.bin = place
            self.pointed.emit(place)


def _switch(text: str, name: str, hint: str) -> QPushButton:
    button = QPushButton(text)
    button.setCheckable(True)
    button.setProperty("role", "segment")
    button.setProperty("compact", "yes")
    button.setAccessibleName(name)
    button.setToolTip(hint)
    return button


def _increasing(edges: np.ndarray) -> np.ndarray:
    """The edges, apart where they fell together because 32 bits cannot tell them apart."""
    if (np.diff(edges) > 0).all():
        return edges
    low, high = float(edges[0]), float(edges[-1])
    half = max(abs(low), abs(high), 1.0) * 1e-6
    return np.linspace(low - half, high + half, len(edges))


def _between(start: float, end: float) -> str:
    return f"{numbers.value(start)} – {numbers.value(end)}"
