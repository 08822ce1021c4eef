"""Nodes and wires as they look from nearby: everything readable, painted one by one."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import PORT, Ink, card, faces, ink, pill, stripe
from app.canvas.labels import Labels, NodeLabel
from app.canvas.looks import Looks
from app.canvas.preview import paint_preview
from app.canvas.routes import Array
from graph.document import Wire
from graph.layout import FIRST_ROW, HEADER, INSET_LEFT, INSET_RIGHT, ROW, Box

MAIN, SKIP, DIM = 0.92, 0.5, 0.22
"""How strongly wires are drawn: the trunk, skips and side inputs, and those that a lit path leaves in the dark."""
PILL_HEIGHT, PILL_INSET = 18.0, 16.0
NODE_DIM = 0.35


class NearPainter:
    """Paints a level in full detail, in scene coordinates."""

    def __init__(self) -> None:
        self._paths: dict[Wire, tuple[Array, QPolygonF]] = {}

    def wires(
        self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows, zoom: float = 1.0
    ) -> None:
        """Paint wires: the dim ones first, the hovered and lit ones last."""
        colours = ink()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = max(2.0, 1.5 / zoom)
        layers: tuple[list[tuple[Wire, int, QPen]], ...] = ([], [], [])
        for row in rows.tolist():
            wire = geometry.wires[row]
            if wire == looks.lifted:
                continue
            kind = labels.kind(wire)
            lit = looks.lit_nodes is None or wire in looks.lit_wires
            single = wire in (looks.chosen, looks.hot, looks.gap)
            share = 1.0 if kind == "error" or single else SKIP if geometry.skips[row] or not kind else MAIN
            if looks.lit_nodes is not None:
                share = 1.0 if lit else DIM
            pen = colours.wire(kind, share, width + 0.5 if single else width)
            if wire in (looks.chosen, looks.gap):
                pen = QPen(pen)
                pen.setColor(colours.accent)
            layers[0 if share < MAIN else 2 if single else 1].append((wire, row, pen))
        for wire, row, pen in (item for layer in layers for item in layer):
            painter.setPen(pen)
            painter.drawPolyline(self._path(wire, geometry.lines[row]))

    def shapes(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint the shape of each output on its straightest wire, where there is room."""
        colours, small = ink(), faces().small
        best: dict[tuple[str, str], tuple[bool, float, int]] = {}
        for row in rows.tolist():
            wire = geometry.wires[row]
            if wire == looks.lifted or wire == looks.hot:
                continue
            rank = (bool(geometry.skips[row]), -float(geometry.middles[row, 2]), row)
            key = (wire.source, wire.output)
            if key not in best or rank < best[key]:
                best[key] = rank
        painter.setFont(small.font)
        taken: list[QRectF] = []
        for is_skip, negative_room, row in best.values():
            wire = geometry.wires[row]
            text = next((t for t in (labels.shape(wire), labels.short_shape(wire)) if _fits(t, -negative_room)), "")
            if is_skip or not text:
                continue
            x, y, _ = geometry.middles[row].tolist()
            size = QSizeF(small.width(text) + PILL_INSET, PILL_HEIGHT)
            rect = QRectF(x - size.width() / 2, y - size.height() / 2, size.width(), size.height())
            if any(rect.intersects(other) for other in taken):
                continue
            taken.append(rect)
            dimmed = looks.lit_nodes is not None and wire not in looks.lit_wires
            self._shape(painter, colours, x, y, size, text, colours.line, colours.faint if dimmed else colours.muted)

    def hot_shape(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, wire: Wire) -> None:
        """Paint the shape on a hovered wire, room or not."""
        row = geometry.wire_index.get(wire)
        if row is None:
            return
        colours, small = ink(), faces().small
        text = labels.shape(wire) or "not known yet"
        x, y, _ = geometry.middles[row].tolist()
        size = QSizeF(small.width(text) + PILL_INSET, PILL_HEIGHT)
        painter.setFont(small.font)
        self._shape(painter, colours, x, y, size, text, colours.kind(labels.kind(wire)), colours.text)

    def nodes(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint nodes with their ports, in their order, the selected ones last."""
        selected = looks.selected
        for row in sorted(rows.tolist(), key=lambda row: geometry.ids[row] in selected):
            id = geometry.ids[row]
            label = labels.node(geometry.nodes[row])
            dim = looks.lit_nodes is not None and id not in looks.lit_nodes
            if dim:
                painter.setOpacity(NODE_DIM)
            elif label.state == "waiting":
                painter.setOpacity(0.6)
            x, y = geometry.rects[row, :2].tolist()
            painter.translate(x, y)
            count = labels.count(geometry.nodes[row])
            self.node(painter, geometry.boxes[row], label, count, id in selected, id == looks.hovered)
            inside = geometry.nodes[row].level
            if inside is not None:
                paint_preview(painter, inside, geometry.boxes[row])
            painter.translate(-x, -y)
            self._ports(painter, geometry, label, looks, id)
            if label.severity:
                _badge(painter, QPointF(x + geometry.boxes[row].width - 3, y + 1), label)
            painter.setOpacity(1.0)

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
        outline = colours.dashed_pen if unused else colours.edge_pen
        if label.times:
            painter.setPen(colours.edge_pen)
            for step in (2, 1):
                card(painter, QRectF(5.0 * step, 20, box.width - 10.0 * step, box.height - 20 + 4.0 * step))
        if is_selected:
            outline = colours.selected_pen
        elif label.state == "error" or label.severity == "error":
            outline = colours.error_pen
        elif is_hovered and not unused:
            outline = colours.hover_pen
        painter.setPen(outline)
        card(painter, body)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.category(label.category, 0.45 if unused else 1.0))
        painter.drawPath(stripe(box.height))
        if is_selected or label.severity == "error" or label.state == "error":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(outline)
            card(painter, body)
        right = box.width - INSET_RIGHT
        title_room = right - INSET_LEFT
        if count:
            painter.setFont(set_in.small.font)
            painter.setPen(colours.faint_pen)
            set_in.small.draw_right(painter, right, HEADER / 2, count)
            title_room -= set_in.small.width(count) + 8
        if label.linked:
            _link(painter, right - set_in.small.width(count) - 20, HEADER / 2, colours.faint)
            title_room -= 20
        painter.setFont(set_in.title.font)
        painter.setPen(colours.muted_pen if unused else colours.text_pen)
        times_width = set_in.title.width(label.times) + 6 if label.times else 0
        title = set_in.title.elide(label.title, int(title_room - times_width) + 1)
        set_in.title.draw(painter, INSET_LEFT, HEADER / 2, title)
        if label.times:
            painter.setPen(colours.muted_pen)
            set_in.title.draw(painter, INSET_LEFT + set_in.title.width(title) + 6, HEADER / 2, label.times)
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
            set_in.number.draw_right(painter, right, FIRST_ROW + ROW * place, set_in.number.elide(value, int(room) + 1))
            if name in label.from_wire:
                painter.setPen(colours.text_pen)

    def _ports(self, painter: QPainter, geometry: LevelGeometry, label: NodeLabel, looks: Looks, id: str) -> None:
        colours = ink()
        for place in geometry.ports_of(id):
            kind = label.port_kinds.get((place.port, place.is_input), "")
            idle = place.is_input and place.port in label.idle
            hungry = place.is_input and place.port in label.hungry
            colour, radius = colours.kind(kind) if kind else colours.faint, PORT
            if idle:
                radius = 3.5
            if looks.fits is not None:
                fit = looks.fits.get(place)
                colour = colours.accent if fit else colours.edge
                radius = 5.5 if fit else 3.5
            if looks.aim == place or (looks.fits is None and looks.port == place):
                radius = 7.0
            painter.setPen(colours.port_pen)
            painter.setBrush(colour)
            if hungry and looks.fits is None:
                painter.setBrush(colours.body)
                painter.drawEllipse(QPointF(place.x, place.y), radius + 1.5, radius + 1.5)
                painter.setPen(QPen(colours.warning, 1.5))
                radius -= 0.5
            painter.drawEllipse(QPointF(place.x, place.y), radius, radius)

    def _shape(
        self, painter: QPainter, colours: Ink, x: float, y: float, size: QSizeF, text: str, line: QColor, ink_: QColor
    ) -> None:
        painter.setBrush(colours.ground)
        painter.setPen(QPen(line, 1.0))
        rect = pill(painter, x, y, size)
        painter.setPen(QPen(ink_))
        faces().small.draw(painter, rect.left() + PILL_INSET / 2, y, text)

    def _path(self, wire: Wire, points: Array) -> QPolygonF:
        known = self._paths.get(wire)
        if known is None or known[0] is not points:
            if len(self._paths) > 20_000:
                self._paths.clear()
            known = self._paths[wire] = (points, QPolygonF([QPointF(x, y) for x, y in points.tolist()]))
        return known[1]


def _fits(text: str, room: float) -> bool:
    return bool(text) and faces().small.width(text) + PILL_INSET + 18 <= room


def _badge(painter: QPainter, middle: QPointF, label: NodeLabel) -> None:
    """A dot that says how many issues there are."""
    colours, face = ink(), faces().badge
    painter.setPen(colours.port_pen)
    painter.setBrush(colours.error if label.severity == "error" else colours.warning)
    painter.drawEllipse(middle, 8.5, 8.5)
    painter.setPen(QPen(colours.canvas))
    painter.setFont(face.font)
    text = "!" if len(label.issues) == 1 else str(min(len(label.issues), 99))
    face.draw(painter, middle.x() - face.width(text) / 2, middle.y(), text)


def _link(painter: QPainter, x: float, y: float, colour: QColor) -> None:
    """Two links of a chain: these weights are shared."""
    painter.setPen(QPen(colour, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(x, y - 2.5, 8, 5), 2.5, 2.5)
    painter.drawRoundedRect(QRectF(x + 5.5, y - 2.5, 8, 5), 2.5, 2.5)
