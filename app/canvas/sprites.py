"""Pictures of what is painted again and again, kept while zoom and theme stay: stamping one is ten times as fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from math import ceil, floor
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.canvas.ink import faces, ink

PAGE = 2048
"""Pictures lie side by side on pages of so many pixels each way; making a picture of its own for each takes longer."""
MOST_PAGES = 4
LARGEST_SCALE = 2.0
"""From here on few nodes fit on a screen and their pictures are large, so that painting them anew is as fast."""


class Sprite(NamedTuple):
    """One thing to stamp.

    Args:
        name: what it is.
        key: all that its picture depends on, besides zoom and theme.
        corner: where its origin lies on the widget.
        area: what it covers around its origin, in units of the scene.
        draw: paints it around the origin, in units of the scene.
    """

    name: Hashable
    key: Hashable
    corner: tuple[float, float]
    area: tuple[float, float, float, float]
    draw: Callable[[QPainter], None]


class Sprites:
    """Pictures by name; they are painted anew where their key is another one than before.

    They lie on whole pixels of the screen, so that what is moved by whole pixels stays as it is, and so does a part
    that is painted again.

    While the zoom changes from picture to picture, only what is stamped several times in one is made first.
    """

    def __init__(self) -> None:
        self._held: dict[Hashable, tuple[Hashable, QPixmap, QRect, QPointF]] = {}
        self._made_for: tuple[object, ...] = ()
        self._pages: list[QPixmap] = []
        self._used = 0
        self._x = self._y = self._row = 0
        self.scale = 1.0
        """Pixels of the screen for one unit of the scene."""
        self._ratio = self._zoom = 1.0
        self.is_fresh = False
        """Whether nothing is kept yet at this zoom; while it changes with every picture, keeping would not pay."""
        self.is_kept = False
        """Whether everything is painted from pictures now."""

    def begin(self, painter: QPainter, zoom: float) -> None:
        """A picture of the scene at some zoom begins; the painter is turned to the widget."""
        self._zoom, self._ratio = zoom, painter.deviceTransform().m11()
        self.scale = zoom * self._ratio
        made_for = (self.scale, zoom, ink(), faces())
        self.is_fresh = made_for != self._made_for
        self.is_kept = self.scale < LARGEST_SCALE and not self.is_fresh
        if self.is_fresh or self._used > MOST_PAGES:
            self._held.clear()
            self._made_for = made_for
            self._used = self._x = self._y = self._row = 0

    def snap(self, value: float) -> float:
        """The whole pixel of the screen next to a place of the widget."""
        return floor(value * self._ratio + 0.501) / self._ratio

    def stamp_all(self, painter: QPainter, sprites: Iterable[Sprite]) -> None:
        """Paint some things, in their order; the painter is turned to the widget."""
        sprites = list(sprites)
        self.make(sprites)
        for sprite in sprites:
            self.stamp(painter, sprite)

    def make(self, sprites: Iterable[Sprite]) -> None:
        """Make the pictures that are missing or out of date."""
        if self.scale >= LARGEST_SCALE:
            return
        if not self.is_kept:
            sprites = list(sprites)
            counts = Counter([sprite.name for sprite in sprites])
            sprites = [sprite for sprite in sprites if counts[sprite.name] > 1]
        held = self._held
        own: QPainter | None = None
        page: QPixmap | None = None
        for sprite in sprites:
            known = held.get(sprite.name)
            if known is not None and known[0] == sprite.key:
                continue
            where, cell, offset = self._cell(sprite.area)
            if where is not page or own is None:
                if own is not None:
                    own.end()
                page = where
                own = QPainter(page)
                own.setRenderHint(QPainter.RenderHint.Antialiasing)
            own.resetTransform()
            own.setClipRect(cell)
            own.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            own.fillRect(cell, Qt.GlobalColor.transparent)
            own.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
            own.translate(cell.left() - offset.x() * self._ratio, cell.top() - offset.y() * self._ratio)
            own.scale(self.scale, self.scale)
            sprite.draw(own)
            held[sprite.name] = (sprite.key, where, cell, offset)
        if own is not None:
            own.end()

    def stamp(self, painter: QPainter, sprite: Sprite) -> None:
        """Paint one thing, from its picture if that was made; the painter is turned to the widget."""
        x, y = self.snap(sprite.corner[0]), self.snap(sprite.corner[1])
        known = self._held.get(sprite.name)
        if known is None:
            turned = painter.worldTransform()
            painter.translate(x, y)
            painter.scale(self._zoom, self._zoom)
            sprite.draw(painter)
            painter.setWorldTransform(turned)
            return
        _, page, cell, offset = known
        if self._ratio == 1.0:  # whole numbers are what Qt is called with fastest
            painter.drawPixmap(QPoint(int(x + offset.x()), int(y + offset.y())), page, cell)
            return
        painter.drawPixmap(
            QRectF(x + offset.x(), y + offset.y(), cell.width() / self._ratio, cell.height() / self._ratio),
            page, cell,
        )  # fmt: skip

    def _cell(self, area: tuple[float, float, float, float]) -> tuple[QPixmap, QRect, QPointF]:
        """Free room for a picture: its page, its place there, and how far its corner is from its origin."""
        left, top = floor(area[0] * self.scale) - 1, floor(area[1] * self.scale) - 1
        wide, high = ceil(area[2] * self.scale) + 1 - left, ceil(area[3] * self.scale) + 1 - top
        offset = QPointF(left / self._ratio, top / self._ratio)
        if self._x + wide > PAGE:
            self._x, self._y, self._row = 0, self._y + self._row, 0
        if not self._used or self._y + high > PAGE:
            self._x = self._y = self._row = 0
            self._used += 1
            if self._used > len(self._pages):
                self._pages.append(QPixmap(PAGE, PAGE))
                self._pages[-1].fill(Qt.GlobalColor.transparent)  # which also tells Qt that it is not opaque
        cell = QRect(self._x, self._y, wide, high)
        self._x += wide
        self._row = max(self._row, high)
        return self._pages[self._used - 1], cell, offset
