"""The small picture of its inside that a group shows."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

import blocks
from app.canvas.ink import ink
from graph.document import Level
from graph.layout import HEADER, INSET_LEFT, INSET_RIGHT, Box, measure

LARGEST = 0.24
"""No block is drawn larger than this share of its size."""
SMALLEST = 3.0


def paint_preview(painter: QPainter, level: Level, box: Box) -> None:
    """Paint the blocks inside a group below its title, the group's corner at the origin."""
    colours = ink()
    frame = QRectF(INSET_LEFT, HEADER, box.width - INSET_LEFT - INSET_RIGHT, box.preview)
    painter.setPen(Qt.PenStyle.NoPen)
    for category, rects in _rects(level, frame).items():
        painter.setBrush(colours.category(category, 0.75))
        for rect in rects:
            painter.drawRoundedRect(rect, 1.5, 1.5)


def _rects(level: Level, frame: QRectF) -> dict[str, list[QRectF]]:
    """Category → where its blocks lie in the picture."""
    known = _pictures.get(level)
    if known is not None and known[0] == level.revision and known[1] == frame:
        return known[2]
    places: list[tuple[str, float, float, float, float]] = []
    for node in level.nodes.values():
        block = blocks.find(node.block)
        if block is not None and block.role in ("group_input", "group_output"):
            continue
        box = measure(node, level.incoming(node.id))
        places.append((block.category if block else "Structure", *node.position, box.width, box.height))
    found: dict[str, list[QRectF]] = {}
    if places:
        left, top = min(p[1] for p in places), min(p[2] for p in places)
        wide = max(p[1] + p[3] for p in places) - left
        high = max(p[2] + p[4] for p in places) - top
        scale = min(frame.width() / wide, frame.height() / high, LARGEST)
        above = frame.top() + (frame.height() - high * scale) / 2
        for category, x, y, w, h in places:
            rect = QRectF(
                frame.left() + (x - left) * scale,
                above + (y - top) * scale,
                max(SMALLEST, w * scale),
                max(SMALLEST, h * scale),
            )
            found.setdefault(category, []).append(rect)
    _pictures[level] = (level.revision, frame, found)
    return found


_pictures: WeakKeyDictionary[Level, tuple[int, QRectF, dict[str, list[QRectF]]]] = WeakKeyDictionary()
