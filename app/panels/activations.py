"""The activations panel: every value of the last run, and a closer look at the selected one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from app import numbers, theme
from app.panels.bottom import BottomPanel
from app.panels.inside.addresses import nearest, node_of, path_of
from app.panels.inside.table import ValueTable
from app.panels.inside.tensor import TensorView
from app.widgets.columns import NARROW, Column, Columns
from app.widgets.field import Field
from app.widgets.figures import Figure, Figures
from app.widgets.histogram import Histogram
from app.widgets.text import ElidedLabel
from app.workspace import Workspace
from blocks.shapes import axes_of

LIMIT = 512
"""The most values on a side of a picture; more would not be seen."""


ROOMY = 420
"""The width from which figures stand beside the picture."""
TALL = 280
"""The height from which they stand above it where it is narrower."""


class Activations(BottomPanel):
    """What came out of every block."""

    name = "activations"
    title = "Activations"
    rank = 20

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.address = ""
        self._data: Mapping[str, Any] = {}
        self._what: dict[str, tuple[str, list[int]]] = {}
        self.inspection = self.question("inspect", delay=60)
        self.inspection.answered.connect(lambda _data: self._show_picture())
        self.inspection.failed.connect(lambda _sentence: self._show_picture())
        self.exact = self.question("inspect", delay=120)
        self.exact.answered.connect(lambda data: self.view.show_exact(list(data["index"]), data["value"]))
        self.search = Field(mono=False)
        self.search.setPlaceholderText("Find a block")
        self.search.setAccessibleName("Find a block")
        self.search.setToolTip("Show only the rows that hold these words")
        self.search.setProperty("compact", "yes")
        self.search.setMaximumWidth(240)
        self.search.textChanged.connect(lambda text: self.table.search(text))
        self.search.dismissed.connect(self.search.clear)
        self.note = ElidedLabel("", "faint")
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.table = ValueTable()
        self.table.picked.connect(self._pick)
        self.heading = ElidedLabel("", "section")
        self.shape = ElidedLabel("", "muted")
        self.figures = Figures("Statistics")
        self.histogram = Histogram("How often values occur")
        self.view = TensorView()
        self.view.wanted.connect(self._want)
        self.view.questioned.connect(self._question_value)
        self._build()

    def refresh(self) -> None:
        if self._kept_session is not self.session:
            self.inspection.forget()
        data = self.reading()
        activations = data.get("activations", {})
        if not activations:
            self._data = {}
            self.show_run_missing("see what comes out of every block")
            return
        self.show_body()
        if data is not self._data:
            self._data = data
            self.table.show_run(activations)
            self.inspection.drop()
        self._show_note()
        self._follow(activations)
        self._show_node()
        self._ask()

    # The parts.

    def _build(self) -> None:
        left = QWidget()
        head = QHBoxLayout()
        head.setSpacing(theme.SPACE_2)
        head.addWidget(self.search, 1)
        head.addWidget(self.note, 1)
        column = QVBoxLayout(left)
        column.setContentsMargins(theme.SPACE_2, theme.SPACE_2, 0, 0)
        column.setSpacing(theme.SPACE_1)
        head.setContentsMargins(theme.SPACE_2, 0, theme.SPACE_2, 0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        numbers_side = QVBoxLayout()
        numbers_side.setSpacing(theme.SPACE_1)
        numbers_side.addWidget(self.figures)
        numbers_side.addWidget(self.histogram, 1)
        title = QHBoxLayout()
        title.setSpacing(theme.SPACE_2)
        title.addWidget(self.heading)
        title.addWidget(self.shape)
        title.addStretch(1)
        title.addWidget(self.view.controls)
        self._numbers = QWidget()
        self._numbers.setLayout(numbers_side)
        numbers_side.setContentsMargins(0, 0, 0, 0)
        self._lower = Columns(
            (Column(self._numbers, width=216), Column(self.view, 1, height=200)), (0, 0, 0, 0), narrow=ROOMY, tall=TALL
        )
        self._lower.turned.connect(self._make_room)
        right = _Side()
        right.resized.connect(self._make_room)
        right.setMinimumWidth(260)
        self._right = right
        rest = QVBoxLayout(right)
        rest.setContentsMargins(theme.SPACE_4, theme.SPACE_2, theme.SPACE_4, theme.SPACE_2)
        rest.setSpacing(theme.SPACE_1)
        rest.addLayout(title)
        rest.addWidget(self._lower, 1)
        self._splitter = splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([620, 580])
        layout = QHBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        self._splitter.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)

    def _make_room(self) -> None:
        """Where there is no room for both, the picture stays."""
        self._numbers.setVisible(self._lower.is_stacked or self._right.width() >= ROOMY)

    # What is shown.

    def _show_note(self) -> None:
        sizes = " × ".join(f"{name} {size}" for name, size in self._data.get("sizes", {}).items())
        fresh = f"{sizes}, {numbers.duration(self._data.get('seconds', 0.0))}"
        self.note.setText(self.state_words() or fresh)

    def _follow(self, activations: Mapping[str, Any]) -> None:
        """Show what is selected on the canvas; of its rounds the one that was looked at."""
        focus = self.session.focus
        if focus is not None and (self.address not in activations or path_of(self.address) != focus):
            self.address = nearest(activations, focus, self.address) or self.address
        if self.address not in activations:
            self.address = next(reversed(activations), "")
        self.table.show_address(self.address)

    def _show_node(self) -> None:
        entry = self._data["activations"].get(self.address, {})
        self.heading.setText(str(entry.get("title", "")))
        self.heading.set_hint(self.address)
        self.shape.setText(" × ".join(str(size) for size in entry.get("shape", ())))
        self.figures.show_figures(_statistics(entry))
        histogram = entry.get("histogram")
        self.histogram.setVisible(histogram is not None)
        if histogram is not None:
            powers = entry.get("exponents")
            magnitudes = (int(powers["low"]), powers["counts"]) if powers is not None else None
            self.histogram.show_counts(histogram["edges"], histogram["counts"], magnitudes)
        self._show_picture()

    def _show_picture(self) -> None:
        data = self.inspection.data
        place, _ = node_of(self.address)
        if data is not None and data.get("node") == place:
            self.view.show_value(data, self._axis_names(), is_image=self._is_image())
        elif not self.inspection.busy:
            self.view.show_nothing(self.inspection.sentence or ("Run again to see it." if self.is_stale else ""))

    def _axis_names(self) -> list[str]:
        """What the axes are called: as the block's declaration says, else as their size in the drawing does."""
        report = self.session.report.node(path_of(self.address))
        if report is None or not report.outputs:
            return []
        _, output = node_of(self.address)
        name = output if output in report.outputs else next(iter(report.outputs))
        axes = axes_of(report.output_ports[name].pattern) if name in report.output_ports else ()
        known = [str(size) for size in report.outputs[name].shape]
        if "..." in axes:  # the named axes after the dots count from the end
            axes = axes[axes.index("...") + 1 :]
        if axes and len(axes) <= len(known):
            known[-len(axes) :] = axes
        return [axis.replace("_", " ") if not axis.isdecimal() else "" for axis in known]

    def _is_image(self) -> bool:
        report = self.session.report.node(path_of(self.address))
        return report is not None and any(signal.kind == "image" for signal in report.outputs.values())

    # What is asked and written.

    def _ask(self) -> None:
        if self.is_stale:  # the engine would look into another drawing than the table shows
            return
        place, output = node_of(self.address)
        rank = len(self._data["activations"][self.address].get("shape", ()))
        usual = ("channels", []) if rank >= 4 and self._is_image() else ("slice", [])
        what, index = self._what.get(self.address, usual)
        options = {"node": place, "output": output, "index": index or None, "what": what, "limit": LIMIT}
        self.inspection.ask(**options, **self.workspace.run_state.options)

    def _want(self, what: str, index: list[int]) -> None:
        self._what[self.address] = (what, index)
        self._ask()

    def _question_value(self, index: list[int]) -> None:
        if self.is_stale:
            return
        place, output = node_of(self.address)
        options = {"node": place, "output": output, "index": index, "what": "value"}
        self.exact.ask(**options, **self.workspace.run_state.options)

    def _pick(self, address: str) -> None:
        self.address = address
        path = path_of(address)
        if self.session.focus != path:
            self.session.show(path)
        self.invalidate()


class _Side(QWidget):
    """One side of the panel, which says when it has another size."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


def _statistics(entry: Mapping[str, Any]) -> list[Figure]:
    figures: list[Figure] = []
    for name in ("mean", "std", "min", "max"):
        value = entry.get(name)
        figures.append(
            Figure(name, "—" if value is None else numbers.value(value), "" if value is None else repr(value))
        )
    for name, title in (("nan", "NaN"), ("inf", "Inf")):
        if entry.get(name):
            figures.append(Figure(title, numbers.exact(entry[name]), f"{entry[name]} values", "error"))
    return figures
