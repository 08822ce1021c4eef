"""Colour tags as people choose them: their names, a dot of each, and the menu of them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QMenu

from app import theme
from app.widgets.menu import Menu

TAGS = tuple(theme.DARK.tags)
NONE = "none"
DOT = 16


def dot(name: str) -> QIcon:
    """A round spot of a tag's colour; a ring for none."""
    result = QIcon()
    look = theme.current()
    for ratio in (1, 2, 3):
        picture = QPixmap(DOT * ratio, DOT * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = look.tag(name)
        painter.setPen(QPen(QColor(look.faint), 1.5) if colour is None else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if colour is None else colour)
        painter.drawEllipse(QRectF(3, 3, 10, 10))
        painter.end()
        result.addPixmap(picture)
    return result


def colour_menu(action_of: Callable[[str], QAction], parent: QMenu) -> QMenu:
    """The menu of colours, made of the actions that give them, by their ids."""
    menu = Menu("Colour", parent)
    for name in (*TAGS, NONE):
        action = action_of(f"tag_{name}")
        action.setIcon(dot(name))
        menu.addAction(action)
    return menu
