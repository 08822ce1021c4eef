"""Glide: nodes that an edit has moved are shown on their way there. The document knows nothing of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QVariantAnimation

from app.motion import Motion

if TYPE_CHECKING:
    from app.canvas.view import Canvas


class Glide:
    """Shows nodes between where they were and where they are; whatever comes in between puts them in place."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._from: dict[str, tuple[float, float]] = {}
        self._running: QVariantAnimation | None = None

    @property
    def is_moving(self) -> bool:
        """Whether nodes are on their way."""
        return self._running is not None

    def start(self, before: Mapping[str, tuple[float, float]]) -> None:
        """Show nodes on the way from where they were."""
        self.stop()
        if not Motion.is_on:
            return
        self._from = dict(before)
        self._show(0.0)
        self._running = Motion.run(self._canvas, self._show, self._arrive)

    def stop(self) -> None:
        """Put the nodes where they belong."""
        running, self._running = self._running, None
        if running is not None:
            running.finished.disconnect(self._arrive)
            running.stop()
            self._arrive()

    def _show(self, moment: float) -> None:
        if not self._from:
            return
        geometry = self._canvas.geometry_of
        places: dict[str, tuple[float, float]] = {}
        for id, (x, y) in self._from.items():
            if id in geometry.index:
                end = geometry.nodes[geometry.index[id]].position
                places[id] = (x + (end[0] - x) * moment, y + (end[1] - y) * moment)
        geometry.show_at(places)
        self._canvas.update()

    def _arrive(self) -> None:
        self._running = None
        ids, self._from = list(self._from), {}
        self._canvas.geometry_of.shift(ids, 0, 0, rest=True)
        self._canvas.update()
