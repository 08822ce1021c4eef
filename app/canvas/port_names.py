"""The names of ports beside them: on the node under the pointer, and on all from nearby."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.canvas.geometry import LevelGeometry, PortPlace, Rows
from app.canvas.ink import faces, ink
from app.canvas.labels import Labels, NodeLabel
from app.canvas.looks import NEAR, Looks

CLOSE = 1.6
"""From this zoom on all ports are named."""
REACH = 128.0
"""How far from its port a name reaches at most."""
ASIDE, LIFT = 9.0, 8.0
"""How far a name lies from its port, and over its wire."""
VEIL, VEIL_HEIGHT = 0.86, 14.0


def paint_names(
    painter: QPainter,
    geometry: LevelGeometry,
    labels: Labels,
    looks: Looks,
    area: tuple[float, float, float, float],
    zoom: float,
) -> None:
    """Paint the names of ports within an area, in scene coordinates; of most only where there is room."""
    shown = named(geometry, looks)
    if zoom < NEAR or (zoom < CLOSE and shown is None):
        return
    if zoom >= CLOSE:
        rows = geometry.seen_nodes(area[0] - REACH, area[1], area[2] + REACH, area[3])
    else:
        rows = np.array([geometry.index[shown]], np.intp)
    wired = _rooms(geometry, rows) if zoom >= CLOSE else {}
    painter.setFont(faces().small.font)
    for row in rows.tolist():
        id = geometry.ids[row]
        if geometry.dots[row]:
            continue
        label = labels.node(geometry.nodes[row])
        for place in geometry.places_of(row):
            if place.order or place == looks.port:  # of several places of one input the first; a tip names that one
                continue
            if place.is_input and place.port in label.idle and id != shown and id not in looks.selected:
                continue  # it is not painted, either
            room = REACH if id == shown else wired.get((row, place.port, place.is_input), REACH)
            _paint(painter, place, label, room, is_first=id == shown)


def named(geometry: LevelGeometry, looks: Looks) -> str | None:
    """The node whose ports are named though one is not close: that under the pointer, if it has several."""
    id = looks.aim.node if looks.aim is not None else looks.hovered
    if id not in geometry.index:
        return None
    box = geometry.boxes[geometry.index[id]]
    several = len({slot.port for slot in box.inputs}) > 1 or len(box.outputs) > 1
    return id if several and not box.is_dot else None


def _rooms(geometry: LevelGeometry, rows: Rows) -> dict[tuple[int, str, bool], float]:
    """How much room there is beside the wired ports of some nodes: to the middle of the shortest wire."""
    found: dict[tuple[int, str, bool], float] = {}
    for row in geometry.wires_of(rows).tolist():
        wire, (source, target) = geometry.wires[row], geometry.wire_nodes[row].tolist()
        start, _, end, _ = geometry.ends[row].tolist()
        room = (end - start) / 2 - ASIDE if end > start else REACH
        for key in ((source, wire.output, False), (target, wire.input, True)):
            found[key] = min(found.get(key, REACH), room)
    return found


def _paint(painter: QPainter, place: PortPlace, label: NodeLabel, room: float, *, is_first: bool) -> None:
    face, colours = faces().small, ink()
    wide = face.width(place.port)
    text = place.port
    if wide > min(room, REACH):
        if not is_first:
            return
        text = face.elide(text, int(REACH))
        wide = face.width(text)
    is_free = place.is_input and place.port in (label.idle | label.hungry)
    middle = place.y if is_free else place.y - LIFT
    left = place.x - ASIDE - wide if place.is_input else place.x + ASIDE
    veil = QColor(colours.canvas)
    veil.setAlphaF(VEIL)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(veil)
    painter.drawRoundedRect(QRectF(left - 3, middle - VEIL_HEIGHT / 2, wide + 6, VEIL_HEIGHT), 3, 3)
    painter.setPen(colours.text_pen if is_first else colours.muted_pen)
    face.draw(painter, left, middle, text)
