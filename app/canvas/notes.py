"""Small sheets of words on the canvas: what is wrong and how to mend it, what a port is, why it will not do."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QTextDocument, QTextOption

from app import theme
from app.canvas.ink import card, faces, ink
from graph.issues import Issue

WIDTH, WIDEST = 244.0, 340.0
INSET_X, INSET_Y = 14.0, 11.0
BUTTON = 22.0
EDGE = 8.0


class Note:
    """A sheet with a heading, running text and perhaps a button; `place` puts it beside something.

    Args:
        text: what it says; what stands between backticks is set off.
        heading: the first line.
        button: the label of the button.
        tone: error, warning, or empty.
        width: how wide the lines may become.
        aside: a few faint words at the right of the heading.
    """

    def __init__(
        self, text: str, heading: str = "", button: str = "", tone: str = "", width: float = WIDTH, aside: str = ""
    ) -> None:
        self.text, self.heading, self.button, self.tone, self.aside = (
            text,
            heading,
            button.replace("`", ""),
            tone,
            aside,
        )
        self.rect = QRectF()
        self._document = QTextDocument()
        self._document.setDocumentMargin(0)
        self._document.setDefaultFont(faces().text.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        self._document.setDefaultTextOption(option)
        self._document.setHtml(_html(text))
        self._document.setTextWidth(width - 2 * INSET_X)
        foot = faces().strong.width(self.button)
        head = faces().strong.width(heading) + (faces().text.width(aside) + 12 if aside else 0)
        if heading:
            self._wide = min(WIDEST, max(width, max(head, foot) + 2 * INSET_X + 2))
        else:
            self._wide = min(width, self._document.idealWidth() + 2 * INSET_X)
        self._document.setTextWidth(self._wide - 2 * INSET_X)
        self._high = self._document.size().height() + 2 * INSET_Y
        self._high += 20 if heading else 0
        self._high += BUTTON if self.button else 0

    @classmethod
    def of(cls, issues: tuple[Issue, ...]) -> Note:
        """The sheet on the first of a node's issues."""
        issue = issues[0]
        text = f"{issue.found}, {issue.joint} {issue.needed}." if issue.needed else f"{issue.found}."
        more = f"1 of {len(issues)}" if len(issues) > 1 else ""
        label = issue.repair.label if issue.repair is not None else ""
        return cls(text, issue.where, label, issue.severity, aside=more)

    def place_by(self, rect: QRectF, within: QSize) -> None:
        """Lie above a rectangle, at its right, or below where there is no room."""
        x = rect.right() - self._wide
        y = rect.top() - self._high - 16
        if y < EDGE + 32:
            y = rect.bottom() + 16
        self._put(x, y, within)

    def place_at(self, point: QPointF, within: QSize) -> None:
        """Lie above the pointer, where it hides least of the node that is aimed at; below where there is no room."""
        y = point.y() - self._high - 18
        self._put(point.x() - 24, y if y >= EDGE else point.y() + 26, within)

    def place_beside(self, point: QPointF, within: QSize, *, left: bool) -> None:
        """Lie beside a port, outside its node; above it where there is no room."""
        x = point.x() - self._wide - 14 if left else point.x() + 14
        fits = EDGE <= x <= within.width() - self._wide - EDGE
        self._put(x, point.y() - self._high / 2 if fits else point.y() - self._high - 22, within)

    @property
    def button_rect(self) -> QRectF:
        """Where the button is; empty without one."""
        if not self.button:
            return QRectF()
        wide = min(faces().strong.width(self.button) + 16, self.rect.width() - 2 * INSET_X + 16)
        return QRectF(self.rect.right() - wide - INSET_X + 8, self.rect.bottom() - BUTTON - 8, wide, BUTTON + 2)

    def paint(self, painter: QPainter, *, is_hot: bool = False) -> None:
        """Paint it, in widget coordinates; `is_hot` when the pointer is over the button."""
        colours, set_in = ink(), faces()
        line = {"error": colours.error, "warning": colours.warning}.get(self.tone, colours.edge)
        painter.setPen(QPen(line, 1.0))
        painter.setBrush(colours.panel)
        card(painter, self.rect, 9.0)
        x, y = self.rect.left() + INSET_X, self.rect.top() + INSET_Y
        if self.heading:
            painter.setFont(set_in.strong.font)
            painter.setPen(colours.text_pen)
            room = int(self.rect.width() - 2 * INSET_X - set_in.text.width(self.aside) - 8)
            set_in.strong.draw(painter, x, y + 7, set_in.strong.elide(self.heading, room))
            painter.setFont(set_in.text.font)
            painter.setPen(colours.faint_pen)
            set_in.text.draw_right(painter, self.rect.right() - INSET_X, y + 7, self.aside)
            y += 20
        painter.save()
        painter.translate(x, y)
        self._document.drawContents(painter)
        painter.restore()
        if self.button:
            place = self.button_rect
            if is_hot:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours.field)
                painter.drawRoundedRect(place, 5, 5)
            painter.setFont(set_in.strong.font)
            painter.setPen(QPen(colours.accent))
            label = set_in.strong.elide(self.button, int(place.width() - 16) + 1)
            set_in.strong.draw(painter, place.left() + 8, place.center().y(), label)

    def _put(self, x: float, y: float, within: QSize) -> None:
        x = max(EDGE, min(x, within.width() - self._wide - EDGE))
        y = max(EDGE, min(y, within.height() - self._high - EDGE))
        self.rect = QRectF(round(x), round(y), round(self._wide), round(self._high))


def _html(text: str) -> str:
    look = theme.current()
    body = re.sub(r"`([^`]*)`", rf'<span style="color:{look.text}">\1</span>', html.escape(text))
    return f'<div style="color:{look.muted}">{body}</div>'
