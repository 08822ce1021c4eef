"""Nodes and wires as they look from nearby: everything readable, painted one by one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas.curves import Array
from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import PORT, Ink, card, dashes, faces, ink, pill, stripe
from app.canvas.labels import Labels, NodeLabel
from app.canvas.looks import Looks
from app.canvas.preview import paint_preview
from graph.document import Wire
from graph.layout import FIRST_ROW, HEADER, INSET_LEFT, INSET_RIGHT, ROW, Box

Area = tuple[float, float, float, float]
"""Left, top, right and bottom in the scene."""
MAIN, SKIP, DIM = 0.92, 0.5, 0.22
"""How strongly wires are drawn: the trunk, skips and side inputs, and those that a lit path leaves in the dark."""
PILL_HEIGHT, PILL_INSET = 18.0, 16.0
PILL_REACH = 140.0
"""No shape reaches further from its middle."""
NODE_DIM = 0.35


class NearPainter:
    """Paints a level in full detail, in scene coordinates."""

    def __init__(self) -> None:
        self._lines: dict[Wire, tuple[Array, list[QLineF]]] = {}

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
        colours = ink()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = max(2.0, 1.5 / zoom)
        singles = {wire for wire in (looks.chosen, looks.hot, looks.gap) if wire is not None}
        lifted = looks.lifted
        left, top, right, bottom = area
        bounds = geometry.wire_bounds[rows]
        inside = (bounds[:, 0] >= left) & (bounds[:, 1] >= top) & (bounds[:, 2] <= right) & (bounds[:, 3] <= bottom)
        pens: dict[tuple[float, str, float], tuple[list[QLineF], list[Array]]] = {}
        for row, is_inside in zip(rows.tolist(), inside.tolist(), strict=True):
            wire = geometry.wires[row]
            if lifted is not None and wire == lifted:
                continue
            kind = labels.kind_of(geometry, row)
            single = bool(singles) and wire in singles
            share = SKIP if geometry.skips[row] or not kind else MAIN
            if looks.lit_nodes is not None:
                share = 1.0 if wire in looks.lit_wires else DIM
            elif single or kind == "error":
                share = 1.0
            if single and wire != looks.hot:
                kind = "chosen"
            pen = (share, kind, width + 0.5 if single else width)
            whole, cut = pens.setdefault(pen, ([], []))
            if is_inside:
                whole += self._whole(wire, geometry.lines[row])
            else:
                cut.append(geometry.lines[row])
        for (share, kind, broad), (whole, cut) in sorted(pens.items(), key=lambda item: item[0]):
            painter.setPen(colours.wire(kind, share, broad))
            painter.drawLines(whole + _pieces(cut, area))

    def shapes(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, area: Area) -> None:
        """Paint the shape of each output on its straightest wire, where there is room."""
        colours, small = ink(), faces().small
        painter.setFont(small.font)
        for row in geometry.label_rows(area[0] - PILL_REACH, area[1] - 12, area[2] + PILL_REACH, area[3] + 12):
            wire = geometry.wires[row]
            if wire in (looks.lifted, looks.hot):
                continue
            x, y, room = geometry.middles[row].tolist()
            text = next((t for t in (labels.shape(wire), labels.short_shape(wire)) if _fits(t, room)), "")
            if not text:
                continue
            size = QSizeF(small.width(text) + PILL_INSET, PILL_HEIGHT)
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
        outline = colours.edge_pen
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
        is_dashed = unused and outline is colours.edge_pen
        painter.setPen(Qt.PenStyle.NoPen if is_dashed else outline)
        card(painter, body)
        if is_dashed:
            painter.setPen(outline)
            painter.drawLines(dashes(box.width, box.height))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.category(label.category, 0.5 if unused else 1.0))
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

    def _whole(self, wire: Wire, points: Array) -> list[QLineF]:
        """All segments of a wire, remembered while it runs as it does."""
        known = self._lines.get(wire)
        if known is None or known[0] is not points:
            if len(self._lines) > 20_000:
                self._lines.clear()
            ends = np.concatenate([points[:-1], points[1:]], axis=1)
            known = self._lines[wire] = (points, [QLineF(*end) for end in ends.tolist()])
        return known[1]


def _pieces(lines: list[Array], area: Area) -> list[QLineF]:
    """The segments of lines that reach into an area."""
    if not lines:
        return []
    points = np.concatenate(lines)
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    left, top, right, bottom = area
    seen = (low[:, 0] <= right) & (high[:, 0] >= left) & (low[:, 1] <= bottom) & (high[:, 1] >= top)
    seen[np.cumsum([len(line) for line in lines])[:-1] - 1] = False  # from the end of one line to the start of the next
    return [QLineF(*piece) for piece in np.concatenate([points[:-1], points[1:]], axis=1)[seen].tolist()]


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
