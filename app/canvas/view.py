"""The canvas: mouse, keys, wheel, touch pad and drops, each handed to a gesture or a method."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QSinglePointEvent,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QWidget

from app.canvas.arranging import Arranging
from app.canvas.asking import Asked, ask, take
from app.canvas.edge_pan import EdgePan
from app.canvas.gestures.band import Band
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.move import MoveNodes
from app.canvas.gestures.navigate import Navigate
from app.canvas.gestures.pan import Pan
from app.canvas.gestures.picks import on_port, with_right_button
from app.canvas.gestures.stroke import Cut
from app.canvas.glide import Glide
from app.canvas.held_keys import HeldKeys
from app.canvas.hover import Hover
from app.canvas.keys_here import KeysHere
from app.canvas.opening import open_under
from app.canvas.picking import Picking
from app.canvas.receiving import Receiving
from app.canvas.repeating import edit_repeat, toggle_shared
from app.canvas.scrolling import pinch, turn_wheel
from app.canvas.viewpoints import Viewpoints
from app.canvas.walking import Walker
from app.session import Session
from graph.document import Wire
from graph.layout import GRID

ARROWS = {
    Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1),
}  # fmt: skip
BY_KEYS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


class Canvas(Receiving):
    """One level of a session, to be seen and changed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.hover: Hover | None = None
        self.holds_space = self.holds_knife = False
        self.asked: Asked = "ground"
        """What the last menu was asked about."""
        self._has_stroked = self._opens = self._has_let_go = False
        self._held_keys, self._keys_here = HeldKeys(), KeysHere(self)
        super().__init__(session, parent)
        self.setAcceptDrops(True)
        self.arranging, self.glide, self.picking = Arranging(self), Glide(self), Picking(self)
        self.viewpoints = Viewpoints(self)
        self._edge_pan = EdgePan(self)
        self.hover = Hover(self)
        self.walker = Walker(self)
        self._keys = Qt.KeyboardModifier.NoModifier
        self._button = Qt.MouseButton.NoButton

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pointer = self._pointer(event)
        self.asked_at = None
        self.walker.put(False)
        if self.editor is not None:
            self.editor.close_editor()
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self.gesture is not None:
            if event.button() == Qt.MouseButton.RightButton:
                self.abandon()
                self._has_stroked = True
            return
        self._button = event.button()
        self._has_stroked = self._opens = self._has_let_go = False
        self._held_keys.forget_tap()
        if event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and self.holds_space
        ):
            self.begin(Pan(self, pointer))
        elif event.button() == Qt.MouseButton.LeftButton:
            self._press(pointer)
        elif event.button() == Qt.MouseButton.RightButton:
            stroke = with_right_button(self, pointer)
            if stroke is not None:
                self._has_stroked = True
                self.begin(stroke)
                return
            take(self, pointer.scene)

    def _press(self, pointer: Pointer) -> None:
        """The left button went down on something."""
        if self._press_overlay(pointer):
            return
        self.choose(None)
        self.hang(None)
        if self.holds_knife:
            self.begin(Cut(self, pointer))
            return
        x, y = pointer.scene.x(), pointer.scene.y()
        place = self.hover.port_under(pointer.scene)
        if place is not None:
            gesture = on_port(self, pointer, place)
            if gesture is not None:
                self.begin(gesture)
            return
        id = self.geometry_of.node_at(x, y)
        if id is not None:
            self.begin(MoveNodes(self, pointer, id))
            return
        wire = self.hover.wire_under(pointer.scene)
        self.begin((None if wire else self.grasp_comment(pointer)) or Band(self, pointer, wire))

    def _press_overlay(self, pointer: Pointer) -> bool:
        """A press on what lies over the drawing; false when it goes through."""
        if self.note is not None and self.note.rect.contains(pointer.view):
            if self.note.button_rect.contains(pointer.view):
                self.hover.repair()
            return True
        if self.minimap.rect.contains(pointer.view):
            self.begin(Navigate(self, pointer))
            return True
        crumb = self.overlay.crumb_at(pointer.view)
        if crumb is not None:
            self.session.enter(crumb.path)
            return True
        if self.overlay.zoom_rect.contains(pointer.view):
            self.zoom_reset()
            return True
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.position() != self.pointer:
            self.walker.put(False)
            self._keys_here.move()
            self.asked_at = None
        pointer = self._pointer(event)
        if self.gesture is not None and not event.buttons() & self._button:
            self.abandon()  # the button went up where nobody told: in a menu or another window
        if self.gesture is not None:
            self.gesture.move(pointer)
            self._edge_pan.follow(pointer)
        else:
            self.hover.follow(pointer)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pointer = self._pointer(event)
        if self.gesture is not None and event.button() == self._button:
            self._edge_pan.stop()
            opens, self._opens = self._opens and not self.gesture.has_left(pointer), False
            if opens:
                self.abandon()
                open_under(self, pointer)
                return
            gesture, self.gesture = self.gesture, None
            gesture.finish(pointer)
            self.hover.show_cursor()
            self.hover.follow(pointer)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A press like any other, as long as no drag has come of it: people click and drag at once."""
        is_plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers()
        is_plain = is_plain and not (self.holds_space or self.holds_knife)
        self.mousePressEvent(event)
        self._opens = is_plain and self.gesture is not None and not isinstance(self.gesture, Navigate)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() != QContextMenuEvent.Reason.Mouse or not self._has_stroked:
            ask(self, event)  # after a stroke, or a drag let go of, the right button asks for nothing

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._keys_here.come()
        if self.pointer.x() < 0 and self.gesture is None:  # what lay over it has closed, and the pointer need not move
            self.hover.follow(self._pointer(event))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointer = QPointF(-1, -1)
        if self.gesture is None:
            self.hover.leave()

    # Wheel and touch pad

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.pointer = event.position()
        turn_wheel(self, event)
        self.follow_view()
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if not pinch(self, event):
                return super().event(event)
            self.follow_view()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in TABS:
            self.keyPressEvent(event)  # before Qt takes it for moving on to the next widget
            return True
        return super().event(event)

    def follow_view(self) -> None:
        """The view has moved under the pointer."""
        if self.gesture is not None:
            self.gesture.move(self.pointer_at(self.pointer))

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, keys = event.key(), event.modifiers()
        if key == Qt.Key.Key_Space:
            self._held_keys.press(event)
            self.holds_space = True
            self.hover.show_cursor()
        elif key == Qt.Key.Key_Y and not keys:
            self.holds_knife = True
            self.hover.show_cursor()
        elif key == Qt.Key.Key_Escape:
            if not self._escape():
                super().keyPressEvent(event)  # nothing to leave here: the window may have something
        elif key in ARROWS and keys & ALT:
            self.walker.along(*ARROWS[Qt.Key(key)], adding=bool(keys & SHIFT))
        elif key in ARROWS and not keys & CTRL:
            dx, dy = ARROWS[Qt.Key(key)]
            if self._has_let_go and not self._held_keys.is_repeat(event):
                self._nudge = None
            self._has_let_go = False
            step = 5 * GRID if keys & SHIFT else GRID
            self.nudge(dx * step, dy * step)
        elif key == Qt.Key.Key_Backtab or (key == Qt.Key.Key_Tab and self.walker.is_on and self.geometry_of.ids):
            self.walker.tab(-1 if key == Qt.Key.Key_Backtab else 1)
        elif (key == Qt.Key.Key_Tab and not keys) or (key == Qt.Key.Key_A and keys == SHIFT):
            self.walker.ask_for_block()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.enter_group()
        elif key == Qt.Key.Key_U and not keys:
            self.leave_group()
        elif key == Qt.Key.Key_1 and not keys:
            self.zoom_reset()
        elif key == Qt.Key.Key_Period and not keys:
            self.fit_selection()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_selection(heal=bool(keys & SHIFT))
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        is_tap = self._held_keys.release(event)
        if event.key() == Qt.Key.Key_Space:
            self.holds_space = False
            self.hover.show_cursor()
            if is_tap and self.gesture is None:
                self.walker.ask_for_block()
        elif event.key() == Qt.Key.Key_Y:
            self.holds_knife = False
            self.hover.show_cursor()
        elif event.key() in ARROWS:
            self._has_let_go = True
        else:
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.hang(None)
        if event.reason() in BY_KEYS:
            self.walker.put(True)
        self.show_focus_ring(self.walker.is_on)

    def show_focus_ring(self, shown: bool) -> None:
        """Show that the keys go here, where that is not plain from the mouse."""
        self._has_focus_ring = shown and self.hasFocus()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.holds_space = self.holds_knife = self._has_focus_ring = False
        self._held_keys.forget_tap()
        self.hover.show_cursor()
        self.update()

    def _escape(self) -> bool:
        """Leave a gesture, what is worked out, a chosen wire or the selection; false when there is none of them."""
        if self.gesture is not None:
            self.abandon()
            self.hover.show_cursor()
        elif self.arranging.is_busy:
            self.arranging.stop()
        elif self.looks.chosen is not None:
            self.choose(None)
        elif self.session.selection or self.session.comments:
            self.session.select(())
        else:
            return False
        return True

    # Groups

    def edit_repeat(self) -> None:
        """Edit how often the selected group runs, at the node."""
        edit_repeat(self)

    def toggle_shared(self) -> None:
        """Let all rounds of the selected group use one set of weights, or each its own."""
        toggle_shared(self)

    # What is under the pointer

    def node_at(self, scene_pos: QPointF) -> str | None:
        """The node at a place of the drawing."""
        return self.geometry_of.node_at(scene_pos.x(), scene_pos.y())

    def choose(self, wire: Wire | None) -> None:
        """Mark a wire, for Delete to take it away."""
        self.session.mark(wire)

    def drop_notes(self) -> None:
        super().drop_notes()
        if self.hover is not None:
            self.hover.forget()

    def abandon(self) -> None:
        super().abandon()
        if self.hover is not None:
            self.glide.stop()
            self._edge_pan.stop()
            self.hover.show_cursor()

    def _refresh(self) -> None:
        super()._refresh()
        if self.hover is None:
            return
        self.hover.again(self.pointer_at(self.pointer))

    def _selected(self) -> None:
        super()._selected()
        self.walker.remember()

    def begin(self, gesture: Gesture) -> None:
        """Let a gesture go on until the button goes up."""
        self.glide.stop()
        self.gesture = gesture
        gesture.start()
        self.hover.show_cursor()

    def _pointer(self, event: QSinglePointEvent) -> Pointer:
        self.pointer, self._keys = event.position(), event.modifiers()
        return Pointer(
            event.position(), self.map_to_scene(event.position()), event.globalPosition().toPoint(), self._keys
        )

    def pointer_at(self, point: QPointF) -> Pointer:
        return Pointer(point, self.map_to_scene(point), self.mapToGlobal(point.toPoint()), self._keys)
