"""Travel: a group that is entered grows out of its place, and shrinks back into it when it is left.

Only what is painted travels: the view of the level is where it belongs from the start, so that whatever a user does
on the way ends it and meets the right places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QVariantAnimation
from shiboken6 import isValid

from app.canvas.camera import Camera
from app.motion import Motion

if TYPE_CHECKING:
    from app.canvas.surface import Surface
    from graph.document import Path

LARGEST = 6.0
_ENDS = (
    QEvent.Type.MouseButtonPress, QEvent.Type.Wheel, QEvent.Type.KeyPress, QEvent.Type.Resize,
    QEvent.Type.NativeGesture, QEvent.Type.Hide, QEvent.Type.DragEnter,
)  # fmt: skip


class Travel(QObject):
    """Shows a level through a camera that is on its way to the level's own."""

    def __init__(self, canvas: Surface) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._start: Camera | None = None
        self._here: Path | None = None
        self._place: QRectF | None = None
        self._group = ""
        self._running: QVariantAnimation | None = None
        self.camera: Camera | None = None
        """What is painted through on the way; None when there."""
        canvas.installEventFilter(self)

    @property
    def is_moving(self) -> bool:
        """Whether the view is on its way."""
        return self._running is not None

    @property
    def eye(self) -> Camera:
        """What is painted through: the level's own camera, or one on its way there."""
        return self.camera or self._canvas.camera

    def forget(self) -> None:
        """Another drawing is shown: there is no way to it."""
        self._here = None

    def set_out(self, at: Path) -> None:
        """Another level is about to be shown: remember where the group is that leads to it."""
        canvas, here = self._canvas, self._here
        self._place, self._group, self._here = None, "", at
        if here is None or here == at:
            return
        if at[: len(here)] == here:
            bounds = canvas.geometry_of.bounds([at[len(here)]])
            if bounds is not None:
                self._place = canvas.cameras.setdefault(here, Camera()).rect_to_screen(*bounds)
        elif here[: len(at)] == at:
            self._group = here[len(at)]

    def go(self) -> None:
        """The level is shown now: go in, or come out."""
        if self._place is not None:
            self._enter(self._place)
        elif self._group:
            self._leave(self._group)

    def _enter(self, place: QRectF) -> None:
        """Begin as small as the group was."""
        extent = self._canvas.geometry_of.extent()
        if extent is None or place.isEmpty():
            return
        left, top, right, bottom = extent
        zoom = min(place.width() / max(right - left, 1.0), place.height() / max(bottom - top, 1.0))
        middle = place.center()
        x, y = middle.x() - (left + right) / 2 * zoom, middle.y() - (top + bottom) / 2 * zoom
        self._go(Camera(zoom, round(x), round(y)))

    def _leave(self, group: str) -> None:
        """Begin with the group as large as the view."""
        canvas = self._canvas
        bounds = canvas.geometry_of.bounds([group])
        if bounds is None:
            return
        left, top, right, bottom = bounds
        size = canvas.size()
        zoom = min(size.width() / max(right - left, 1.0), size.height() / max(bottom - top, 1.0), LARGEST)
        zoom = max(zoom, canvas.camera.zoom)
        x, y = size.width() / 2 - (left + right) / 2 * zoom, size.height() / 2 - (top + bottom) / 2 * zoom
        self._go(Camera(zoom, round(x), round(y)))

    def stop(self) -> None:
        """Be there."""
        running, self._running = self._running, None
        if running is not None and isValid(running):
            running.finished.disconnect(self._arrive)
            running.stop()
        if self.camera is not None:
            self._arrive()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._running is not None and event.type() in _ENDS:
            self.stop()
        return False

    def _go(self, start: Camera) -> None:
        self.stop()
        if not Motion.is_on or not self._canvas.isVisible():
            return
        self._start = start
        self._show(0.0)
        self._running = Motion.run(self, self._show, self._arrive)

    def _show(self, moment: float) -> None:
        """Zoom evenly to the eye; the point that both views share moves on a line."""
        start, end = self._start, self._canvas.camera
        if start is None:
            return
        zoom = start.zoom * (end.zoom / start.zoom) ** moment
        span = end.zoom - start.zoom
        share = (zoom - start.zoom) / span if abs(span) > 1e-9 else moment
        x, y = start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share
        self.camera = Camera(zoom, round(x), round(y))
        self._canvas.update()

    def _arrive(self) -> None:
        self._running = self._start = self.camera = None
        self._canvas.update()
