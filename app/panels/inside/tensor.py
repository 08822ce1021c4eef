"""One value of a run as a picture: a slice or all channels, with the number under the pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app import numbers, theme
from app.access.voice import VOICE
from app.widgets.colours import table_for
from app.widgets.heat_map import HeatMap, Matrix
from app.widgets.legend import Legend
from app.widgets.picker import IndexPicker
from app.widgets.segments import Segments
from app.widgets.text import ElidedLabel, label

GAP = 1
"""Pixels between channels."""
MOST_PICKERS = 3


class TensorView(QWidget):
    """A picture of a value; `controls`, which stand elsewhere, choose what it shows.

    Signals:
        wanted: the user asks for another part; carries "slice" or "channels" and the leading indices.
        questioned: the pointer rests on a block of several values; carries the whole index of the first.
    """

    wanted = Signal(str, list)
    questioned = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.data: Mapping[str, Any] | None = None
        self.names: Sequence[str] = ()
        self.exact: tuple[list[int], float] | None = None
        self._is_image = False
        self._columns = 1
        self._values = np.zeros((0, 0))
        self.what = Segments(
            "What to show",
            [("slice", "Slice", "The last two axes"), ("channels", "Channels", "All channels side by side")],
        )
        self.what.chosen.connect(self._want)
        self.pickers = [IndexPicker("axis") for _ in range(MOST_PICKERS)]
        for picker in self.pickers:
            picker.picked.connect(lambda _index: self._want(self.what.choice))
        self.map = HeatMap("The value as a picture")
        self.map.pointed.connect(self._point)
        self.under = ElidedLabel("", "number")
        self.under.setAccessibleName("Value under the pointer")
        self.bad = label("", "error")
        self.bad.setProperty("compact", "yes")
        self.legend = Legend()
        self.controls = QWidget()
        head = QHBoxLayout(self.controls)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(theme.SPACE_2)
        for widget in (self.what, *self.pickers):
            head.addWidget(widget)
        foot = QHBoxLayout()
        foot.setSpacing(theme.SPACE_2)
        foot.addWidget(self.under, 1)
        foot.addWidget(self.bad)
        foot.addWidget(self.legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addWidget(self.map, 1)
        layout.addLayout(foot)

    def show_nothing(self, words: str) -> None:
        """No value; words in its place say why."""
        self.data, self.exact = None, None
        for widget in (self.what, self.legend, self.bad, *self.pickers):
            widget.setVisible(False)
        self.map.show_matrix(None, words)
        self.under.setText("")

    def show_value(self, data: Mapping[str, Any], names: Sequence[str], *, is_image: bool) -> None:
        """A part of a value as the engine gives it, and what its axes are called."""
        self.data, self.names, self.exact = data, names, None
        self.legend.setVisible(True)
        shape, index = data["shape"], data["index"]
        self.what.setVisible(len(shape) >= 4 or "grid" in data)
        self.what.show_choice("channels" if "grid" in data else "slice")
        for axis, picker in enumerate(self.pickers):
            shown = axis < len(index) and shape[axis] > 1
            picker.setVisible(shown)
            if axis < len(index):
                picker.show_axis(self.name(axis), shape[axis], index[axis])
        self._is_image = is_image
        self._lay_out()
        bad = data.get("bad")
        count = int(bad.sum()) if bad is not None else 0
        self.bad.setVisible(count > 0)
        self.bad.setText(f"{count} of {bad.size} are NaN or Inf" if bad is not None and count else "")
        self._point(*self.map.cell)

    def _lay_out(self) -> None:
        """Give the picture to the map; channels lie so that they are as large as the room allows."""
        data = self.data
        if data is None:
            return
        table = table_for(data["low"], data["high"])
        image, values, bad, blank = data["image"], data["values"], data.get("bad"), None
        if "grid" in data:
            tiles = [None if part is None else _tiles(part, data, self.channels) for part in (image, values, bad)]
            room = (self.map.height(), self.map.width())
            self._columns = best_columns(self.channels, data["tile"], room)
            (image, blank), (values, _) = _sheet(tiles[0], self._columns), _sheet(tiles[1], self._columns)
            bad = None if tiles[2] is None else _sheet(tiles[2], self._columns)[0]
        self._values = values
        square = self._is_image or "grid" in data
        self.map.show_matrix(Matrix(image, table, bad, blank, square=square))
        self.legend.show_range(data["low"], data["high"], table)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        data = self.data
        if data is not None and "grid" in data:
            room = (self.map.height(), self.map.width())
            if best_columns(self.channels, data["tile"], room) != self._columns:
                self._lay_out()

    def show_exact(self, index: list[int], value: float) -> None:
        """The number at an index that the picture does not show on its own."""
        self.exact = (index, value)
        self._point(*self.map.cell)

    def name(self, axis: int) -> str:
        """What an axis is called."""
        return self.names[axis] if axis < len(self.names) and self.names[axis] else f"axis {axis}"

    @property
    def channels(self) -> int:
        """How many channels the picture holds."""
        data = self.data
        return min(data["shape"][-3], data["grid"][0] * data["grid"][1]) if data is not None and "grid" in data else 0

    @property
    def index(self) -> list[int]:
        """The leading indices that are picked."""
        count = len(self.data["index"]) if self.data else 0
        return [picker.index for picker in self.pickers[:count]]

    def _want(self, what: str) -> None:
        shape = self.data["shape"] if self.data else []
        leading = max(0, len(shape) - (3 if what == "channels" else 2))
        index = (self.index + [0] * leading)[:leading]
        self.wanted.emit(what, index)

    def _point(self, row: int, column: int) -> None:
        data = self.data
        where = self._place(row, column) if data is not None and row >= 0 else None
        self.legend.point(float(self._values[row, column]) if where is not None else None)
        if data is None or where is None:
            axes = [f"{self.name(axis)} {size}" for axis, size in enumerate(data["shape"])][-2:] if data else []
            self.under.setProperty("role", "faint")
            self.under.setText(" × ".join(axes) if "grid" not in (data or {}) else self._grid_words())
        else:
            self.under.setProperty("role", "number")
            self.under.setText(self._words(where, float(self._values[row, column])))
            if self.map.hasFocus():
                VOICE.say(self.map, self.under.text())
        self.under.style().unpolish(self.under)
        self.under.style().polish(self.under)

    def _grid_words(self) -> str:
        assert self.data is not None
        *_, channels, height, width = self.data["shape"]
        return f"{channels} channels of {height} × {width}"

    def _place(self, row: int, column: int) -> list[int] | None:
        """The whole index of the first value in a cell, or None in a gap between channels."""
        data = self.data
        assert data is not None
        down, across = data["block"]
        lead = list(data["index"])
        if "grid" in data:
            height, width = data["tile"]
            (line, y), (place, x) = divmod(row, height + GAP), divmod(column, width + GAP)
            channel = line * self._columns + place
            if y >= height or x >= width or channel >= self.channels:
                return None
            return [*lead, channel, y * down, x * across]
        return [*lead, row * down, column * across][-len(data["shape"]) :] if data["shape"] else []

    def _words(self, where: list[int], value: float) -> str:
        data = self.data
        assert data is not None
        place = f"[{', '.join(str(part) for part in where)}]"
        if data["block"] == [1, 1]:
            return f"{place}  {numbers.value(value, 5)}"
        if self.exact is not None and self.exact[0] == where:
            return f"{place}  {numbers.value(self.exact[1], 5)}"
        self.questioned.emit(where)
        down, across = data["block"]
        return f"{place}  ≈ {numbers.value(value)}, mean of {down} × {across}"


def best_columns(count: int, tile: Sequence[int], room: tuple[int, int]) -> int:
    """How many pictures side by side are largest in a room of given height and width."""

    def scale(columns: int) -> float:
        rows = -(-count // columns)
        return min(room[1] / (columns * (tile[1] + GAP)), room[0] / (rows * (tile[0] + GAP)))

    return max(range(1, count + 1), key=scale)


def _tiles(sheet: np.ndarray, data: Mapping[str, Any], count: int) -> np.ndarray:
    """The pictures on a sheet, one after the other."""
    rows, columns = data["grid"]
    height, width = data["tile"]
    padded = np.pad(sheet, ((0, GAP), (0, GAP)))
    cells = padded.reshape(rows, height + GAP, columns, width + GAP).swapaxes(1, 2)
    return cells[:, :, :height, :width].reshape(rows * columns, height, width)[:count]


def _sheet(tiles: np.ndarray, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Pictures on a sheet, so many side by side; and which cells of the sheet are none of theirs."""
    count, height, width = tiles.shape
    rows = -(-count // columns)
    sheet = np.zeros((rows, columns, height + GAP, width + GAP), dtype=tiles.dtype)
    blank = np.ones(sheet.shape, dtype=bool)
    sheet.reshape(rows * columns, height + GAP, width + GAP)[:count, :height, :width] = tiles
    blank.reshape(rows * columns, height + GAP, width + GAP)[:count, :height, :width] = False
    size = (rows * (height + GAP), columns * (width + GAP))
    flat, holes = sheet.swapaxes(1, 2).reshape(size), blank.swapaxes(1, 2).reshape(size)
    return flat[:-GAP, :-GAP], holes[:-GAP, :-GAP]
