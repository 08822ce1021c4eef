"""Paints the rows of the outline: the icon of the category in its hue, the title, and quietly the shape."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app import theme
from app.icons.painting import paint_icon
from app.panels.tree.model import FACTS_ROLE, Facts
from app.symbols import of_state

ROW, ICON = 24, 14
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class OutlineRows(QStyledItemDelegate):
    """Paints and edits the rows."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(80, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        facts: Facts | None = index.data(FACTS_ROLE)
        if facts is None:
            return
        look, rect = theme.current(), QRect(option.rect)  # type: ignore[attr-defined]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.hover if selected else look.field))
            painter.drawRoundedRect(QRectF(rect).adjusted(0, 0, -4, 0), 4, 4)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(look.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -4.5, -0.5), 4, 4)
        left, right = rect.left() + 6, rect.right() - 12
        middle = rect.top() + ROW / 2
        paint_icon(painter, facts.icon, look.category(facts.category).name(), left, middle, ICON)
        left += ICON + 8
        if facts.state == "error":
            right -= ICON
            paint_icon(painter, of_state("error"), look.error, right, middle, ICON)
            right -= 8
        title = f"{facts.title}  {facts.times}" if facts.times else facts.title
        body, small = theme.font(), theme.font(theme.TEXT_TINY)
        wide = min(QFontMetrics(body).horizontalAdvance(title), right - left)
        shape = _fitting(facts.shape, QFontMetrics(small), right - left - wide - 12)
        if shape:
            painter.setFont(small)
            painter.setPen(QColor(look.muted if selected else look.faint))
            shape_wide = QFontMetrics(small).horizontalAdvance(shape)
            painter.drawText(QRect(right - shape_wide, rect.top(), shape_wide + 2, ROW), _LEFT, shape)
        painter.setFont(body)
        painter.setPen(QColor(look.text if facts.state != "unused" else look.muted if selected else look.faint))
        words = QFontMetrics(body).elidedText(title, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QRect(left, rect.top(), right - left, ROW), _LEFT, words)
        painter.restore()


def _fitting(shape: str, metrics: QFontMetrics, room: int) -> str:
    """As many of the last axes as there is room for; these tell nodes apart."""
    axes = shape.split(" × ")
    for first in range(len(axes)):
        text = " × ".join(["…"] * bool(first) + axes[first:])
        if metrics.horizontalAdvance(text) <= room:
            return text
    return ""
