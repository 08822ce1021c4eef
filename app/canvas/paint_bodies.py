"""Nodes from half-way: a body with a broad stripe and the title in letters of constant size on the screen."""

from __future__ import annotations

from functools import lru_cache, partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import Face, faces, ink, mix
from app.canvas.labels import Labels, NodeLabel
from app.canvas.looks import Looks
from app.canvas.paint_far import colour_of, strength_of, thin
from app.canvas.sprites import Sprite, Sprites
from graph.layout import STRIPE, Box

STRIPE_SHARE = 0.7
LARGER_LETTERS = 0.42
"""From this zoom on."""
DARK = 0.25


class BodyPainter:
    """Paints nodes as bodies, in scene coordinates; those that look alike share one picture."""

    def __init__(self) -> None:
        self.sprites = Sprites()

    def bodies(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint nodes in their order."""
        turned = painter.worldTransform()
        zoom, ids, nodes, boxes = turned.m11(), geometry.ids, geometry.nodes, geometry.boxes
        corners = geometry.rects[rows, :2] * zoom + (turned.dx(), turned.dy())
        air = 2 / zoom
        found: list[Sprite] = []
        for row, corner in zip(rows.tolist(), corners.tolist(), strict=True):
            label, box, id = labels.node(nodes[row]), boxes[row], ids[row]
            is_dark = looks.lit_nodes is not None and id not in looks.lit_nodes
            name = (label.heading, label.mark, box.width, box.height, id in looks.selected, is_dark)
            draw = partial(_body, label=label, box=box, zoom=zoom, is_selected=name[4], is_dark=is_dark)
            found.append(Sprite(name, None, corner, (-air, -air, box.width + air, box.height + air), draw))
        painter.resetTransform()
        self.sprites.stamp_all(painter, found)
        painter.setWorldTransform(turned)


def _body(painter: QPainter, label: NodeLabel, box: Box, zoom: float, is_selected: bool, is_dark: bool) -> None:
    """Paint a node at the origin, its outline on whole pixels."""
    colours = ink()
    painter.scale(1 / zoom, 1 / zoom)
    wide, high, radius = round(box.width * zoom), round(box.height * zoom), 6 * zoom
    name, state = label.mark
    is_wrong = name == "error"
    pen = thin(colours.edge)
    if is_selected or is_wrong:
        pen = thin(colours.accent, 2) if is_selected else thin(colours.error, 1.5)
    painter.setPen(pen)
    painter.setBrush(colours.body)
    painter.drawRoundedRect(QRectF(0.5, 0.5, wide - 1, high - 1), radius, radius)
    strength = DARK if is_dark else strength_of(state)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(mix(colour_of("selected" if is_selected else name), colours.node, strength))
    painter.drawRect(QRectF(1, 2, STRIPE * STRIPE_SHARE, high - 4))
    face, pitch = (faces().badge, 12.0) if zoom >= LARGER_LETTERS else (faces().tiny, 10.0)
    painter.setFont(face.font)
    painter.setPen(colours.faint_pen if is_dark or state in ("waiting", "unused", "muted") else colours.text_pen)
    left = STRIPE * STRIPE_SHARE + 5
    lines = _lines(label.heading, face, int(wide - left - 3), 2 if high >= 2 * pitch + 1 else 1)
    for place, line in enumerate(lines):
        face.draw(painter, left, high / 2 - (len(lines) - 1) * pitch / 2 + place * pitch, line)


@lru_cache(4096)
def _lines(title: str, face: Face, room: int, most: int) -> tuple[str, ...]:
    """A title in one line or in two, cut where it is too long."""
    words = title.split(" ")
    if face.width(title) > room and most > 1 and len(words) > 1:
        first = words[0]
        taken = 1
        while taken < len(words) - 1 and face.width(f"{first} {words[taken]}") <= room:
            first, taken = f"{first} {words[taken]}", taken + 1
        parts = (first, " ".join(words[taken:]))
    else:
        parts = (title,)
    lines = tuple(face.elide(part, room) for part in parts)
    return tuple(line for line, part in zip(lines, parts, strict=True) if len(line) > 2 or line == part)
