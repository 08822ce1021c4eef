"""What nodes carry beside their title and values: the way through one that is switched off."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.canvas.ink import card, faces, ink, pill
from app.canvas.labels import NodeLabel
from graph.layout import HEADER, INSET_RIGHT, Box

THROUGH = HEADER - 5.0
"""How far below the top the way through a node runs: under its title, over its values."""
OFF = "off"
OFF_INSET = 12.0


def paint_bypass(painter: QPainter, box: Box, label: NodeLabel) -> None:
    """The line on which a node that is switched off passes its input on, and a badge that says so, at the origin."""
    colours = ink()
    if box.inputs and box.outputs:
        start, end = box.inputs[0], box.outputs[0]
        kind = label.port_kinds.get((end.port, False), "")
        painter.setPen(QPen(colours.kind("error" if label.state == "error" else kind), 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(_way(QPointF(0.0, start.y), QPointF(box.width, end.y), THROUGH))
    small = faces().small
    size = QSizeF(small.width(OFF) + OFF_INSET, 16.0)
    painter.setPen(QPen(colours.muted, 1.0))
    painter.setBrush(colours.body)
    rect = pill(painter, box.width - INSET_RIGHT - size.width() / 2 + 2, HEADER / 2 - 2, size)
    painter.setFont(small.font)
    painter.setPen(colours.text_pen)
    small.draw(painter, rect.left() + OFF_INSET / 2, rect.center().y(), OFF)


def _way(start: QPointF, end: QPointF, floor: float) -> QPainterPath:
    """From an input down to below the title, along it, and up to an output."""
    path = QPainterPath(start)
    reach = 14.0
    path.cubicTo(QPointF(start.x() + reach, start.y()), QPointF(start.x(), floor), QPointF(start.x() + reach, floor))
    path.lineTo(QPointF(end.x() - reach, floor))
    path.cubicTo(QPointF(end.x(), floor), QPointF(end.x() - reach, end.y()), end)
    return path


def paint_ground(painter: QPainter, box: Box) -> None:
    """The ground under a node that is painted thinly, at the origin, so that no wire shines through."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink().ground)
    card(painter, QRectF(0, 0, box.width, box.height))
