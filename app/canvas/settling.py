"""Detours of wires are found while there is time for it; what that changes is painted, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF

from app.canvas.paint_far import are_curves
from app.canvas.paint_wires import PILL_HEIGHT, PILL_REACH

if TYPE_CHECKING:
    from app.canvas.camera import Camera
    from app.canvas.surface import Surface


def settle_seen(canvas: Surface, eye: Camera, area: QRectF) -> bool:
    """Find detours of the wires in sight, if they are painted as curves, for as long as a picture may take.

    Returns whether all are found. What lies outside the area that is about to be painted is painted after it.
    """
    geometry = canvas.geometry_of
    if not are_curves(geometry, eye.zoom):
        return True
    seen = geometry.seen_wires(*eye.rect_to_scene(canvas.rect().toRectF()))
    waiting = geometry.waiting(seen)
    if not len(waiting):
        return True
    before = geometry.wire_bounds[waiting]
    is_done = geometry.settle(waiting.tolist())
    laid = ~np.isin(waiting, geometry.waiting(waiting))
    rows = waiting[laid]
    around = np.concatenate([before[laid], geometry.wire_bounds[rows]])
    wide, high = PILL_REACH, PILL_HEIGHT
    rects = [QRectF(x - 4, y - 4, right - x + 8, far - y + 8) for x, y, right, far in around.tolist()]
    for x, y in geometry.middles[np.union1d(rows, geometry.relabelled()), :2].tolist():  # their shapes come or go
        rects.append(QRectF(x - wide, y - high, 2 * wide, 2 * high))
    shown = QRectF(canvas.rect())
    for rect in rects:
        here = eye.transform.mapRect(rect).intersected(shown)
        if not here.isEmpty() and not area.contains(here):
            canvas.update(here.toAlignedRect())
    return is_done
