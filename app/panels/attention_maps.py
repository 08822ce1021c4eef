"""The attention panel: every head at a glance, one map with its tokens, and what a token looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app import theme
from app.access.voice import VOICE
from app.panels.bottom import BottomPanel
from app.panels.inside.addresses import plain
from app.panels.inside.heads import looker, looks_at, token_labels, whole_map
from app.widgets.bars import Bars
from app.widgets.colours import sequential
from app.widgets.columns import Column, Columns
from app.widgets.combo import Combo
from app.widgets.figures import Figures
from app.widgets.head_grid import Atlas, HeadGrid
from app.widgets.heat_map import HeatMap, Matrix
from app.widgets.legend import Legend
from app.widgets.picker import IndexPicker
from app.widgets.text import ElidedLabel, label
from app.workspace import Workspace

THUMBNAIL = 64
SIZE = 512
GAMMA = 0.5
"""Weights of attention are mostly small; their square root is what colours can tell apart."""
WIDE, MIDDLE = 900, 640
"""Widths from which the whole-map figures, and the bars, have room."""


class AttentionMaps(BottomPanel):
    """What the heads of an attention block look at."""

    name = "attention_maps"
    title = "Attention maps"
    rank = 10

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.node = ""
        self.place = (0, 0)
        self.row = -1
        self.batch = 0
        self._data: Mapping[str, Any] = {}
        self._focus: Any = None
        self._atlas: Mapping[str, Any] | None = None
        self._map: Mapping[str, Any] | None = None
        self.overview = self.question("attention", delay=60)
        self.overview.answered.connect(self._take_atlas)
        self.overview.failed.connect(lambda _sentence: self._show_words())
        self.closeup = self.question("attention", delay=30)
        self.closeup.answered.connect(self._take_map)
        self.closeup.failed.connect(lambda _sentence: self._show_words())
        self.grid = HeadGrid("Attention of every layer and head")
        self.grid.chosen.connect(self._choose_head)
        self.grid.scrolled.connect(self._show_words)
        self.caption = ElidedLabel("", "faint")
        self.chooser = Combo()
        self.chooser.setAccessibleName("Attention block")
        self.chooser.setToolTip("Whose attention to show")
        self.chooser.setSizeAdjustPolicy(Combo.SizeAdjustPolicy.AdjustToContents)
        self.chooser.activated.connect(lambda place: self._choose_node(self.chooser.itemData(place)))
        self.sample = IndexPicker("sample")
        self.sample.picked.connect(self._choose_batch)
        self.heading = ElidedLabel("", "section")
        self.size = ElidedLabel("", "muted")
        self.size.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.map = HeatMap("Attention map")
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(self._keep_row)
        self.legend = Legend(strip=40)
        self.looks = ElidedLabel("", "section")
        self.bars = Bars("What the token looks at")
        self.whole = label("Whole map", "section")
        self.figures = Figures("Whole map")
        self._build()

    def refresh(self) -> None:
        if self._kept_session is not self.session:
            self._atlas = self._map = None
            self.grid.show_atlas(None, (0, 0))
            self.map.show_matrix(None)
            self.legend.setVisible(False)
            self.bars.show_bars(())
            self.figures.show_figures(())
            for words in (self.heading, self.size, self.looks, self.caption):
                words.setText("")
        data = self.reading()
        nodes = {plain(address): address for address in reversed(data.get("kernels", {}))}
        if not nodes:
            self._data = {}
            if data:
                self.show_empty("Nothing in this drawing attends: there is no attention block that reaches an output.")
            else:
                self.show_run_missing("see what every head looks at")
            return
        self.show_body()
        if data is not self._data:
            self._data = data
            self.overview.drop()
            self.closeup.drop()
        self._show_choices(dict(reversed(nodes.items())))
        batch = int(data.get("sizes", {}).get("batch", 1))
        self.batch = min(self.batch, batch - 1)
        self.sample.setVisible(batch > 1)
        self.sample.show_axis("sample", batch, self.batch)
        self._ask()
        self._show_atlas()
        self._show_map()
        if self._atlas is None and self.is_stale:  # nothing was kept of the run, and now it cannot be asked
            self.show_run_missing("see what every head looks at")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_parts()

    def _show_parts(self) -> None:
        """What there is room for."""
        stacked = self._columns.is_stacked
        self._figures_part.setVisible(stacked or self.width() >= WIDE)
        self._bars_part.setVisible(stacked or self.width() >= MIDDLE)
        self._fit_map()

    # The parts.

    def _build(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(theme.SPACE_3)
        foot.addWidget(self.chooser)
        foot.addWidget(self.sample)
        foot.addWidget(self.caption, 1)
        grid_part = QWidget()
        grid = QVBoxLayout(grid_part)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.SPACE_1)
        grid.addWidget(self.grid, 1)
        grid.addLayout(foot)
        head = QHBoxLayout()
        head.setSpacing(theme.SPACE_2)
        head.addWidget(self.heading)
        head.addWidget(self.size, 1)
        head.addSpacing(theme.SPACE_1)
        head.addWidget(self.legend)
        self._map_part = QWidget()
        closeup = QVBoxLayout(self._map_part)
        closeup.setContentsMargins(0, 0, 0, 0)
        closeup.setSpacing(theme.SPACE_1)
        closeup.addLayout(head)
        closeup.addWidget(self.map, 1)
        self._bars_part = QWidget()
        looks = QVBoxLayout(self._bars_part)
        looks.setContentsMargins(0, 0, 0, 0)
        looks.setSpacing(theme.SPACE_1)
        looks.addWidget(self.looks)
        looks.addWidget(self.bars, 1)
        self._figures_part = QWidget()
        figures = QVBoxLayout(self._figures_part)
        figures.setContentsMargins(0, 0, 0, 0)
        figures.setSpacing(theme.SPACE_1)
        figures.addWidget(self.whole)
        figures.addWidget(self.figures)
        figures.addStretch(1)
        self._columns = Columns(
            (
                Column(grid_part, 5, height=200), Column(self._map_part, height=280),
                Column(self._bars_part, 3, height=200), Column(self._figures_part, width=160),
            ),
            self.margins(),
        )  # fmt: skip
        self._columns.turned.connect(self._show_parts)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._columns)

    def _fit_map(self) -> None:
        """Give the map a square and its labels, and no more."""
        matrix = self.map.matrix
        aspect = 1.0 if matrix is None else matrix.shape[1] / max(1, matrix.shape[0])
        room = self.map.height() - self.map.below
        picture = int(self.map.beside + room * aspect) + 3
        parts = (self.heading, self.size, self.legend)
        words = sum(part.sizeHint().width() for part in parts) + theme.SPACE_6
        self._columns.set_width(self._map_part, max(words, min(picture, self.width() * 2 // 5)))

    # What is shown.

    def _show_choices(self, nodes: Mapping[str, str]) -> None:
        """The attention blocks of the run; the one that is selected on the canvas comes forward."""
        focus = "/".join(self.session.focus or ())
        if focus != self._focus:
            self._focus = focus
            mine = [node for node in nodes if node == focus or node.startswith(f"{focus}/")]
            if mine and self.node not in mine:
                self.node = mine[0]
        if self.node not in nodes:
            self.node = next(iter(nodes))
        shown = [f"{self._title(address)}  {node}".strip() for node, address in nodes.items()]
        with QSignalBlocker(self.chooser):
            if [self.chooser.itemText(place) for place in range(self.chooser.count())] != shown:
                self.chooser.clear()
                for text, node in zip(shown, nodes, strict=True):
                    self.chooser.addItem(text, node)
            self.chooser.setCurrentIndex(list(nodes).index(self.node))
        self.chooser.setVisible(len(nodes) > 1)

    def _title(self, address: str) -> str:
        """The title of the block at an address, or in which it lies: one that attends twice is told by its parts."""
        titles = self._data.get("activations", {})
        while address and address not in titles:
            address = address.rpartition("/")[0]
        return titles[address]["title"] if address else ""

    def _show_atlas(self) -> None:
        data = self._atlas
        if data is None:
            return
        rows, columns = len(data["addresses"]), len(data["heads"])
        self.place = (min(self.place[0], rows - 1), min(self.place[1], columns - 1))
        layers = [str(layer) for layer in data["layers"]]
        heads = [str(head) for head in data["heads"]]
        atlas = Atlas(data["maps"], (data["tile"][0], data["tile"][1]), layers, heads, sequential(GAMMA))
        self.grid.show_atlas(atlas, self.place)
        self._show_words()

    def _show_map(self) -> None:
        data = self._map
        if data is None:
            return
        weights = data["maps"][0, 0]
        high = float(data["highs"][0, 0]) or 1.0
        pixels = np.rint(np.clip(weights / high, 0, 1) * 255).astype(np.uint8)
        down, across = data["block"]
        rows = token_labels(data["labels"], data["query"], down)
        columns = token_labels(data["key_labels"], data["key"], across)
        self.map.show_matrix(Matrix(pixels, sequential(GAMMA), rows=rows, columns=columns))
        self.legend.show_range(0.0, high, sequential(GAMMA))
        self.legend.setVisible(True)
        if not 0 <= self.row < len(rows):
            self.row = len(rows) - 1
        self._fit_map()
        self._show_row(self.map.cell[0])
        self.figures.show_figures(whole_map(data))
        self._show_words()

    def _show_words(self) -> None:
        """Headings and captions."""
        sentence = self.overview.sentence or self.closeup.sentence
        data = self._atlas
        if data is None:
            self.caption.setText(sentence)
            return
        layers, heads = data["layers"], data["heads"]
        first, last = self.grid.visible_rows
        shown = f"layers {layers[first]} – {layers[last]} of {len(layers)}" if last - first + 1 < len(layers) else ""
        self.caption.setText(" · ".join(part for part in (sentence, self.state_words(), shown) if part))
        row, column = self.place
        layer = f"Layer {layers[row]}, head {heads[column]}" if len(layers) > 1 else f"Head {heads[column]}"
        self.heading.setText(layer)
        query, key = data["query"], data["key"]
        word = "tokens" if data["labels"] or data["key_labels"] else "places"
        self.size.setText(f"{query} × {key} {word}")

    def _show_row(self, hovered: int) -> None:
        """What one row looks at: the one under the pointer, else the one that was clicked."""
        data = self._map
        if data is None or self.map.matrix is None:
            return
        row = hovered if hovered >= 0 else self.row
        self.map.light(row)
        down, across = data["block"]
        keys = token_labels(data["key_labels"], data["key"], across)
        self.looks.setText(looker(data["labels"], row, data["query"], down))
        self.bars.show_bars(looks_at(np.asarray(data["maps"][0, 0][row]), keys))

    # What is asked and chosen.

    def _ask(self) -> None:
        if self.is_stale:  # the engine would look into another drawing than the one that ran
            return
        options = self.workspace.run_state.options
        self.overview.ask(node=self.node, batch=self.batch, atlas=True, thumbnail=THUMBNAIL, **options)
        data = self._atlas
        if data is not None and not self.overview.busy:
            address, head = data["addresses"][self.place[0]], data["heads"][self.place[1]]
            self.closeup.ask(node=address, head=head, batch=self.batch, size=SIZE, **options)

    def _take_atlas(self, data: Mapping[str, Any]) -> None:
        self._atlas = data
        self._show_atlas()
        self._ask()
        if self.is_empty:
            self.invalidate()

    def _take_map(self, data: Mapping[str, Any]) -> None:
        self._map = data
        self._show_map()

    def _choose_head(self, row: int, column: int) -> None:
        self.place = (row, column)
        self._show_words()
        self._ask()

    def _choose_node(self, node: str) -> None:
        self.node = node
        self.invalidate()

    def _choose_batch(self, batch: int) -> None:
        self.batch = batch
        self.invalidate()

    def _keep_row(self, row: int, _column: int) -> None:
        self.row = row
        self._show_row(row)

    def _point(self, row: int, column: int) -> None:
        self._show_row(row)
        data, matrix = self._map, self.map.matrix
        if data is None or matrix is None or row < 0:
            self.map.setToolTip("")
            self.legend.point(None)
            self._show_words()
            return
        weight = float(data["maps"][0, 0][row, column])
        self.legend.point(weight)
        self.map.setToolTip(f"{matrix.rows[row]} → {matrix.columns[column]}: {weight:.4f}")
        self.size.setText(f"{matrix.rows[row]} → {matrix.columns[column]}  {weight:.4f}")
        if self.map.hasFocus():
            VOICE.say(self.map, self.map.toolTip())
