"""The memory panel: what a run or a training step needs, of which kind and where; and what the last run took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app import numbers, theme
from app.panels.bottom import BottomPanel
from app.panels.inside.attention_card import AttentionCard
from app.panels.inside.what_if import WIDTH, WhatIf
from app.panels.pages.cost import WIDTHS
from app.widgets.bars import Bar, Bars
from app.widgets.columns import Column, Columns
from app.widgets.figures import Figure, Figures
from app.widgets.segments import Segments
from app.widgets.stack import Part, StackedBar
from app.widgets.text import ElidedLabel, label
from app.workspace import Workspace

KINDS = {
    "parameters": ("parameters", "Linear"),
    "buffers": ("buffers", "Reshaping"),
    "activations": ("activations", "Activation"),
    "gradients": ("gradients", "Normalization"),
    "optimizer": ("optimizer", "Attention"),
}
"""Kind → what it is called, and the category whose hue it borrows."""
LARGEST = 12
WIDE, MIDDLE = 960, 640
"""Widths from which the measured figures, and the largest blocks, have room."""


class Memory(BottomPanel):
    """What memory is needed for."""

    name = "memory"
    title = "Memory"
    rank = 30

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.asking = WhatIf(self._dtype())
        self.asking.asked.connect(self._ask)
        self.asking.turned.connect(self._show)
        self._shown: Mapping[str, Any] | None = None
        self._session_shown = 0
        self.estimate = self.question("estimate", delay=300)
        self.estimate.answered.connect(self._take)
        self.estimate.failed.connect(lambda _sentence: self._show())
        self.total = label("", "heading")
        self.where = ElidedLabel("", "muted")
        self.bar = StackedBar("Memory by kind")
        self.figures = Figures("Memory by kind")
        self.device = ElidedLabel("", "faint")
        self.measured_title = label("Measured", "section")
        self.measured = Figures("Memory that the last run took")
        self.measured_note = label("", "faint", wrap=True)
        self.largest_title = label("Largest", "section")
        self.by = Segments(
            "Largest by",
            [("parameters", "Parameters", "By what the blocks learn"), ("activations", "Results", "By what they give")],
        )
        self.by.chosen.connect(lambda _key: self._show())
        self.largest = Bars("Largest blocks")
        self.attention = AttentionCard()
        self.attention.picked.connect(lambda address: self.session.show(tuple(address.split("/"))))
        self.attention.dismissed.connect(self.asking.show_kinds)
        self._build()

    def refresh(self) -> None:
        if id(self.session) != self._session_shown:
            self._session_shown = id(self.session)
            self.asking.sizes = {}
            self._shown = None
            self.estimate.forget()
        report = self.session.report
        if not report.valid:
            if self._shown is None:
                first = next(issue for issue in report.issues if issue.severity == "error")
                self.show_empty(f"Nothing can be predicted yet. {first}")
                return
            self.estimate.drop()
        else:
            self._ask()
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_parts()

    def _show_parts(self) -> None:
        """What there is room for, or what is asked for."""
        kinds, stacked = not self.asking.is_attention, self._columns.is_stacked
        self._kinds.setVisible(kinds)
        self._measured_part.setVisible(kinds and (stacked or self.width() >= WIDE))
        self._largest_part.setVisible(kinds and (stacked or self.width() >= MIDDLE))
        self.attention.setVisible(not kinds)

    # The parts.

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(theme.SPACE_3)
        head.addWidget(self.total)
        head.addWidget(self.where, 1)
        self._kinds = QWidget()
        middle = QVBoxLayout(self._kinds)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(theme.SPACE_1)
        middle.addLayout(head)
        middle.addWidget(self.bar)
        middle.addWidget(self.figures)
        middle.addWidget(self.device)
        middle.addStretch(1)
        self._measured_part = QWidget()
        measured = QVBoxLayout(self._measured_part)
        measured.setContentsMargins(0, 0, 0, 0)
        measured.setSpacing(theme.SPACE_1)
        measured.addWidget(self.measured_title)
        measured.addWidget(self.measured)
        measured.addWidget(self.measured_note)
        measured.addStretch(1)
        self._largest_part = QWidget()
        largest = QVBoxLayout(self._largest_part)
        largest.setContentsMargins(0, 0, 0, 0)
        largest.setSpacing(theme.SPACE_1)
        title = QHBoxLayout()
        title.addWidget(self.largest_title)
        title.addStretch(1)
        title.addWidget(self.by)
        for heading in (self.measured_title, self.largest_title, self.total):
            heading.setFixedHeight(24)
        largest.addLayout(title)
        largest.addWidget(self.largest, 1)
        self._columns = Columns(
            (
                Column(self.asking, width=WIDTH), Column(self._kinds, 4), Column(self._measured_part, width=168),
                Column(self._largest_part, 4, height=200), Column(self.attention, 4, height=200),
            ),
            self.margins(),
        )  # fmt: skip
        self._columns.turned.connect(self._show_parts)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._columns)

    # What is shown.

    def _show(self) -> None:
        self.asking.show_state(self.estimate.sentence)
        self._show_parts()
        data = self._shown
        if data is None:
            if self.estimate.sentence:
                self.show_empty(self.estimate.sentence)
            elif not self.is_empty:
                self.show_empty("Predicting…")
            return
        self.show_body()
        self.asking.show_fields(data["sizes"], refused=bool(self.estimate.sentence))
        memory, peak = data["memory"], data["memory"]["peak"]
        self.total.setText(numbers.size(peak))
        self.total.setToolTip(f"{numbers.exact(peak)} bytes at the peak")
        self._show_place(data)
        colours = theme.current()
        at_peak = data.get("at_peak", memory)
        parts = [
            Part(title, at_peak[kind], colours.categories[hue], numbers.size(at_peak[kind]))
            for kind, (title, hue) in KINDS.items()
            if at_peak.get(kind)
        ]
        available = data.get("available")
        scale = max(peak, available or 0) * 1.02 if available is not None and available < 2 * peak else None
        self.bar.show_parts(parts, available if scale else None, scale)
        figures = [
            Figure(part.name, part.text, f"{numbers.exact(part.amount)} bytes", swatch=part.colour) for part in parts
        ]
        if memory.get("kv_cache"):
            hint = "keys and values kept while decoding; no part of the peak"
            figures.append(Figure("KV cache, decoding", numbers.size(memory["kv_cache"]), hint))
        self.figures.show_figures(figures)
        self._show_device(data, peak, available)
        self._show_measured()
        self._show_largest(data)
        self._show_attention(data)

    def _show_place(self, data: Mapping[str, Any]) -> None:
        peak_at = data.get("peak_at", {})
        title, phase = peak_at.get("title", ""), peak_at.get("phase", "")
        word = {"forward": "on the way forward", "backward": "on the way back"}.get(phase, "")
        self.where.setText(f"at the peak, in {title} {word}".strip() if title else "at the peak")
        self.where.set_hint(f"{peak_at.get('address', '')} {peak_at.get('operation', '')}".strip())

    def _show_device(self, data: Mapping[str, Any], peak: int, available: int | None) -> None:
        short = available is not None and peak > available
        self.device.setProperty("role", "error" if short else "faint")
        self.device.style().unpolish(self.device)
        self.device.style().polish(self.device)
        if available is None:
            self.device.setText("")
            return
        name = self.workspace.engine.device_name if self.workspace.engine is not None else ""
        name = name or str(data.get("device", "the device"))
        free = f"{numbers.size(available)} are free on {name}"
        self.device.setText(f"This does not fit: {free}." if short else free)

    def _show_measured(self) -> None:
        reading = self.reading()
        found = reading.get("memory", {})
        figures = [
            Figure(kind, numbers.size(found[kind]), f"{numbers.exact(found[kind])} bytes")
            for kind in ("peak", "parameters", "activations")
            if found.get(kind)
        ]
        self.measured.show_figures(figures)
        sizes = " × ".join(str(size) for size in reading.get("sizes", {}).values())
        note = f"by the last run, at {sizes}" if figures else "Nothing has run yet."
        self.measured_note.setText(note + (", before the last edit" if figures and self.is_stale else ""))

    def _show_largest(self, data: Mapping[str, Any]) -> None:
        by = self.by.choice
        width = WIDTHS.get(str(data.get("dtype", "float32")), 4)
        found = sorted(data["nodes"], key=lambda node: node[by], reverse=True)[:LARGEST]
        most = max((node[by] for node in found), default=0) or 1
        unit = width if by == "parameters" else 1
        bars = []
        for node in found:
            if node[by]:
                rounds = f" × {node['rounds']}" if node.get("rounds", 1) > 1 else ""
                bars.append(Bar(f"{node['address']}{rounds}", node[by] / most, numbers.size(node[by] * unit)))
        self.largest.show_bars(bars)

    def _show_attention(self, data: Mapping[str, Any]) -> None:
        self.asking.show_chips(str(data.get("dtype", "float32")))
        self.attention.show_costs(data["attention"], "/".join(self.session.focus or ()))

    # What is asked.

    def _dtype(self) -> str:
        return str(self.workspace.options.get("dtype", "float32"))

    def _ask(self) -> None:
        if self.session.report.valid:
            self.estimate.ask(**self.asking.options(self._dtype()))

    def _take(self, data: Mapping[str, Any]) -> None:
        self._shown = data
        self._show()
