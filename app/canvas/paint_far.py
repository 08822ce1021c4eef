"""Nodes and wires as they look from afar: bodies with a title, or mere blocks of colour, painted in batches."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray, QDataStream, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app import theme
from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import Face, faces, ink, mix
from app.canvas.labels import Labels
from app.canvas.looks import Looks
from graph.layout import STRIPE

FEW = 300
"""So many nodes or wires are painted with some care even from afar."""
_POINT = np.dtype([("type", ">i4"), ("x", ">f8"), ("y", ">f8")])


class FarPainter:
    """Paints a level from afar, in scene coordinates."""

    def __init__(self) -> None:
        self._key: tuple[int, int] | None = None
        self._path = QPainterPath()
        self._whole: tuple[object, dict[tuple[str, float], list[QRectF]]] = (None, {})

    def lines(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint wires as thin lines, straight ones where they are many."""
        if len(rows) <= FEW:
            self.curves(painter, geometry, labels, looks, rows)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(_thin(mix(ink().theme.kind("features"), ink().canvas, 0.35)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(rows) == len(geometry.wires):
            key = (id(geometry), geometry.version)
            if key != self._key:
                self._path, self._key = _straight(geometry, rows), key
            painter.drawPath(self._path)
        else:
            painter.drawPath(_straight(geometry, rows))

    def curves(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint wires as thin curves, by colour."""
        colours = ink()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        groups: dict[tuple[str, float], list[int]] = {}
        for row, kind in zip(rows.tolist(), labels.kinds_of(geometry, rows), strict=True):
            wire = geometry.wires[row]
            if wire in looks.lifted:
                continue
            kind = "error" if wire in looks.struck else kind
            share = 0.45 if geometry.skips[row] or not kind else 0.8
            if looks.lit_nodes is not None:
                share = 1.0 if wire in looks.lit_wires else 0.2
            groups.setdefault((kind, 1.0 if kind == "error" or wire == looks.chosen else share), []).append(row)
        for (kind, share), members in sorted(groups.items(), key=lambda item: item[0][1]):
            painter.setPen(_thin(colours.kind(kind, share)))
            painter.drawPath(_curved([geometry.lines[row] for row in members]))

    def blocks(
        self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows, zoom: float
    ) -> None:
        """Paint nodes as blocks of their category's colour, a few with their titles."""
        painter.setPen(Qt.PenStyle.NoPen)
        few = len(rows) <= FEW
        for (category, strength), rects in self._blocks(geometry, labels, looks, rows).items():
            painter.setBrush(mix(_colour(category), ink().canvas, 0.9 * strength))
            if few:
                for rect in rects:
                    painter.drawRoundedRect(rect, 2 / zoom, 2 / zoom)
            else:
                painter.drawRects(rects)
        if few:
            self._titles(painter, geometry, labels, looks, rows, zoom, ink().ground.color())

    def _blocks(
        self, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows
    ) -> dict[tuple[str, float], list[QRectF]]:
        """(category or state, strength) → rectangles; those of the whole level are remembered."""
        is_whole = len(rows) == len(geometry.ids)
        key = (geometry, geometry.places_version, labels.version, looks.selected, looks.lit_nodes)
        if is_whole and key == self._whole[0]:
            return self._whole[1]
        by_colour = _by_colour(geometry, labels, looks, rows)
        found = {colour: _rects(geometry, members) for colour, members in by_colour.items()}
        if is_whole:
            self._whole = key, found
        return found

    def bodies(
        self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows, zoom: float
    ) -> None:
        """Paint nodes as bodies with a broad stripe and a title of constant size on the screen."""
        colours = ink()
        outlines: dict[str, list[QRectF]] = {"": [], "selected": [], "error": []}
        marks = labels.marks(geometry)
        for rect, row in zip(_rects(geometry, rows), rows.tolist(), strict=True):
            is_selected = geometry.ids[row] in looks.selected
            outlines["selected" if is_selected else "error" if marks[row][0] == "error" else ""].append(rect)
        painter.setBrush(colours.body)
        pens = {"": _thin(colours.edge), "selected": _thin(colours.accent, 2), "error": _thin(colours.error, 1.5)}
        for state, rects in outlines.items():
            painter.setPen(pens[state])
            for rect in rects:
                painter.drawRoundedRect(rect, 6, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        for (category, strength), members in _by_colour(geometry, labels, looks, rows).items():
            painter.setBrush(mix(_colour(category), colours.node, strength))
            boxes = geometry.rects[members]
            painter.drawRects([QRectF(x + 1, y + 2, STRIPE / zoom * 0.7, b - y - 4) for x, y, _, b in boxes.tolist()])
        self._titles(painter, geometry, labels, looks, rows, zoom)

    def _titles(
        self,
        painter: QPainter,
        geometry: LevelGeometry,
        labels: Labels,
        looks: Looks,
        rows: Rows,
        zoom: float,
        colour: QColor | None = None,
    ) -> None:
        """Titles, cut to their node; the painter is turned to the screen for them, so that letters stay even."""
        colours = ink()
        face, pitch = (faces().badge, 12.0) if zoom >= 0.42 else (faces().tiny, 10.0)
        turned = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setFont(face.font)
        stripe = STRIPE * 0.7 + 5 if colour is None else 4
        for row in rows.tolist():
            left, top, right, bottom = geometry.rects[row].tolist()
            corner = turned.map(QPointF(left, top))
            wide, high = (right - left) * zoom, (bottom - top) * zoom
            if high < pitch or wide < 24:
                continue
            label = labels.node(geometry.nodes[row])
            title = f"{label.title} {label.times}".rstrip()
            dim = looks.lit_nodes is not None and geometry.ids[row] not in looks.lit_nodes
            pale = dim or label.state in ("waiting", "unused", "muted")
            painter.setPen(QPen(colour) if colour is not None else colours.faint_pen if pale else colours.text_pen)
            lines: tuple[str, ...] = _lines(title, face, int(wide - stripe - 3), 2 if high >= 2 * pitch + 1 else 1)
            if colour is not None and "".join(lines) != title.replace(" ", "") and " ".join(lines) != title:
                continue  # a block of colour is calmer without half a name
            y = corner.y() + high / 2 - (len(lines) - 1) * pitch / 2
            for place, line in enumerate(lines):
                face.draw(painter, corner.x() + stripe, y + place * pitch, line)
        painter.restore()


def _by_colour(
    geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows
) -> dict[tuple[str, float], NDArray[np.intp]]:
    """(category or state, strength) → rows."""
    marks, ids, lit = labels.marks(geometry), geometry.ids, looks.lit_nodes
    found: dict[tuple[str, float], list[int]] = {}
    for row in rows.tolist():
        name, state = marks[row]
        if ids[row] in looks.selected:
            name = "selected"
        strength = 1.0 if state in ("ok", "error") else 0.35 if state == "muted" else 0.6
        if lit is not None and ids[row] not in lit:
            strength = 0.25
        found.setdefault((name, strength), []).append(row)
    return {key: np.array(members, np.intp) for key, members in found.items()}


def _colour(name: str) -> QColor:
    colours = ink()
    named = {"selected": colours.accent, "error": colours.error}.get(name)
    return named or theme.current().tag(name.removeprefix("tag ")) or theme.current().category(name)


def _rects(geometry: LevelGeometry, rows: Rows) -> list[QRectF]:
    return [QRectF(x, y, r - x, b - y) for x, y, r, b in geometry.rects[rows].tolist()]


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


def _thin(colour: QColor, width: float = 1.0) -> QPen:
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen


def _straight(geometry: LevelGeometry, rows: Rows) -> QPainterPath:
    points = np.empty((len(rows), 2), _POINT)
    points["type"] = (0, 1)
    ends = np.array([(geometry.lines[row][0], geometry.lines[row][-1]) for row in rows.tolist()]).reshape(-1, 2, 2)
    points["x"], points["y"] = ends[:, :, 0], ends[:, :, 1]
    return _read_path(points.ravel())


def _curved(lines: list[NDArray[np.float64]]) -> QPainterPath:
    lengths = np.array([len(line) for line in lines])
    joined = np.concatenate(lines)
    points = np.empty(len(joined), _POINT)
    points["type"] = 1
    points["type"][np.concatenate([[0], np.cumsum(lengths)[:-1]])] = 0
    points["x"], points["y"] = joined[:, 0], joined[:, 1]
    return _read_path(points)


def _read_path(points: NDArray[np.void]) -> QPainterPath:
    """A path from an array, through Qt's own format: a hundred times faster than point by point."""
    data = QByteArray(len(points).to_bytes(4, "big") + points.tobytes() + bytes(8))
    stream = QDataStream(data)
    path = QPainterPath()
    stream >> path
    return path
