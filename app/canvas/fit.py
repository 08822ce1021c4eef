"""Fitting a drawing into a view so that no node lies under the minimap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QRectF, QSize

from app.canvas.camera import BELOW, SIDE, Camera
from app.canvas.geometry import LevelGeometry
from app.canvas.minimap import HIGH, MARGIN, WIDE, Minimap

AIR = 12.0


def fit(
    camera: Camera,
    bounds: tuple[float, float, float, float],
    size: QSize,
    minimap: Minimap,
    geometry: LevelGeometry,
) -> None:
    """Show a rectangle of the scene as large as it fits; beside or above the minimap where nodes would be under it."""
    minimap.place(size, geometry)
    camera.fit(bounds, size)
    if not _covers(minimap.rect, camera, geometry):
        return
    beside, above = replace(camera), replace(camera)
    beside.fit(bounds, size, right=max(SIDE, WIDE + MARGIN + AIR))
    above.fit(bounds, size, below=max(BELOW, HIGH + MARGIN + AIR))
    best = above if above.zoom >= beside.zoom else beside
    camera.zoom, camera.x, camera.y = best.zoom, best.x, best.y


def _covers(rect: QRectF, camera: Camera, geometry: LevelGeometry) -> bool:
    """Whether a node lies under a rectangle of the widget."""
    if rect.isEmpty():
        return False
    left, top, right, bottom = camera.rect_to_scene(rect.adjusted(-AIR, -AIR, AIR, AIR))
    places = geometry.rects
    under = (places[:, 0] < right) & (places[:, 2] > left) & (places[:, 1] < bottom) & (places[:, 3] > top)
    return bool(np.any(under))
