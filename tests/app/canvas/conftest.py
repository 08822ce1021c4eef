"""A canvas on the (invisible) screen and the hand that works on it with real mouse and key events."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.canvas.view import Canvas
from app.session import Session
from graph import templates
from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, Document, Node, Wire
from graph.files import document_to_data

NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


class Hand:
    """Works on a canvas; places are those of the drawing unless a QPoint of the widget is given."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self._held = Qt.MouseButton.NoButton

    def at(self, place: QPointF | QPoint | str) -> QPoint:
        """A place on the widget: of the drawing, of the widget, or the title of a node."""
        if isinstance(place, QPoint):
            return place
        if isinstance(place, str):
            geometry = self.canvas.geometry_of
            left, top, right, _ = geometry.rects[geometry.index[place]].tolist()
            place = QPointF((left + right) / 2, top + 12)
        return self.canvas.map_from_scene(place).toPoint()

    def port(self, node: str, port: str, *, is_input: bool, order: int = 0) -> QPoint:
        """A port on the widget."""
        place = self.canvas.geometry_of.port(node, port, is_input=is_input, order=order)
        assert place is not None
        return self.at(QPointF(place.x, place.y))

    def press(self, place: Any, keys: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT) -> None:
        QTest.mousePress(self.canvas, button, keys, self.at(place))
        self._held = button

    def move(self, place: Any, keys: Qt.KeyboardModifier = NONE) -> None:
        point = self.at(place)
        where = QPointF(self.canvas.mapToGlobal(point))
        event = QMouseEvent(QEvent.Type.MouseMove, QPointF(point), where, Qt.MouseButton.NoButton, self._held, keys)
        QApplication.sendEvent(self.canvas, event)

    def release(self, place: Any, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseRelease(self.canvas, self._held, keys, self.at(place))
        self._held = Qt.MouseButton.NoButton
        QApplication.processEvents()

    def click(self, place: Any, keys: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT) -> None:
        self.press(place, keys, button)
        self.release(place, keys)

    def double_click(self, place: Any) -> None:
        self.click(place)
        point = self.at(place)
        QTest.mouseDClick(self.canvas, LEFT, NONE, point)
        QTest.mouseRelease(self.canvas, LEFT, NONE, point)
        QApplication.processEvents()

    def drag(
        self, start: Any, end: Any, keys: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT, steps: int = 5
    ) -> None:
        """Press, move in several steps, release."""
        first, last = self.at(start), self.at(end)
        self.move(first, keys)
        self.press(first, keys, button)
        for step in range(1, steps + 1):
            self.move(first + (last - first) * step / steps, keys)
        self.release(last, keys)

    def hover(self, place: Any) -> None:
        """Rest the pointer somewhere."""
        self.move(place)

    def wire(self, source: str, target: str, order: int = 0) -> None:
        """Drag from "node.output" to "node.input"."""
        start, output = source.split(".")
        end, input = target.split(".")
        self.drag(self.port(start, output, is_input=False), self.port(end, input, is_input=True, order=order))

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.canvas, key, keys)

    def wheel(self, place: Any, turn: int, keys: Qt.KeyboardModifier = NONE, *, pixels: QPoint | None = None) -> None:
        """Turn the wheel, or with `pixels` stroke the touch pad."""
        point = self.at(place)
        phase = Qt.ScrollPhase.NoScrollPhase if pixels is None else Qt.ScrollPhase.ScrollUpdate
        event = QWheelEvent(
            QPointF(point), QPointF(self.canvas.mapToGlobal(point)), pixels or QPoint(), QPoint(0, turn),
            Qt.MouseButton.NoButton, keys, phase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.canvas, event)

    def drop(self, place: Any, data: QMimeData, *, leave: bool = False, keys: Qt.KeyboardModifier = NONE) -> bool:
        """Carry something over the canvas and let it go, or leave with it; returns whether it was taken."""
        point, copy = self.at(place), Qt.DropAction.CopyAction
        enter = QDragEnterEvent(point - QPoint(20, 10), copy, data, LEFT, keys)
        QApplication.sendEvent(self.canvas, enter)
        if not enter.isAccepted():
            return False
        QApplication.sendEvent(self.canvas, QDragMoveEvent(point, copy, data, LEFT, keys))
        self.canvas.repaint()
        if leave:
            QApplication.sendEvent(self.canvas, QDragLeaveEvent())
            return False
        event = QDropEvent(QPointF(point), copy, data, LEFT, keys)
        QApplication.sendEvent(self.canvas, event)
        QApplication.processEvents()
        return event.isAccepted()


