"""The painted widget: a level of a session through a camera. What users do with it is added in `view`."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.access.in_words import node_in_words
from app.canvas.camera import Camera
from app.canvas.dots import paint_dots
from app.canvas.fit import fit
from app.canvas.geometry import LevelGeometry
from app.canvas.gestures.base import Gesture
from app.canvas.ground import paint_grid
from app.canvas.in_hand import Loose
from app.canvas.ink import ink
from app.canvas.labels import Labels, linked_nodes
from app.canvas.live_marks import LiveMarks
from app.canvas.looks import FAR, NEAR, Looks
from app.canvas.minimap import Minimap
from app.canvas.notes import Note
from app.canvas.overlay import Overlay
from app.canvas.paint_bodies import BodyPainter
from app.canvas.paint_comments import paint_frames, paint_notes
from app.canvas.paint_far import FarPainter
from app.canvas.paint_near import NearPainter
from app.canvas.paint_wires import WirePainter
from app.canvas.port_names import paint_names
from app.canvas.regions import joined
from app.canvas.settling import settle_seen
from app.canvas.travel import Travel
from app.session import Session
from graph.document import Path

STILL = 120
"""Milliseconds after which a zoom counts as done, and pictures are kept of what is in sight."""


class Surface(QWidget):
    """Paints one level of a session.

    Signals:
        wire_dropped: a wire was dropped where nothing is; carries the path of its node, the port, "output" or "input"
            (which of them that port is), the place in the scene and on the screen.
        search_requested: the user asks for a block; carries the place in the scene and on the screen.
        menu_requested: the user asks for the menu of what is selected; likewise.
        files_dropped: files were dropped; carries their paths, the place in the scene and whether Shift is held.
        template_dropped: a template was dropped; carries its name and the place in the scene.
        block_added: a block was put on the level; carries its name.
    """

    wire_dropped = Signal(object, str, str, QPointF, QPoint)
    search_requested = Signal(QPointF, QPoint)
    menu_requested = Signal(QPointF, QPoint)
    files_dropped = Signal(list, QPointF, bool)
    template_dropped = Signal(str, QPointF)
    block_added = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 160)
        self.setAccessibleName("Canvas")
        self.session = session
        self.geometry_of = LevelGeometry()
        self.labels, self.looks = Labels(), Looks()
        self.overlay, self.minimap = Overlay(), Minimap()
        self.gesture: Gesture | None = None
        self._loose: Loose | None = None
        self.note: Note | None = None
        self.tip: Note | None = None
        self.pointer = QPointF(-1, -1)
        self.asked_at: QPointF | None = None
        """Where a menu was asked for, until the pointer moves on over the canvas."""
        self._near, self._wires = NearPainter(), WirePainter()
        self._bodies, self._far = BodyPainter(), FarPainter()
        self._cameras: WeakKeyDictionary[Session, dict[Path, Camera]] = WeakKeyDictionary()
        self._travel = Travel(self)
        self._has_focus_ring = False
        self.painted = 0
        """How many nodes the last picture had to paint."""
        self.live_marks = LiveMarks(self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._go_on)
        self._is_picture_due = False
        self._bind(session)

    # The session

    def set_session(self, session: Session) -> None:
        """Show another session; each keeps its own views while it is shown."""
        if session is self.session:
            return
        self.abandon()
        old = self.session
        for signal, slot in (
            (old.edited, self._edited), (old.selected, self._selected), (old.entered, self._entered),
            (old.saved, self._refresh), (old.reveal, self._reveal), (old.live.changed, self.live_marks.follow),
        ):  # fmt: skip
            signal.disconnect(slot, missing_ok=True)
        self.session = session
        self._travel.forget()
        self._bind(session)

    def _bind(self, session: Session) -> None:
        session.edited.connect(self._edited)
        session.selected.connect(self._selected)
        session.entered.connect(self._entered)
        session.saved.connect(self._refresh)
        session.reveal.connect(self._reveal)
        session.live.changed.connect(self.live_marks.follow)
        self.live_marks.follow()
        self._entered()

    @property
    def camera(self) -> Camera:
        """The view of the level that is shown; each level keeps its own."""
        return self.cameras.setdefault(self.session.at, Camera())

    @property
    def cameras(self) -> dict[Path, Camera]:
        """The views of all levels of the session that were looked at."""
        return self._cameras.setdefault(self.session, {})

    def _edited(self) -> None:
        if self.gesture is not None and self.gesture.holds:
            self.abandon()  # what is in the hand may be gone, or lie elsewhere
        self._follow_level()
        self.camera.is_untouched = False
        self.looks.chosen = self.session.wire
        self._refresh()

    def _follow_level(self) -> None:
        session = self.session
        linked = linked_nodes(session.report, session.at)
        self.geometry_of.update(session.document.level(session.at), session.report.level(session.at), linked)

    def _selected(self) -> None:
        self.looks.selected, self.looks.chosen = self.session.selection, self.session.wire
        self._refresh()

    def _entered(self) -> None:
        self.abandon()
        self._travel.set_out(self.session.at)
        self.looks = Looks(selected=self.session.selection, chosen=self.session.wire)
        self.note = self.tip = None
        self._follow_level()
        self._fit_untouched()
        self._refresh()
        self._travel.go()

    def _reveal(self, path: Path) -> None:
        bounds = self.geometry_of.bounds([path[-1]])
        if bounds is not None and path[:-1] == self.session.at:
            self.camera.reveal(bounds, self.size())
            self.camera.is_untouched = False
            self._refresh()

    def _refresh(self) -> None:
        """Say and show what has changed."""
        self.labels.follow(self.session.report, self.session.at)
        self.minimap.place(self.size(), self.geometry_of)
        self.overlay.follow(self.session, self.camera.zoom, self.size())
        self._describe()
        self.update()

    def abandon(self) -> None:
        """Let go of what is being dragged, as if it had not begun."""
        if self.gesture is not None:
            gesture, self.gesture = self.gesture, None
            gesture.cancel()
            self.update()

    def hang(self, wire: Loose | None) -> None:
        """Let a wire hang where it was dropped until the user has found a block, or thought better of it."""
        if wire is not self._loose:
            self._loose = wire
            self.update()

    def _describe(self) -> None:
        """Tell assistive technology what is shown."""
        geometry = self.geometry_of
        rows = sorted(geometry.index[id] for id in self.looks.selected if id in geometry.index)
        if len(rows) == 1:
            chosen = [node_in_words(self.session, geometry.nodes[rows[0]].id).rstrip(".")]
        else:
            chosen = [self.labels.node(geometry.nodes[row]).title for row in rows[:5]]
        count = len(self.geometry_of.ids)
        text = f"{self.session.title}, {count} {'block' if count == 1 else 'blocks'}"
        written = [c for id, c in self.geometry_of.comments.items() if id in self.session.comments]
        chosen += [f"{comment.kind}: {comment.text[:200]}" for comment in written]
        if chosen:
            text += f"; selected: {', '.join(chosen)}"
        self.setAccessibleDescription(text)

    # The view

    def map_to_scene(self, point: QPointF | QPoint) -> QPointF:
        """A point of the widget in the coordinates of the drawing."""
        return self.camera.to_scene(QPointF(point))

    def map_from_scene(self, point: QPointF) -> QPointF:
        """A point of the drawing on the widget."""
        return self.camera.to_screen(point)

    @property
    def aim(self) -> QPointF:
        """Where on the widget what is asked for comes: where the menu was, at the pointer, or in the middle."""
        area = self.rect().toRectF()
        place = self.pointer if self.asked_at is None else self.asked_at
        return place if area.contains(place) else area.center()

    def scroll_view(self, dx: int, dy: int) -> None:
        """Move the drawing by whole pixels, painting anew only what comes into sight."""
        if not dx and not dy:
            return
        self.drop_notes()
        camera = self.camera
        camera.is_untouched = False
        camera.x += dx
        camera.y += dy
        ratio = self.devicePixelRatioF()
        if self._travel.is_moving:  # what is on the screen is seen from elsewhere
            self._travel.stop()
            self.update()
            return
        if ratio != round(ratio):  # a move by whole pixels of the widget is no move by whole pixels of the screen
            self.update()
            return
        self.scroll(dx, dy, self.rect())
        for rect in [*self.overlay.rects, self.minimap.rect]:
            if not rect.isEmpty():
                place = rect.toAlignedRect().adjusted(-2, -2, 2, 2)
                self.update(place)
                self.update(place.translated(dx, dy))
        if self.hasFocus() and self._has_focus_ring:
            self.update()

    def view_changed(self) -> None:
        """The user has zoomed or jumped: everything is painted anew."""
        self.camera.is_untouched = False
        self.show_camera()

    def show_camera(self) -> None:
        """Show what the camera of the level shows now."""
        self.drop_notes()
        self.overlay.follow(self.session, self.camera.zoom, self.size())
        self.update()

    def drop_notes(self) -> None:
        """Take away the sheets of words."""
        for note in (self.note, self.tip):
            if note is not None:
                self.update(note.rect.toAlignedRect().adjusted(-2, -2, 2, 2))
        self.note = self.tip = None

    def update_scene(self, left: float, top: float, right: float, bottom: float) -> None:
        """Paint a part of the drawing anew."""
        self.update(self.camera.rect_to_screen(left, top, right, bottom).toAlignedRect().adjusted(-4, -4, 4, 4))

    def touched_area(self, ids: Iterable[str]) -> tuple[float, float, float, float] | None:
        """The rectangle that nodes and their wires paint, in the scene."""
        return self.geometry_of.area_of(ids)

    def repaint_areas(self, *areas: tuple[float, float, float, float] | None) -> None:
        """Paint parts of the drawing anew."""
        for area in areas:
            if area is not None:
                self.update_scene(*area)

    def paint_again(self) -> None:
        """Paint once more soon: there was no time for everything."""
        self._paint_in(0)

    def _paint_in(self, milliseconds: int) -> None:
        self._is_picture_due = True
        self._later.start(milliseconds)

    def _go_on(self) -> None:
        """Paint what is due, or look for more detours."""
        if self._is_picture_due:
            self._is_picture_due = False
            self.update()
        elif not settle_seen(self, self._travel.eye, QRectF()):
            self._later.start(0)
        elif self._near.sprites.is_fresh:
            self._paint_in(STILL)

    def _fit_untouched(self) -> None:
        """Fit a level whose view the user has not changed yet."""
        self.geometry_of.settle()
        bounds = self.geometry_of.extent()
        if bounds is not None and self.camera.is_untouched:
            fit(self.camera, bounds, self.size(), self.minimap, self.geometry_of)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_untouched()
        self.drop_notes()
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.drop_notes()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(1050, 655)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        region = event.region()
        whole = QRectF(region.boundingRect()) if region.rectCount() == 1 else QRectF()
        is_settled = settle_seen(self, self._travel.eye, whole)
        for sprites in (self._near.sprites, self._wires.sprites, self._bodies.sprites):
            sprites.begin(painter, self._travel.eye.zoom)
        self._far.begin(painter, self.geometry_of, self._travel.eye, self.size())
        self.labels.begin()
        self.painted = 0
        if self.looks.fits is not None:
            self.looks.fits.begin()
        for rect in joined(list(region)):
            self._paint(painter, rect)
        painter.end()
        if not self.labels.is_complete:
            self.paint_again()
        elif not is_settled:
            self._later.start(0)
        elif self._near.sprites.is_fresh:
            self._paint_in(STILL)

    def _paint(self, painter: QPainter, rect: QRect) -> None:
        painter.resetTransform()
        painter.setOpacity(1.0)
        painter.setClipRect(rect)
        painter.fillRect(rect, ink().ground)
        camera, size = self._travel.eye, self.size()
        paint_grid(painter, rect, camera, self.width(), self.devicePixelRatioF())
        painter.setTransform(camera.transform)
        self._paint_scene(painter, *camera.rect_to_scene(QRectF(rect)))
        if self.gesture is not None:
            self.gesture.paint(painter)
        elif self._loose is not None:
            self._loose.paint(painter, self)
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.overlay.paint(painter, size, self.pointer, QRectF(rect))
        if self.minimap.rect.intersects(QRectF(rect)):
            still = self.gesture is not None
            self.minimap.paint(painter, self.geometry_of, self.labels, self.looks, camera, size, is_still=still)
        if self.note is not None:
            self.note.paint(painter, is_hot=self.note.button_rect.contains(self.pointer))
        if self.tip is not None:
            self.tip.paint(painter)
        if self._has_focus_ring:
            painter.setPen(QPen(ink().accent, 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _paint_scene(self, painter: QPainter, left: float, top: float, right: float, bottom: float) -> None:
        geometry, labels, looks, zoom = self.geometry_of, self.labels, self.looks, self._travel.eye.zoom
        air = 2 / zoom
        area = (left - air, top - air, right + air, bottom + air)
        wires, nodes = geometry.seen_wires(*area), geometry.seen_nodes(*area)
        self.painted += len(nodes)
        place, written = QRectF(QPointF(area[0], area[1]), QPointF(area[2], area[3])), geometry.comments
        paint_frames(painter, written, self.session.comments, zoom, place)
        if zoom < FAR:
            self._far.lines(painter, geometry, labels, looks, wires)
            paint_notes(painter, written, self.session.comments, zoom, place)
            self._far.blocks(painter, geometry, labels, looks, nodes, zoom)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        elif zoom < NEAR:
            self._far.curves(painter, geometry, labels, looks, wires)
            paint_notes(painter, written, self.session.comments, zoom, place)
            self._bodies.bodies(painter, geometry, labels, looks, nodes[~geometry.dots[nodes]])
        else:
            self._wires.wires(painter, geometry, labels, looks, wires, zoom, area)
            self._wires.shapes(painter, geometry, labels, looks, area)
            paint_notes(painter, written, self.session.comments, zoom, place)
            self._near.nodes(painter, geometry, labels, looks, nodes[~geometry.dots[nodes]])
            paint_names(painter, geometry, labels, looks, area, zoom)
        if zoom >= FAR:
            paint_dots(painter, geometry, labels, looks, nodes[geometry.dots[nodes]], zoom)
        self.live_marks.paint(painter, area, zoom)
        if looks.hot is not None and zoom >= FAR:
            self._wires.hot_shape(painter, geometry, labels, looks.hot)
