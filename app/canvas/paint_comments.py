"""Frames behind the nodes and notes among them, in scene coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTextCharFormat, QTextCursor, QTextDocument

from app.canvas.ink import card, faces, ink, mix
from app.canvas.looks import NEAR
from app.note_text import INSET, NOTE_INSET, lay_text
from graph.comments import FRAME, NOTE, TITLE, Comment

FAR_TITLE = 14.0
"""The height of a title in letters of constant size, on the screen."""
GROUND, BAND, EDGE = 0.08, 0.2, 0.5
"""How strongly the colour of a frame fills it, its title, and its outline."""


def paint_frames(
    painter: QPainter, comments: Mapping[str, Comment], selected: frozenset[str], zoom: float, area: QRectF
) -> None:
    """Paint the frames that reach into an area."""
    for comment in _seen(comments, FRAME, area.adjusted(0, 0, 0, FAR_TITLE / zoom)):
        rect, colour = QRectF(*comment.position, *comment.size), _hue(comment)
        colours = ink()
        painter.setPen(_outline(comment, selected, colour))
        painter.setBrush(mix(colour, colours.canvas, GROUND))
        painter.drawRoundedRect(rect, 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mix(colour, colours.canvas, BAND))
        painter.drawPath(_band(rect))
        if comment.id in selected:
            painter.setPen(_outline(comment, selected, colour))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect, 8, 8)
        _grip(painter, rect, colour)
        _title(painter, comment.text, rect, zoom)


def paint_notes(
    painter: QPainter, comments: Mapping[str, Comment], selected: frozenset[str], zoom: float, area: QRectF
) -> None:
    """Paint the notes that reach into an area; from afar only their cards."""
    for comment in _seen(comments, NOTE, area):
        rect, colour = QRectF(*comment.position, *comment.size), _hue(comment)
        colours = ink()
        painter.setPen(_outline(comment, selected, colour))
        painter.setBrush(mix(colour, colours.panel, 0.1))
        card(painter, rect, 6.0)
        if zoom < NEAR / 1.5:
            continue
        _grip(painter, rect, colour)
        painter.save()
        inside = rect.adjusted(INSET, NOTE_INSET, -INSET, -NOTE_INSET)
        painter.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        painter.translate(inside.topLeft())
        set_text(comment.text, comment.size[0]).drawContents(painter)
        painter.restore()


def set_text(text: str, width: float) -> QTextDocument:
    """The text of a note as it is set in a card of that width."""
    key = (text, width, ink().theme.name)
    found = _texts.get(key)
    if found is None:
        if len(_texts) > 500:
            _texts.clear()
        found = _texts[key] = lay_text(text, width, faces().text.font)
        _colour(found, ink().text if text else ink().faint)
    return found


_texts: dict[tuple[str, float, str], QTextDocument] = {}


def _seen(comments: Mapping[str, Comment], kind: str, area: QRectF) -> Iterable[Comment]:
    for comment in comments.values():
        if comment.kind == kind and area.intersects(QRectF(*comment.position, *comment.size)):
            yield comment


def _hue(comment: Comment) -> QColor:
    return ink().theme.tag(comment.colour) or ink().faint


def _outline(comment: Comment, selected: frozenset[str], colour: QColor) -> QPen:
    pen = QPen(ink().accent, 2.0) if comment.id in selected else QPen(mix(colour, ink().canvas, EDGE), 1.0)
    pen.setCosmetic(True)
    return pen


def _band(rect: QRectF) -> QPainterPath:
    """The title of a frame, round where the frame is."""
    body, band = QPainterPath(), QPainterPath()
    body.addRoundedRect(rect, 8, 8)
    band.addRect(QRectF(rect.topLeft(), QSizeF(rect.width(), TITLE)))
    return body.intersected(band)


def _grip(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    """Two short lines in the corner by which it is made larger."""
    painter.setPen(QPen(mix(colour, ink().canvas, 0.7), 1.2))
    for step in (5.0, 9.0):
        start, end = QPointF(rect.right() - step, rect.bottom() - 4), QPointF(rect.right() - 4, rect.bottom() - step)
        painter.drawLine(start, end)


def _title(painter: QPainter, text: str, rect: QRectF, zoom: float) -> None:
    """The title in its band; from afar in letters of constant size, where there is room."""
    painter.setPen(ink().text_pen)
    if zoom >= NEAR:
        face = faces().title
        painter.setFont(face.font)
        room = int(rect.width() - 2 * INSET)
        face.draw(painter, rect.left() + INSET, rect.top() + TITLE / 2, face.elide(text, room))
        return
    face, place = faces().badge, painter.worldTransform().mapRect(rect)
    if place.width() < 32:
        return
    is_above = zoom * TITLE < FAR_TITLE - 4  # its band is too low for letters
    painter.save()
    painter.resetTransform()
    painter.setFont(face.font)
    shown = face.elide(text, int(place.width() - 12))
    face.draw(painter, place.left() + 6, place.top() + (-FAR_TITLE / 2 if is_above else TITLE * zoom / 2), shown)
    painter.restore()


def _colour(document: QTextDocument, colour: QColor) -> None:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    look = QTextCharFormat()
    look.setForeground(colour)
    cursor.mergeCharFormat(look)