def make_chain() -> Document:
    """Features → first (Linear 64) → second (Linear) → result, with room between."""
    document = Document("chain")
    nodes = (
        Node("features", "FeatureInput", {"dim": 32}, position=(0.0, 0.0)),
        Node("first", "Linear", {"in_features": FROM_WIRE, "out_features": 64}, position=(240.0, 0.0)),
        Node("second", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(520.0, 0.0)),
        Node("result", "Output", position=(800.0, 0.0)),
    )
    for node in nodes:
        AddNode((), node).apply(document)
    for source, output, target in (
        ("features", "features", "first"), ("first", "y", "second"), ("second", "y", "result"),
    ):  # fmt: skip
        Connect((), Wire(source, output, target, "x")).apply(document)
    return document


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Callable[..., Canvas]]:
    """Shows a document, a template by its name, or the chain, on a canvas, and closes what a test has left."""
    canvases: list[weakref.ref[Canvas]] = []

    def show(document: Document | str | None = None, size: tuple[int, int] = (1050, 655), **values: Any) -> Canvas:
        if isinstance(document, str):
            document = templates.find(document).build(values)
        canvas = Canvas(Session(make_chain() if document is None else document))
        canvases.append(weakref.ref(canvas))
        canvas.resize(*size)
        canvas.show()
        qtbot.waitExposed(canvas)
        canvas.setFocus()
        return canvas

    yield show
    for canvas in [canvas for ref in canvases if (canvas := ref()) is not None and isValid(canvas)]:
        canvas.close()
        canvas.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def hand_on() -> Callable[[Canvas], Hand]:
    """The hand for a canvas."""
    return Hand


@pytest.fixture
def state_of() -> Callable[[Session], dict[str, Any]]:
    """All that a document holds, to be compared; undo may put nodes back in another order."""

    def put_in_order(level: dict[str, Any]) -> None:
        level["nodes"].sort(key=lambda node: node["id"])
        level["wires"].sort()
        for node in level["nodes"]:
            if "level" in node:
                put_in_order(node["level"])

    def state_of(session: Session) -> dict[str, Any]:
        data = document_to_data(session.document)
        put_in_order(data["level"])
        return data

    return state_of


@pytest.fixture
def pairs() -> Callable[..., Any]:
    """Which nodes of the level are wired."""

    def pairs(canvas: Canvas) -> set[tuple[str, str]]:
        level = canvas.session.document.level(canvas.session.at)
        return {(w.source, w.target) for w in level.wires()}

    return pairs


@pytest.fixture
def middle() -> Callable[..., Any]:
    """Where the middle of a wire lies in the drawing."""

    def middle(canvas: Canvas, source: str, target: str) -> QPointF:
        canvas.geometry_of.settle(seconds=60)
        row = next(row for row, w in enumerate(canvas.geometry_of.wires) if (w.source, w.target) == (source, target))
        x, y, _ = canvas.geometry_of.middles[row].tolist()
        return QPointF(x, y)

    return middle


@pytest.fixture
def refusals() -> Callable[..., Any]:
    """Collects the sentences in which edits are refused."""

    def refusals(canvas: Canvas) -> list[str]:
        said: list[str] = []
        canvas.session.refused.connect(lambda sentence: said.append(sentence))
        return said

    return refusals


@pytest.fixture
def branched(show: Callable[..., Canvas]) -> Canvas:
    """The chain, and an Add below that takes the features and the first layer."""
    canvas = show()
    document = canvas.session.document
    canvas.session.do(AddNode((), Node("sum", "Add", position=(520.0, 200.0))))
    canvas.session.do(Connect((), Wire("first", "y", "sum", "x", 0)))
    canvas.session.do(Connect((), Wire("first", "y", "sum", "x", 1)))
    canvas.session.history.done.clear()
    assert len(document.top.wires()) == 5
    return canvas


@pytest.fixture
def undone(state_of: Callable[[Session], dict[str, Any]]) -> Callable[..., None]:
    """Sees, after a gesture, that it was one step and that undo and redo lead to and fro."""

    def undone(canvas: Canvas, before: dict[str, Any], steps: int = 1) -> None:
        session = canvas.session
        assert len(session.history.done) == steps
        after = state_of(session)
        assert after != before
        for _ in range(steps):
            session.undo()
        assert state_of(session) == before
        for _ in range(steps):
            session.redo()
        assert state_of(session) == after

    return undone


@pytest.fixture
def dotted(show: Callable[..., Canvas], hand_on: type[Hand], pairs: Any, middle: Any) -> Canvas:
    """The chain with a dot between both layers, made by a double click on the wire."""
    canvas = show()
    place = middle(canvas, "first", "second")
    hand_on(canvas).double_click(place)
    assert {("first", "reroute"), ("reroute", "second")} <= pairs(canvas)
    left, top, right, bottom = canvas.geometry_of.rects[canvas.geometry_of.index["reroute"]].tolist()
    assert abs((left + right) / 2 - place.x()) <= 2
    assert (top + bottom) / 2 == place.y(), "the wire runs as straight as before"
    canvas.repaint()
    return canvas


class Silence:
    """An engine that takes every question and answers none: the window works, the processor is free."""

    state, device_name = "ready", "CPU"

    def __init__(self) -> None:
        self._asked = 0

    def submit(self, *_what: Any, **_how: Any) -> int:
        self._asked += 1
        return self._asked

    def cancel(self, id: int) -> None:
        assert id <= self._asked

    def poll(self) -> list[Any]:
        return []

    def fileno(self) -> int:
        return -1


@pytest.fixture
def quiet_window(open_window: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Shows a window whose engine answers nothing, and in which nothing moves by itself."""
    from app.motion import Motion

    monkeypatch.setattr(Motion, "is_on", False)
    return lambda: open_window(engine=Silence())
