"""Dots on wires: what runs through several of them is one wire, and they are painted as part of it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter, QPen

from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import PORT, faces, ink
from app.canvas.labels import Labels, NodeLabel
from app.canvas.looks import NEAR, Looks
from app.canvas.paint_wires import DIM, MAIN, SKIP

RADIUS = 5.0
GRIP = 7.0
"""So close to its middle one takes hold of a dot; further out of its ends."""


def paint_dots(
    painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows, zoom: float
) -> None:
    """Paint dots with the piece of wire that runs through them, in scene coordinates."""
    colours = ink()
    for row in rows.tolist():
        id = geometry.ids[row]
        label = labels.node(geometry.nodes[row])
        left, top, right, bottom = geometry.rects[row].tolist()
        middle = QPointF((left + right) / 2, (top + bottom) / 2)
        kind = "error" if label.severity == "error" and not label.hungry else _kind(label)
        is_skip = any(geometry.skips[wire] for wire in geometry.touching(row))
        is_dark = looks.lit_nodes is not None and id not in looks.lit_nodes
        share = DIM if is_dark else 1.0 if looks.lit_nodes is not None else SKIP if is_skip else MAIN
        is_marked = id in looks.selected or id == looks.hovered
        painter.setOpacity(0.35 if label.hungry and is_dark else 1.0)
        painter.setPen(colours.wire(kind, share, max(2.0, 1.5 / zoom) if zoom >= NEAR else 1 / zoom))
        begin = middle.x() if label.hungry else left
        painter.drawLine(QLineF(begin, middle.y(), right, middle.y()))
        if looks.fits is not None or is_marked:
            _ends(painter, geometry, looks, id, kind)
        painter.setPen(QPen(colours.selected_pen if id in looks.selected else colours.port_pen))
        painter.setBrush(colours.kind(kind, share))
        if label.hungry:
            painter.setPen(QPen(colours.warning, 1.5))
            painter.setBrush(colours.body)
        radius = RADIUS + 1.0 if is_marked else RADIUS
        painter.drawEllipse(middle, max(radius, 2.5 / zoom), max(radius, 2.5 / zoom))
        painter.setOpacity(1.0)
        title = geometry.nodes[row].title
        if title and zoom >= NEAR:
            painter.setFont(faces().text.font)
            painter.setPen(colours.muted_pen)
            faces().text.draw(painter, middle.x() - faces().text.width(title) / 2, top - 8, title)


def _ends(painter: QPainter, geometry: LevelGeometry, looks: Looks, id: str, kind: str) -> None:
    colours = ink()
    aim = looks.aim if looks.fits is not None else looks.port
    for place in geometry.ports_of(id):
        colour, radius = colours.kind(kind), PORT - 1.0
        if looks.fits is not None:
            fit = looks.fits.get(place)
            colour, radius = (colours.accent, 5.5) if fit else (colours.edge, 2.5)
        painter.setPen(colours.port_pen)
        painter.setBrush(colour)
        radius = 7.0 if place == aim else radius
        painter.drawEllipse(QPointF(place.x, place.y), radius, radius)


def _kind(label: NodeLabel) -> str:
    """What travels through a dot."""
    kinds: Mapping[tuple[str, bool], str] = label.port_kinds
    return kinds.get(("y", False)) or kinds.get(("x", True)) or ""


def is_gripped(geometry: LevelGeometry, id: str | None, x: float) -> bool:
    """Whether a point at this x, on a node, takes hold of a dot rather than of one of its ends."""
    if id is None or not geometry.boxes[geometry.index[id]].is_dot:
        return False
    left, _, right, _ = geometry.rects[geometry.index[id]].tolist()
    return bool(abs(x - (left + right) / 2) <= GRIP)
