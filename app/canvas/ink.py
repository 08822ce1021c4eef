"""Pens, brushes and set texts of the canvas, made once for each theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QGlyphRun, QPainter, QPainterPath, QPen, QTextLayout

from app import theme
from app.theme import Theme

RADIUS = 7.0
PORT = 4.5
"""The radius of a port."""
WIDEST = 1e6
"""No text is wider, so that each is one line."""


def mix(colour: QColor, ground: QColor, share: float) -> QColor:
    """A colour laid thinly on a ground; overlapping strokes of it stay even, which real transparency would not."""
    return QColor.fromRgbF(
        colour.redF() * share + ground.redF() * (1 - share),
        colour.greenF() * share + ground.greenF() * (1 - share),
        colour.blueF() * share + ground.blueF() * (1 - share),
    )


class Face:
    """A font with the texts that have been set in it; setting is what costs, painting again does not."""

    def __init__(self, size: int, *, bold: bool = False, mono: bool = False) -> None:
        self.font = theme.font(size, weight=QFont.Weight.DemiBold if bold else QFont.Weight.Normal, mono=mono)
        # A picture that is laid on another has no coloured fringes of letters, so nothing else may have them either.
        self.font.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)
        self.metrics = QFontMetricsF(self.font)
        self.centre = (self.metrics.ascent() + self.metrics.descent()) / 2
        self._set: dict[str, tuple[list[QGlyphRun], float]] = {}
        self.elide = lru_cache(4096)(self._elide)

    def width(self, text: str) -> float:
        """How wide a text is."""
        return self._lay(text)[1]

    def draw(self, painter: QPainter, x: float, middle: float, text: str) -> None:
        """Paint a text that begins at x and whose line has its middle there; the painter has this font."""
        for run in self._lay(text)[0]:
            painter.drawGlyphRun(QPointF(x, middle - self.centre), run)

    def draw_right(self, painter: QPainter, x: float, middle: float, text: str) -> None:
        """Paint a text that ends at x."""
        self.draw(painter, x - self.width(text), middle, text)

    def _elide(self, text: str, room: int) -> str:
        return self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)

    def _lay(self, text: str) -> tuple[list[QGlyphRun], float]:
        found = self._set.get(text)
        if found is None:
            if len(self._set) > 20_000:
                self._set.clear()
            found = self._set[text] = (self._glyphs(text), self.metrics.horizontalAdvance(text))
        return found

    def _glyphs(self, text: str) -> list[QGlyphRun]:
        """The letters of a text where they lie; unlike a QStaticText they are not set anew for every zoom."""
        layout = QTextLayout(text, self.font)
        layout.beginLayout()
        layout.createLine().setLineWidth(WIDEST)
        layout.endLayout()
        return layout.glyphRuns()


class Faces:
    """The fonts of the canvas; one set for the program."""

    def __init__(self) -> None:
        self.title = Face(theme.TEXT_BODY, bold=True)
        self.body = Face(theme.TEXT_BODY)
        self.text = Face(theme.TEXT_SMALL)
        self.strong = Face(theme.TEXT_SMALL, bold=True)
        self.number = Face(theme.TEXT_SMALL, mono=True)
        self.small = Face(theme.TEXT_TINY, mono=True)
        self.tiny = Face(theme.TEXT_TINY - 2, bold=True)
        self.badge = Face(theme.TEXT_TINY, bold=True)


@lru_cache(1)
def faces() -> Faces:
    """The fonts of the canvas."""
    return Faces()


class Ink:
    """The colours of one theme as pens and brushes."""

    def __init__(self, look: Theme) -> None:
        self.theme = look
        self.canvas, self.node, self.panel = QColor(look.canvas), QColor(look.node), QColor(look.panel)
        self.text, self.muted, self.faint = QColor(look.text), QColor(look.muted), QColor(look.faint)
        self.accent, self.error, self.warning = QColor(look.accent), QColor(look.error), QColor(look.warning)
        self.line, self.edge, self.grid = QColor(look.line), QColor(look.node_line), QColor(look.grid)
        self.field, self.good = QColor(look.field), QColor(look.good)
        self.idle = mix(self.faint, self.node, 0.6)
        self.body = QBrush(self.node)
        self.ground = QBrush(self.canvas)
        self.edge_pen = _pen(self.edge, 1.0)
        self.selected_pen = _pen(self.accent, 2.0)
        self.hover_pen = _pen(mix(self.accent, self.node, 0.55), 1.5)
        self.error_pen = _pen(self.error, 1.5)
        self.warning_pen = _pen(self.warning, 1.5)
        self.port_pen = _pen(self.canvas, 1.5)
        self.text_pen, self.muted_pen, self.faint_pen = QPen(self.text), QPen(self.muted), QPen(self.faint)
        self.accent_text = QColor(look.accent_text)
        self.category = lru_cache(64)(self._category)
        self.kind = lru_cache(512)(self._kind)
        self.tag = lru_cache(64)(self._tag)
        self.wire = lru_cache(512)(self._wire)

    def _category(self, name: str, share: float = 1.0) -> QBrush:
        return QBrush(mix(self.theme.category(name), self.node, share))

    def _tag(self, name: str, share: float) -> QColor | None:
        """The colour of a tag laid thinly on a node, or None without one."""
        colour = self.theme.tag(name)
        return None if colour is None else mix(colour, self.node, share)

    def _kind(self, name: str, share: float = 1.0) -> QColor:
        """The colour of what travels on a wire, thinner for what is less in the foreground."""
        colour = {"": self.faint, "error": self.error, "chosen": self.accent}.get(name) or self.theme.kind(name)
        return mix(colour, self.canvas, share)

    def _wire(self, kind: str, share: float, width: float) -> QPen:
        return _pen(self.kind(kind, share), width)


def ink() -> Ink:
    """The pens and brushes of the theme in use."""
    look = theme.current()
    if look.name not in _inks:
        _inks[look.name] = Ink(look)
    return _inks[look.name]


_inks: dict[str, Ink] = {}


@lru_cache(512)
def stripe(height: float, width: float = 5.0, radius: float = RADIUS) -> QPainterPath:
    """The strip of colour along the left edge of a node, round where the node is."""
    body = QPainterPath()
    body.addRoundedRect(QRectF(0.5, 0.5, 40.0, height - 1.0), radius, radius)
    strip = QPainterPath()
    strip.addRect(QRectF(0.0, 0.0, width, height))
    return body.intersected(strip)


@lru_cache(512)
def title_band(width: float, height: float, band_height: float, radius: float = RADIUS) -> QPainterPath:
    """The upper part of a node, round where the node is."""
    body, band = QPainterPath(), QPainterPath()
    body.addRoundedRect(QRectF(1.0, 1.0, width - 2.0, height - 2.0), radius, radius)
    band.addRect(QRectF(0.0, 0.0, width, band_height))
    return body.intersected(band)


@lru_cache(512)
def dashes(width: float, height: float) -> list[QLineF]:
    """The outline of a node in dashes; Qt's own dashed pen takes fifty times as long."""
    outline = QPainterPath()
    outline.addRoundedRect(QRectF(0.5, 0.5, width - 1.0, height - 1.0), RADIUS, RADIUS)
    length = outline.length()
    count = max(1, round(length / 8))
    at = [outline.pointAtPercent(min(1.0, place / (2 * count))) for place in range(2 * count)]
    return [QLineF(at[place], at[place + 1]) for place in range(0, 2 * count, 2)]


def card(painter: QPainter, rect: QRectF, radius: float = RADIUS) -> None:
    """A rounded rectangle whose one-pixel outline lies on whole pixels."""
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def pill(painter: QPainter, middle_x: float, middle_y: float, size: QSizeF) -> QRectF:
    """A round-ended outline around a point; returns its rectangle."""
    rect = QRectF(middle_x - size.width() / 2, middle_y - size.height() / 2, size.width(), size.height())
    painter.drawRoundedRect(rect, size.height() / 2, size.height() / 2)
    return rect


def _pen(colour: QColor, width: float) -> QPen:
    return QPen(QBrush(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.BevelJoin)
