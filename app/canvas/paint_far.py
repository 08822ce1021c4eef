"""Nodes as blocks of colour and wires as thin lines, as they look from afar, painted in batches.

How much is shown depends on the zoom and on how large the level is, never on how much of it happens to be painted, so
that a strip that is painted anew equals its surroundings.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray, QDataStream, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from app import theme
from app.canvas.camera import Camera
from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.ink import ink, mix
from app.canvas.labels import Labels
from app.canvas.looks import FAR, Looks
from app.canvas.strokes import Strokes

FEW = 300
"""The nodes of a level with no more than these have round corners even from afar."""
FEW_WIRES = 600
"""On a level with no more wires than these they are curves even from afar."""
_POINT = np.dtype([("type", ">i4"), ("x", ">f8"), ("y", ">f8")])
Shade = tuple[str, float]
"""A category, a tag or a state, and how strongly it is laid on the ground."""


def are_curves(geometry: LevelGeometry, zoom: float) -> bool:
    """Whether wires are painted as they run, or as straight lines since they are too many."""
    return zoom >= FAR or len(geometry.wires) <= FEW_WIRES


class FarPainter:
    """Paints a level from afar, in scene coordinates."""

    def __init__(self) -> None:
        self.strokes = Strokes()
        self._key: tuple[LevelGeometry | None, int] = (None, -1)
        self._path = QPainterPath()
        self._seen: tuple[Any, ...] = ()
        self._layer: QPixmap | None = None
        self._is_still = False
        self._shades = _Shades()
        self._whole: tuple[object, dict[Shade, list[QRectF]]] = (None, {})

    def begin(self, painter: QPainter, geometry: LevelGeometry, camera: Camera, size: QSize) -> None:
        """A picture begins; the painter is turned to the widget."""
        ratio = painter.deviceTransform().m11()
        self.strokes.begin(geometry, camera.zoom * ratio)
        seen = (geometry, geometry.version, camera.zoom, camera.x, camera.y, size, ratio, ink())
        self._is_still = seen == self._seen and camera.zoom < FAR
        if seen != self._seen:
            self._seen, self._layer = seen, None

    def lines(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> None:
        """Paint wires as thin lines, straight ones where they are many."""
        if are_curves(geometry, 0.0):
            self.curves(painter, geometry, labels, looks, rows)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if not self._is_still:
            self._many(painter, geometry, rows)
            return
        turned = painter.worldTransform()
        if self._layer is None:  # they do not change, as while a rectangle is drawn over them
            size, ratio = self._seen[5], self._seen[6]
            self._layer = QPixmap(size * ratio)
            self._layer.setDevicePixelRatio(ratio)
            self._layer.fill(Qt.GlobalColor.transparent)
            own = QPainter(self._layer)
            own.setTransform(turned)
            self._many(own, geometry, np.arange(len(geometry.wires)))
            own.end()
        painter.resetTransform()
        painter.drawPixmap(0, 0, self._layer)
        painter.setTransform(turned)

    def _many(self, painter: QPainter, geometry: LevelGeometry, rows: Rows) -> None:
        """Paint straight lines, all alike."""
        painter.setPen(thin(mix(ink().theme.kind("features"), ink().canvas, 0.35)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(rows) == len(geometry.wires):
            key = (geometry, geometry.version)
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
        plain = not looks.lifted and not looks.struck and looks.lit_nodes is None and looks.chosen is None
        skips = geometry.skips[rows].tolist()
        for row, kind, skips_some in zip(rows.tolist(), labels.kinds_of(geometry, rows), skips, strict=True):
            share = 0.45 if skips_some or not kind else 0.8
            if plain:
                groups.setdefault((kind, 1.0 if kind == "error" else share), []).append(row)
                continue
            wire = geometry.wires[row]
            if wire in looks.lifted:
                continue
            kind = "error" if wire in looks.struck else kind
            if looks.lit_nodes is not None:
                share = 1.0 if wire in looks.lit_wires else 0.2
            groups.setdefault((kind, 1.0 if kind == "error" or wire == looks.chosen else share), []).append(row)
        for (kind, share), members in sorted(groups.items(), key=lambda item: item[0][1]):
            painter.setPen(thin(colours.kind(kind, share)))
            painter.drawPath(_curved([self.strokes.line(geometry, row) for row in members]))

    def blocks(
        self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows, zoom: float
    ) -> None:
        """Paint nodes as blocks of their category's colour; no title would fit that is not cut to a syllable."""
        painter.setPen(Qt.PenStyle.NoPen)
        is_small = len(geometry.ids) <= FEW
        for (name, strength), rects in self._blocks(geometry, labels, looks, rows).items():
            painter.setBrush(mix(colour_of(name), ink().canvas, 0.9 * strength))
            if is_small:
                for rect in rects:
                    painter.drawRoundedRect(rect, 2 / zoom, 2 / zoom)
            else:
                painter.drawRects(rects)

    def _blocks(self, geometry: LevelGeometry, labels: Labels, looks: Looks, rows: Rows) -> dict[Shade, list[QRectF]]:
        """What is painted in which shade; that of the whole level is remembered."""
        is_whole = len(rows) == len(geometry.ids)
        marks = labels.marks(geometry)
        key = (geometry, geometry.places_version, geometry.rows_version, looks.selected, looks.lit_nodes)
        key = (*key, id(marks))
        if is_whole and key == self._whole[0]:
            return self._whole[1]
        found = self._shades.rects(geometry, marks, looks, rows)
        if is_whole:
            self._whole = key, found
        return found


