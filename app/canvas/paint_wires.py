"""Wires and the shapes on them as they look from nearby."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import faces, ink, pill
from app.canvas.labels import Labels
from app.canvas.looks import Looks
from app.canvas.sprites import Sprite, Sprites
from app.canvas.strokes import Area, Strokes
from graph.document import Wire

MAIN, SKIP, DIM = 0.92, 0.5, 0.22
"""How strongly wires are drawn: the trunk, skips and side inputs, and those that a lit path leaves in the dark."""
THICKER = 1.0
"""What a wire that is hovered, chosen or crossed by a stroke is thicker than the others."""
PILL_HEIGHT, PILL_INSET = 18.0, 16.0
PILL_REACH = 140.0
"""No shape reaches further from its middle."""
MOST_FORMER = 1000
"""Wires whose segments are remembered however few there are now."""


class WirePainter:
    """Paints wires as curves with their shapes, in scene coordinates."""

    def __init__(self) -> None:
        self.sprites = Sprites()
        self._strokes = Strokes()

    def wires(
        self,
        painter: QPainter,
        geometry: LevelGeometry,
        labels: Labels,
        looks: Looks,
        rows: Rows,
        zoom: float,
        area: Area,
    ) -> None:
        """Paint what wires have within an area: the dim ones first, the hovered and lit ones last."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = max(2.0, 1.5 / zoom)
        self._strokes.begin(geometry, self.sprites.scale)
        singles = {wire for wire in (looks.chosen, looks.hot, looks.gap) if wire is not None} | looks.struck | looks.run
        plain = not singles and not looks.lifted and looks.lit_nodes is None
        left, top, right, bottom = area
        bounds = geometry.wire_bounds[rows]
        inside = (bounds[:, 0] >= left) & (bounds[:, 1] >= top) & (bounds[:, 2] <= right) & (bounds[:, 3] <= bottom)
        kinds = labels.kinds_of(geometry, rows)
        skips = geometry.skips[rows].tolist()
        pens: dict[tuple[float, str, float], tuple[list[int], list[int]]] = {}
        for row, is_inside, kind, skips_some in zip(rows.tolist(), inside.tolist(), kinds, skips, strict=True):
            share = 1.0 if kind == "error" else SKIP if skips_some or not kind else MAIN
            pen = (share, kind, width)
            if not plain:
                wire = geometry.wires[row]
                if wire in looks.lifted:
                    continue
                pen = _singled(wire, pen, looks, singles)
            pens.setdefault(pen, ([], []))[not is_inside].append(row)
        for (share, kind, broad), (whole, cut) in sorted(pens.items(), key=lambda item: item[0]):
            painter.setPen(ink().wire(kind, share, broad))
            painter.drawLines(self._strokes.whole(geometry, whole) + self._strokes.pieces(geometry, cut, area))

    def shapes(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, area: Area) -> None:
        """Paint the shape of each output on its straightest wire, where there is room."""
        colours = ink()
        turned = painter.worldTransform()
        zoom, across, down = turned.m11(), turned.dx(), turned.dy()
        found: list[Sprite] = []
        for row in geometry.label_rows(area[0] - PILL_REACH, area[1] - 12, area[2] + PILL_REACH, area[3] + 12):
            wire = geometry.wires[row]
            if wire in looks.lifted or wire == looks.hot or wire in looks.run:
                continue
            x, y, room = geometry.middles[row].tolist()
            text = next((t for t in (labels.shape(wire), labels.short_shape(wire)) if _fits(t, room)), "")
            if not text:
                continue
            dimmed = looks.lit_nodes is not None and wire not in looks.lit_wires
            letters = colours.faint if dimmed else colours.muted
            wide = faces().small.width(text) + PILL_INSET
            corner = ((x - wide / 2) * zoom + across, (y - PILL_HEIGHT / 2) * zoom + down)
            draw = partial(_shape, left=0.0, top=0.0, text=text, line=colours.line, letters=letters)
            found.append(Sprite(("shape", text, dimmed), None, corner, (-1, -1, wide + 1, PILL_HEIGHT + 1), draw))
        painter.resetTransform()
        self.sprites.stamp_all(painter, found)
        painter.setWorldTransform(turned)

    def hot_shape(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, wire: Wire) -> None:
        """Paint the shape on a hovered wire, room or not, and from afar no smaller than it can be read."""
        row = geometry.wire_row(wire)
        if row is None:
            return
        text = labels.shape(wire) or "not known yet"
        x, y, _ = geometry.middles[row].tolist()
        left = -(faces().small.width(text) + PILL_INSET) / 2
        larger = max(1.0, 1 / painter.worldTransform().m11())
        painter.save()
        painter.translate(x, y)
        painter.scale(larger, larger)
        _shape(painter, left, -PILL_HEIGHT / 2, text, ink().kind(labels.kind(wire)), ink().text)
        painter.restore()


def _singled(wire: Wire, pen: tuple[float, str, float], looks: Looks, singles: set[Wire]) -> tuple[float, str, float]:
    """How strongly, in which colour and how broad a wire is painted while some are singled out."""
    share, kind, width = pen
    single = wire in singles
    if looks.lit_nodes is not None:
        share = 1.0 if wire in looks.lit_wires else DIM
    elif single:
        share = 1.0
    if single and wire != looks.hot and wire not in looks.run:
        kind = "error" if wire in looks.struck else "chosen"
    return share, kind, width + THICKER if single else width


def _shape(painter: QPainter, left: float, top: float, text: str, line: QColor, letters: QColor) -> None:
    small = faces().small
    middle = top + PILL_HEIGHT / 2
    painter.setFont(small.font)
    painter.setBrush(ink().ground)
    painter.setPen(QPen(line, 1.0))
    wide = small.width(text) + PILL_INSET
    pill(painter, left + wide / 2, middle, QSizeF(wide, PILL_HEIGHT))
    painter.setPen(QPen(letters))
    small.draw(painter, left + PILL_INSET / 2, middle, text)


def _fits(text: str, room: float) -> bool:
    return bool(text) and faces().small.width(text) + PILL_INSET + 18 <= room
