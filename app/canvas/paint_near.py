"""Nodes as they look from nearby: everything readable."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import count

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.canvas.geometry import SPARE, LevelGeometry, PortPlace, Rows
from app.canvas.ink import PORT, Ink, card, dashes, faces, ink, stripe, title_band
from app.canvas.labels import Labels, NodeLabel
from app.canvas.looks import Looks
from app.canvas.marks import paint_bypass, paint_ground
from app.canvas.preview import paint_preview
from app.canvas.remembering import is_overfull
from app.canvas.sprites import Sprite, Sprites
from app.icons.painting import paint_icon
from graph.document import Node
from graph.layout import FIRST_ROW, HEADER, ICON, INSET_LEFT, INSET_RIGHT, ROW, TITLE_LEFT, Box

NODE_DIM, WAITING_DIM, MUTED_DIM = 0.35, 0.6, 0.5
TINT = 0.28
"""How strongly a colour tag tints the title of a node."""
BEARING, LINK = 1, 12
"""The air at the side of an icon, which lies outside what the rows keep to; the mark of shared weights."""


class NearPainter:
    """Paints nodes in full detail, in scene coordinates; those that look alike share one picture."""

    def __init__(self) -> None:
        self.sprites = Sprites()
        self._looks: dict[tuple[Hashable, ...], int] = {}
        self._known: dict[str, tuple[Node, NodeLabel, Box, str, int, int]] = {}
        self._count = count(1)

    def nodes(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint nodes with their ports, in their order, the selected ones last."""
        sprites, selected, lit, ids = self.sprites, looks.selected, looks.lit_nodes, geometry.ids
        turned = painter.worldTransform()
        corners = geometry.rects[rows, :2] * turned.m11() + (turned.dx(), turned.dy())
        places = list(zip(rows.tolist(), corners.tolist(), strict=True))
        if selected:
            places.sort(key=lambda place: ids[place[0]] in selected)
        aimed = looks.aim if looks.fits is not None else looks.port
        painter.resetTransform()
        nodes = [self._sprite(geometry, labels, looks, row, corner, aimed) for row, corner in places]
        sprites.make([sprite for _, _, sprite in nodes])
        for (row, _), (label, is_apart, sprite) in zip(places, nodes, strict=True):
            dims = lit is not None and ids[row] not in lit
            faint = NODE_DIM if dims else WAITING_DIM if label.state == "waiting" else 1.0
            if faint < 1.0:
                painter.setOpacity(faint)
            sprites.stamp(painter, sprite)
            if is_apart:
                painter.save()
                painter.translate(sprites.snap(sprite.corner[0]), sprites.snap(sprite.corner[1]))
                painter.scale(turned.m11(), turned.m11())
                self._ports(painter, geometry, label, looks, row)
                self._badge(painter, geometry.boxes[row], label)
                painter.restore()
            if faint < 1.0:
                painter.setOpacity(1.0)
        painter.setWorldTransform(turned)

    def _sprite(
        self,
        geometry: LevelGeometry,
        labels: Labels,
        looks: Looks,
        row: int,
        corner: tuple[float, float],
        aimed: PortPlace | None,
    ) -> tuple[NodeLabel, bool, Sprite]:
        """A node, whether its ports are painted apart as they look otherwise at every moment, and its picture."""
        id, box, node = geometry.ids[row], geometry.boxes[row], geometry.nodes[row]
        label, count = labels.node(node), labels.count(node)
        is_apart = looks.fits is not None or (aimed is not None and aimed.node == id)
        if is_overfull(self._known, geometry.ids) or is_overfull(self._looks, geometry.ids):
            self._looks.clear()
            self._known.clear()
        name = (self._look(node, label, box, count), id in looks.selected, id == looks.hovered, is_apart)
        area = (-SPARE, -SPARE, box.width + SPARE, box.height + SPARE)
        draw = partial(self._whole, geometry=geometry, row=row, label=label, count=count, looks=looks, apart=is_apart)
        return label, is_apart, Sprite(name, None, corner, area, draw)

    def _look(self, node: Node, label: NodeLabel, box: Box, count: str) -> int:
        """A number for all that the picture of a node depends on, besides what is singled out at the moment."""
        inside = node.level.revision if node.level is not None else 0
        known = self._known.get(node.id)
        if (
            known is not None
            and known[0] is node
            and known[1] is label
            and known[2] is box
            and known[3] == count
            and known[4] == inside
        ):
            return known[5]
        own = (node.uid, inside) if node.level is not None else ()
        look = (label.look, box, count, node.muted, own)
        number = self._looks.get(look) or self._looks.setdefault(look, next(self._count))
        self._known[node.id] = (node, label, box, count, inside, number)
        return number

    def _whole(
        self,
        painter: QPainter,
        geometry: LevelGeometry,
        row: int,
        label: NodeLabel,
        count: str,
        looks: Looks,
        apart: bool,
    ) -> None:
        """Paint a node at the origin, without its ports where they are painted apart."""
        node, box = geometry.nodes[row], geometry.boxes[row]
        is_muted = label.state == "muted"
        if is_muted:
            paint_ground(painter, box)
            painter.setOpacity(MUTED_DIM)
        self.node(painter, box, label, count, node.id in looks.selected, node.id == looks.hovered)
        if node.level is not None and box.preview:
            paint_preview(painter, node.level, box)
        if not apart:
            self._ports(painter, geometry, label, looks, row)
        painter.setOpacity(1.0)
        if node.muted and not box.is_dot:
            paint_bypass(painter, box, label)
        if not apart:
            self._badge(painter, box, label)

    def node(
        self,
        painter: QPainter,
        box: Box,
        label: NodeLabel,
        count: str = "",
        is_selected: bool = False,
        is_hovered: bool = False,
    ) -> None:
        """Paint one node without its ports, at the origin."""
        colours, set_in = ink(), faces()
        body = QRectF(0, 0, box.width, box.height)
        unused = label.state == "unused"
        painter.setBrush(colours.body)
        outline = colours.edge_pen
        if label.times and label.state != "muted":
            painter.setPen(colours.edge_pen)
            for step in (2, 1):
                card(painter, QRectF(5.0 * step, 20, box.width - 10.0 * step, box.height - 20 + 4.0 * step))
        if is_selected:
            outline = colours.selected_pen
        elif label.state == "error" or label.severity == "error":
            outline = colours.error_pen
        elif is_hovered and not unused:
            outline = colours.hover_pen
        is_dashed = unused and outline is colours.edge_pen
        painter.setPen(Qt.PenStyle.NoPen if is_dashed else outline)
        card(painter, body)
        if is_dashed:
            painter.setPen(outline)
            painter.drawLines(dashes(box.width, box.height))
        painter.setPen(Qt.PenStyle.NoPen)
        tint = colours.tag(label.tag, TINT)
        if tint is not None:
            painter.setBrush(tint)
            painter.drawPath(title_band(box.width, box.height, box.height if box.height <= HEADER else HEADER - 5.0))
        hue = colours.category(label.category, 0.5 if unused else 1.0)
        painter.setBrush(hue)
        painter.drawPath(stripe(box.height))
        if not box.is_dot:
            paint_icon(painter, label.icon, hue.color().name(), INSET_LEFT - BEARING, HEADER / 2, ICON)
        if is_selected or label.severity == "error" or label.state == "error":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(outline)
            card(painter, body)
        right = box.width - INSET_RIGHT
        title_room = right - TITLE_LEFT
        if count:
            painter.setFont(set_in.small.font)
            painter.setPen(colours.text_pen if tint is not None else colours.faint_pen)
            set_in.small.draw_right(painter, right, HEADER / 2, count)
            title_room -= set_in.small.width(count) + 8
        if label.linked:
            taken = set_in.small.width(count) + 8 if count else 0
            paint_icon(painter, "link", colours.faint.name(), right - taken - LINK, HEADER / 2, LINK)
            title_room -= LINK + 6
        painter.setFont(set_in.title.font)
        painter.setPen(colours.muted_pen if unused else colours.text_pen)
        times_width = set_in.title.width(label.times) + 6 if label.times else 0
        title = set_in.title.elide(label.title, int(title_room - times_width) + 1)
        set_in.title.draw(painter, TITLE_LEFT, HEADER / 2, title)
        if label.times:
            painter.setPen(colours.muted_pen)
            set_in.title.draw(painter, TITLE_LEFT + set_in.title.width(title) + 6, HEADER / 2, label.times)
        if box.rows:
            self._rows(painter, colours, box, label, right)

    def _rows(self, painter: QPainter, colours: Ink, box: Box, label: NodeLabel, right: float) -> None:
        set_in = faces()
        painter.setFont(set_in.text.font)
        painter.setPen(colours.muted_pen)
        for place, (name, _) in enumerate(box.rows):
            set_in.text.draw(painter, INSET_LEFT, FIRST_ROW + ROW * place, name)
        painter.setFont(set_in.number.font)
        painter.setPen(colours.text_pen)
        for place, (name, value) in enumerate(box.rows):
            room = right - INSET_LEFT - set_in.text.width(name) - 12
            if name in label.from_wire:
                painter.setPen(colours.muted_pen)
            shown = set_in.number.elide(value, int(room) + 1)
            middle = FIRST_ROW + ROW * place
            set_in.number.draw_right(painter, right, middle, shown)
            if name in label.computed and not shown.startswith("=") and room > set_in.number.width(shown) + 12:
                painter.setPen(colours.faint_pen)
                set_in.number.draw_right(painter, right - set_in.number.width(shown) - 5, middle, "=")
                painter.setPen(colours.text_pen)
            if name in label.from_wire:
                painter.setPen(colours.text_pen)

    def _ports(self, painter: QPainter, geometry: LevelGeometry, label: NodeLabel, looks: Looks, row: int) -> None:
        """Paint the ports of a node whose corner is the origin."""
        colours, id = ink(), geometry.ids[row]
        left, top = geometry.rects[row, :2].tolist()
        aim = looks.aim if looks.fits is not None else looks.port
        for place in geometry.ports_of(id):
            kind = label.port_kinds.get((place.port, place.is_input), "")
            idle = place.is_input and place.port in label.idle
            hungry = place.is_input and place.port in label.hungry
            colour, radius = colours.kind(kind) if kind else colours.faint, PORT
            if idle:
                if looks.fits is None and id != looks.hovered and id not in looks.selected:
                    continue  # they may be left alone, so they stand back until one looks at the node
                colour, radius = colours.idle, 3.5
            if looks.fits is not None:
                fit = looks.fits.get(place)
                colour = colours.accent if fit else colours.edge
                radius = 5.5 if fit else 3.5
            if aim is not None and place == aim:
                radius = 7.0
            middle = QPointF(place.x - left, place.y - top)
            painter.setPen(colours.port_pen)
            painter.setBrush(colour)
            if hungry and looks.fits is None:
                painter.setBrush(colours.body)
                painter.drawEllipse(middle, radius + 1.5, radius + 1.5)
                painter.setPen(QPen(colours.warning, 1.5))
                radius -= 0.5
            painter.drawEllipse(middle, radius, radius)

    def _badge(self, painter: QPainter, box: Box, label: NodeLabel) -> None:
        """A dot that says how many issues there are."""
        if not label.severity:
            return
        colours, face, middle = ink(), faces().badge, QPointF(box.width - 3, 1)
        painter.setPen(colours.port_pen)
        painter.setBrush(colours.error if label.severity == "error" else colours.warning)
        painter.drawEllipse(middle, 8.5, 8.5)
        painter.setPen(QPen(colours.canvas))
        painter.setFont(face.font)
        text = "!" if len(label.issues) == 1 else str(min(len(label.issues), 99))
        face.draw(painter, middle.x() - face.width(text) / 2, middle.y(), text)
