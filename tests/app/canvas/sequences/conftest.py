"""A user who carries out steps on the canvas of a window, by events alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.actions.table import ACTIONS
from app.canvas.gestures.drop import BLOCK_TYPE
from app.palette import CLIP_MIME

NONE, SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton


class User:
    """Carries out steps on the canvas of a window, by events alone."""

    def __init__(self, window: Any, hand: Any, drawing: Any) -> None:
        self.window, self.hand, self.canvas, self.drawing = window, hand, window.canvas, drawing
        self.session = window.session
        self.keys = {action.id: action for action in ACTIONS}

    def act(self, step: tuple[Any, ...]) -> None:
        name, *rest = step
        self.window.activateWindow()
        getattr(self, name.replace(" ", "_"))(*rest)
        self.settle()

    def settle(self) -> None:
        """Leave whatever a step has opened, as users do, and see the end of what moves."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            QTest.keyClick(popup, Qt.Key.Key_Escape)
        canvas = self.canvas
        if self.window.finder.popup.isVisible():
            QTest.keyClick(self.window.finder.popup.field, Qt.Key.Key_Escape)
        if canvas.editor.is_open:
            QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
        if canvas.editor.is_open:  # it would not do
            QTest.keyClick(canvas.editor, Qt.Key.Key_Escape)
        if canvas.note_editor.is_open:
            QTest.keyClick(canvas.note_editor, Qt.Key.Key_Return, CTRL)
        QApplication.processEvents()
        canvas.glide.stop()
        canvas.geometry_of.settle(seconds=60)

    # Places

    def place(self, share: tuple[int, int]) -> QPoint:
        return QPoint(share[0] * self.canvas.width() // 100, share[1] * self.canvas.height() // 100)

    def node(self, number: int) -> str | None:
        ids = self.canvas.geometry_of.ids
        return ids[number % len(ids)] if ids else None

    def port(self, node: int, number: int, *, is_input: bool | None = None) -> QPointF | None:
        id = self.node(node)
        places = [
            place
            for place in (self.canvas.geometry_of.ports_of(id) if id else ())
            if is_input in (None, place.is_input)
        ]
        if not places:
            return None
        place = places[number % len(places)]
        return QPointF(place.x, place.y)

    def on_wire(self, number: int) -> QPointF | None:
        geometry = self.canvas.geometry_of
        geometry.settle(seconds=60)
        if not geometry.wires:
            return None
        x, y, _ = geometry.middles[number % len(geometry.wires)].tolist()
        return QPointF(x, y)

    # What is typed into what has opened

    def answer(self, words: str, lines: int) -> None:
        """Type into the search, the editor or the note that is open, and take what is found."""
        QApplication.processEvents()
        popup = self.window.finder.popup
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):
            for _ in range(lines):
                QTest.keyClick(menu, Qt.Key.Key_Down)
            QTest.keyClick(menu, Qt.Key.Key_Return)
        elif popup.isVisible():
            QTest.keyClicks(popup.field, words)
            for _ in range(lines):
                QTest.keyClick(popup.field, Qt.Key.Key_Down)
            QTest.keyClick(popup.field, Qt.Key.Key_Return)
        elif self.canvas.editor.is_open:
            self.canvas.editor.selectAll()
            QTest.keyClicks(self.canvas.editor, words)
            QTest.keyClick(self.canvas.editor, (Qt.Key.Key_Return, Qt.Key.Key_Tab)[lines % 2])
        elif self.canvas.note_editor.is_open:
            QTest.keyClicks(self.canvas.note_editor, words)

    # Steps

    def drag(self, start: Any, end: Any, keys: Any) -> None:
        self.hand.drag(self.place(start), self.place(end), keys, steps=3)

    def pan(self, start: Any, end: Any) -> None:
        self.hand.drag(self.place(start), self.place(end), NONE, MIDDLE, steps=3)

    def drag_node(self, node: int, end: Any, keys: Any) -> None:
        if self.node(node):
            self.hand.drag(self.node(node), self.place(end), keys, steps=3)

    def drag_node_to_wire(self, node: int, wire: int, keys: Any) -> None:
        goal = self.on_wire(wire)
        if goal is not None:
            self.hand.drag(self.node(node), goal, keys, steps=3)

    def drag_comment(self, number: int, end: Any, by_edge: bool) -> None:
        comments = list(self.session.document.level(self.session.at).comments.values())
        if comments:
            x, y = comments[number % len(comments)].position
            wide, high = comments[number % len(comments)].size
            start = QPointF(x + wide, y + high) if by_edge else QPointF(x + 24, y + 10)
            self.hand.drag(start, self.place(end), steps=3)

    def wire(self, first: int, second: int, number: int, backwards: bool) -> None:
        ends = self.port(first, 0, is_input=False), self.port(second, number, is_input=True)
        if None not in ends:
            self.hand.drag(*(ends[::-1] if backwards else ends), steps=2)

    def wire_to_nothing(self, node: int, number: int, end: Any, words: str, lines: int) -> None:
        start = self.port(node, number)
        if start is not None:
            self.hand.drag(start, self.place(end), steps=2)
            self.answer(words, lines)

    def lead(self, first: int, second: int, number: int) -> None:
        start = self.port(first, number)
        end = self.port(second, number)
        if start is not None and end is not None:
            self.hand.drag(start, end, CTRL, steps=2)

    def break_wires(self, node: int, number: int) -> None:
        place = self.port(node, number)
        if place is not None:
            self.hand.click(place, ALT)

    def cancel(self, start: Any, end: Any, keys: Any) -> None:
        self.hand.press(self.place(start), keys, RIGHT if keys == CTRL else LEFT)
        self.hand.move(self.place(end), keys)
        self.hand.key(Qt.Key.Key_Escape)
        self.hand.release(self.place(end))

    def stroke(self, start: Any, end: Any, keys: Any) -> None:
        if keys == NONE:
            QTest.keyPress(self.canvas, Qt.Key.Key_Y)
        self.hand.drag(self.place(start), self.place(end), keys, LEFT if keys == NONE else RIGHT, steps=3)
        QTest.keyRelease(self.canvas, Qt.Key.Key_Y)

    def click_wire(self, number: int, then: str) -> None:
        place = self.on_wire(number)
        if place is None:
            return
        if then == "double":
            self.hand.double_click(place)
        else:
            self.hand.click(place)
            self.hand.key(getattr(Qt.Key, f"Key_{then}"))

    def drop(self, place: Any, block: str) -> None:
        self.hand.drop(self.place(place), self.carried(block))

    def drop_on_wire(self, number: int, block: str, keys: Any) -> None:
        place = self.on_wire(number)
        if place is not None:
            self.hand.drop(place, self.carried(block), keys=keys)

    def drop_file(self, place: Any) -> None:
        """Another drawing, with Shift: it goes into this one."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(self.drawing))])
        self.hand.drop(self.place(place), data, keys=SHIFT)

    def carried(self, block: str) -> QMimeData:
        data = QMimeData()
        if block == "mine":
            data.setData(CLIP_MIME, self.window.library.blocks[0].clip.encode())
        else:
            data.setData(BLOCK_TYPE, block.encode())
        return data

    def click_node(self, node: int, keys: Any) -> None:
        if self.node(node):
            self.hand.click(self.node(node), keys)

    def double_click(self, node: int, depth: int, words: str) -> None:
        """On the title, on a value in its row, or wherever else a node is hit."""
        id = self.node(node)
        if id:
            left, top, right, bottom = self.canvas.geometry_of.rects[self.canvas.geometry_of.index[id]].tolist()
            self.hand.double_click(QPointF((left + right) / 2, top + 4 + depth / 9 * (bottom - top - 8)))
            self.answer(words, 0)

    def double_click_place(self, place: Any, words: str, lines: int) -> None:
        self.hand.double_click(self.place(place))
        self.answer(words, lines)

    def own_key(self, key: str, keys: Any, words: str, lines: int) -> None:
        self.hand.key(getattr(Qt.Key, f"Key_{key}"), keys)
        self.answer(words, lines)

    def hold(self, node: int) -> None:
        """Select one node, or two, to do something with them; a negative number leaves the selection as it is."""
        if node >= 0 and self.node(node):
            self.hand.click(self.node(node))
            if node % 2:
                self.hand.click(self.node(node + 1), SHIFT)

    def key(self, id: str, words: str, lines: int, node: int = -1) -> None:
        """Press the keys of an action."""
        self.hold(node)
        QTest.keySequence(self.canvas, self.keys[id].shortcuts[0])
        self.answer(words, lines)

    def back_and_forth(self, id: str, times: int) -> None:
        for _ in range(times):
            self.key(id, "", 0)

    def command(self, id: str, node: int) -> None:
        """Find an action by its title, and run it where it can be."""
        self.hold(node)
        action = self.keys[id]
        QTest.keySequence(self.canvas, self.keys["find_command"].shortcuts[0])
        popup = self.window.finder.popup
        assert popup.isVisible()
        title = action.spoken or action.title
        QTest.keyClicks(popup.field, title)
        row = popup.list.currentIndex().row()
        if row >= 0 and popup.model.entries[row].name == id:
            QTest.keyClick(popup.field, Qt.Key.Key_Return)
        self.canvas.setFocus()

    def wheel(self, place: Any, turn: int, keys: Any) -> None:
        self.hand.wheel(self.place(place), turn, keys)


@pytest.fixture
def user_of(hand_on: Any) -> Callable[[Any, Path], User]:
    """The user of a window, who has a drawing to drop on it."""
    return lambda window, drawing: User(window, hand_on(window.canvas), drawing)