class _Shades:
    """Of every node its rectangle and its shade, kept from picture to picture."""

    def __init__(self) -> None:
        self._places = np.zeros((0, 4))
        self._rects: list[QRectF] = []
        self._marks: list[tuple[str, str]] | None = None
        self._names: list[Shade] = []
        self._codes: NDArray[np.intp] = np.zeros(0, np.intp)

    def rects(
        self, geometry: LevelGeometry, marks: list[tuple[str, str]], looks: Looks, rows: Rows
    ) -> dict[Shade, list[QRectF]]:
        """The rectangles of some nodes by shade."""
        self._follow(geometry, marks)
        codes, names = self._codes, self._names
        if looks.selected or looks.lit_nodes is not None:
            codes, names = self._single_out(geometry, looks)
        codes = codes[rows]
        found: dict[Shade, list[QRectF]] = {}
        for code in np.unique(codes).tolist():
            members = rows[codes == code].tolist()
            some = itemgetter(*members)(self._rects)
            found[names[code]] = list(some) if len(members) > 1 else [some]
        return found

    def _follow(self, geometry: LevelGeometry, marks: list[tuple[str, str]]) -> None:
        places = geometry.rects
        if len(places) != len(self._places):
            self._places, self._rects = places.copy(), rects_of(places)
        elif (changed := np.nonzero((places != self._places).any(axis=1))[0]).size:
            for row, rect in zip(changed.tolist(), rects_of(places[changed]), strict=True):
                self._rects[row] = rect
            self._places[changed] = places[changed]
        if marks is not self._marks:
            known: dict[tuple[str, str], int] = {}
            self._codes = np.array([known.setdefault(mark, len(known)) for mark in marks], np.intp)
            self._names = [(name, strength_of(state)) for name, state in known]
            self._marks = marks

    def _single_out(self, geometry: LevelGeometry, looks: Looks) -> tuple[NDArray[np.intp], list[Shade]]:
        """Codes and shades while nodes are selected or a path is lit."""
        codes, names, index = self._codes.copy(), list(self._names), geometry.index
        selected = [index[id] for id in looks.selected if id in index]
        codes[selected] = len(names)
        names.append(("selected", 1.0))
        if looks.lit_nodes is not None:
            dark = np.ones(len(codes), bool)
            dark[[index[id] for id in looks.lit_nodes if id in index]] = False
            codes[dark] += len(names)
            names += [(name, 0.25) for name, _ in names]
        return codes, names


def strength_of(state: str) -> float:
    """How strongly the colour of a node is painted from afar."""
    return 1.0 if state in ("ok", "error") else 0.35 if state == "muted" else 0.6


def colour_of(name: str) -> QColor:
    """The colour of a category, a tag or a state."""
    colours = ink()
    named = {"selected": colours.accent, "error": colours.error}.get(name)
    return named or theme.current().tag(name.removeprefix("tag ")) or theme.current().category(name)


def rects_of(places: NDArray[np.float64]) -> list[QRectF]:
    """Rectangles from left, top, right and bottom."""
    return [QRectF(x, y, r - x, b - y) for x, y, r, b in places.tolist()]


def thin(colour: QColor, width: float = 1.0) -> QPen:
    """A pen that is as broad at every zoom."""
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen


def _straight(geometry: LevelGeometry, rows: Rows) -> QPainterPath:
    points = np.empty((len(rows), 2), _POINT)
    points["type"] = (0, 1)
    ends = geometry.ends[rows]
    points["x"], points["y"] = ends[:, (0, 2)], ends[:, (1, 3)]
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
