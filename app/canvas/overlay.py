"""What lies over the drawing and does not move with it: where one is and what there is."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter

from app import theme
from app.canvas.ink import faces, ink
from app.icons.painting import paint_icon
from app.session import Session
from graph.document import REROUTE, Level, Path
from graph.layout import heading

LEFT, TOP = 16.0, 12.0
CRUMB_HEIGHT, CRUMB_GAP, LEAST_CRUMB, CHEVRON = 24.0, 26.0, 40, 12
VEIL = 0.9
EMPTY_LEVEL = "Nothing is drawn here yet"
EMPTY_HINT = "Drag a block here, or double-click and type"


@dataclass
class Crumb:
    """One step of the way from the top level to here."""

    path: Path
    text: str
    rect: QRectF


class Overlay:
    """Breadcrumbs at the top left, facts at the bottom left, and the hint of an empty level."""

    def __init__(self) -> None:
        self.crumbs: list[Crumb] = []
        self.zoom_rect = QRectF()
        self.facts_rect = QRectF()
        self._zoom_text = self._facts_text = ""
        self._is_empty = False
        self._counted: tuple[object, int] = (None, 0)

    def follow(self, session: Session, zoom: float, size: QSize) -> None:
        """Say what there is."""
        self.crumbs = []
        paths = [session.at[:depth] for depth in range(len(session.at) + 1)]
        faced = [(path, _name(session, path), faces().title if path == session.at else faces().body) for path in paths]
        room = (size.width() - 2 * LEFT) / len(faced) - CRUMB_GAP
        crowded = sum(face.width(text) + CRUMB_GAP for _, text, face in faced) > size.width() - 2 * LEFT
        x = LEFT
        for path, text, face in faced:
            text = face.elide(text, max(LEAST_CRUMB, int(room))) if crowded else text
            wide = face.width(text)
            self.crumbs.append(Crumb(path, text, QRectF(x - 6, TOP, wide + 12, CRUMB_HEIGHT)))
            x += wide + CRUMB_GAP
        level = session.document.level(session.at)
        self._is_empty = not level.nodes
        self._zoom_text = f"{zoom * 100:.0f} %"
        self._facts_text = _facts(session, self._blocks_of(level))
        bottom = size.height() - TOP - CRUMB_HEIGHT
        zoom_wide = faces().number.width("100 %")
        self.zoom_rect = QRectF(LEFT - 6, bottom, zoom_wide + 12, CRUMB_HEIGHT)
        room = size.width() - 2 * LEFT - zoom_wide - 16
        self._facts_text = faces().text.elide(self._facts_text, max(0, int(room)))
        facts_wide = faces().text.width(self._facts_text)
        self.facts_rect = QRectF(LEFT + zoom_wide + 16, bottom, facts_wide + 4, CRUMB_HEIGHT)

    def _blocks_of(self, level: Level) -> int:
        """How many blocks there are, dots not counted."""
        key = (level, level.structure)
        if self._counted[0] != key:
            self._counted = key, sum(node.block != REROUTE for node in level.nodes.values())
        return self._counted[1]

    @property
    def rects(self) -> list[QRectF]:
        """All that it covers."""
        return [*(crumb.rect.adjusted(0, 0, 16, 0) for crumb in self.crumbs), self.zoom_rect, self.facts_rect]

    def crumb_at(self, point: QPointF) -> Crumb | None:
        """The breadcrumb under a point of the widget; the last one, where one is, does nothing."""
        return next((crumb for crumb in self.crumbs[:-1] if crumb.rect.contains(point)), None)

    def paint(self, painter: QPainter, size: QSize, pointer: QPointF, area: QRectF) -> None:
        """Paint what lies in an area, in widget coordinates."""
        colours, set_in = ink(), faces()
        if self._is_empty:
            self._invite(painter, size)
        if self.crumbs:
            _veil(painter, self.crumbs[0].rect.united(self.crumbs[-1].rect), area)
        for crumb in self.crumbs:
            if not area.intersects(crumb.rect.adjusted(0, 0, 16, 0)):
                continue
            is_last = crumb is self.crumbs[-1]
            face = set_in.title if is_last else set_in.body
            is_hot = not is_last and crumb.rect.contains(pointer)
            painter.setPen(colours.text_pen if is_last or is_hot else colours.muted_pen)
            painter.setFont(face.font)
            face.draw(painter, crumb.rect.left() + 6, crumb.rect.center().y(), crumb.text)
            if not is_last:
                middle = crumb.rect.center().y()
                paint_icon(painter, "chevron-right", theme.current().faint, crumb.rect.right() - 3, middle, CHEVRON)
        if not area.intersects(self.zoom_rect.united(self.facts_rect)):
            return
        _veil(painter, self.zoom_rect.united(self.facts_rect), area)
        painter.setFont(set_in.number.font)
        painter.setPen(colours.text_pen if self.zoom_rect.contains(pointer) else colours.faint_pen)
        set_in.number.draw(painter, LEFT, self.zoom_rect.center().y(), self._zoom_text)
        painter.setFont(set_in.text.font)
        painter.setPen(colours.faint_pen)
        set_in.text.draw(painter, self.facts_rect.left(), self.facts_rect.center().y(), self._facts_text)

    def _invite(self, painter: QPainter, size: QSize) -> None:
        colours, set_in = ink(), faces()
        middle, x = size.height() / 2, size.width() / 2
        painter.setFont(set_in.title.font)
        painter.setPen(colours.text_pen)
        set_in.title.draw(painter, round(x - set_in.title.width(EMPTY_LEVEL) / 2), middle - 12, EMPTY_LEVEL)
        painter.setFont(set_in.text.font)
        painter.setPen(colours.muted_pen)
        set_in.text.draw(painter, round(x - set_in.text.width(EMPTY_HINT) / 2), middle + 12, EMPTY_HINT)


def _veil(painter: QPainter, rect: QRectF, area: QRectF) -> None:
    """Dim the drawing behind words, so that they can be read over it."""
    if area.intersects(rect):
        ground = QColor(ink().canvas)
        ground.setAlphaF(VEIL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(rect, 4, 4)


def _name(session: Session, path: Path) -> str:
    report = session.report.node(path) if path else None
    return heading(session.document.node(path), report.params if report else None) if path else session.title


def _facts(session: Session, count: int) -> str:
    if not count:
        return ""
    text = f"{count} block{'' if count == 1 else 's'}{' in this group' if session.at else ''}"
    if session.selection:
        text += f", {len(session.selection)} selected"
    issues = [issue for issue in session.report.issues if issue.path]
    if issues:
        text += f", {len(issues)} issue{'' if len(issues) == 1 else 's'}   ·   F8 goes to "
        text += "it" if len(issues) == 1 else "the next"
    return text
