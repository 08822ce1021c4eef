"""How long one picture takes while the user pans, zooms, drags and selects, at 1,000 to 10,000 nodes; and opening.

Offscreen at 1600 × 1000, so software drawing is what is measured. A picture is the event and all painting it causes.
`cpu_ms` is what this program itself took of the median, where others keep the machine busy too.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from graph import files
from graph.commands import AddNode, Connect, Disconnect
from graph.document import FROM_WIRE, Document, Node, Wire

SIZE = (1600, 1000)
GOALS = {1000: 8.0, 5000: 16.0, 10000: 33.0}
"""Nodes → milliseconds that a picture may take."""
OPENING = 1000.0
"""Milliseconds in which a drawing of a thousand nodes is to be seen."""
PICTURES = 24
OPENINGS = 3
WARM = 3
BLOCKS = ("Linear", "GELU", "Add", "LayerNorm", "Add", "MultiHeadAttention", "Add")
STEP_X, STEP_Y = 280.0, 150.0


def run(counts: Iterable[int] = tuple(GOALS)) -> Iterator[dict[str, Any]]:
    """Rows of {"what", "nodes", "median_ms", "p95_ms", "cpu_ms", "painted"} and what the table is printed from."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    from app import theme

    theme.apply("dark")
    for count in counts:
        yield from _measure(application, count)


def network(count: int) -> Document:
    """A valid drawing of that many nodes in a grid, with about two wires a node, and a warning on some."""
    chance = random.Random(1)
    document = Document("benchmark")
    lines = max(1, int(math.sqrt(count * STEP_X / (STEP_Y * 1.6))))
    AddNode((), Node("source", "FeatureInput", {"dim": 64}, position=(-STEP_X, 0.0))).apply(document)
    for place in range(count - 1):
        column, line = divmod(place, lines)
        block = BLOCKS[chance.randrange(len(BLOCKS))]
        params = {"in_features": FROM_WIRE, "out_features": 64} if block == "Linear" else {}
        params |= {"dim": FROM_WIRE} if block in ("LayerNorm", "MultiHeadAttention") else {}
        params |= {"unheard": 1} if place % 25 == 7 else {}
        x, y = column * STEP_X + chance.uniform(-16, 16), line * STEP_Y + chance.uniform(-16, 16)
        AddNode((), Node(f"n{place}", block, params, position=(round(x), round(y)))).apply(document)
        before = range(max(0, place - 3 * lines), place - lines)
        sources = [f"n{place - lines}" if place >= lines else "source"]
        sources += [f"n{other}" for other in chance.sample(before, min(2, len(before)))] if block == "Add" else []
        for order, source in enumerate(sources):
            Connect((), Wire(source, "features" if source == "source" else "y", f"n{place}", "x", order)).apply(
                document
            )
    ends = [id for id in document.top.nodes if not document.top.outgoing(id)]
    for order, id in enumerate(ends):
        x, y = document.top.node(id).position
        node = Node(f"result{order}", "Output", position=(x + STEP_X, y), order=order)
        AddNode((), node).apply(document)
        Connect((), Wire(id, "y", node.id, "x")).apply(document)
    return document


def _measure(application: Any, count: int) -> Iterator[dict[str, Any]]:
    from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    from app.canvas.view import Canvas
    from app.session import Session

    def paint() -> None:
        application.processEvents()

    text = files.to_text(network(count))
    opened: list[tuple[float, float]] = []
    canvas: Canvas | None = None
    for _ in range(OPENINGS):
        if canvas is not None:
            _close(canvas)
        start, begun = time.perf_counter(), time.thread_time()
        session = Session(files.from_text(text))
        canvas = Canvas(session)
        canvas.resize(*SIZE)
        canvas.show()
        paint()
        opened.append((time.perf_counter() - start, time.thread_time() - begun))
    assert canvas is not None
    yield _row("open", count, opened, canvas, OPENING if count == 1000 else None)

    def settle() -> None:
        canvas.update()
        for _ in range(400):
            before = canvas.geometry_of.version
            canvas.repaint()
            paint()
            if canvas.geometry_of.version == before:
                break

    def mouse(kind: QEvent.Type, point: QPointF, keys: Any = Qt.KeyboardModifier.NoModifier) -> None:
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        button = none if kind == QEvent.Type.MouseMove else left
        held = none if kind == QEvent.Type.MouseButtonRelease else left
        place = QPointF(canvas.mapToGlobal(QPoint(0, 0))) + point
        QApplication.sendEvent(canvas, QMouseEvent(kind, point, place, button, held, keys))

    def near(zoom: float = 1.0) -> None:
        left, top, right, bottom = canvas.geometry_of.bounds() or (0, 0, 0, 0)
        canvas.camera.zoom = zoom
        canvas.camera.x = round(SIZE[0] / 2 - (left + right) / 2 * zoom)
        canvas.camera.y = round(SIZE[1] / 2 - (top + bottom) / 2 * zoom)
        canvas.view_changed()
        settle()

    def row(what: str, act: Callable[[int], None], goal: float | None = GOALS.get(count)) -> dict[str, Any]:
        times: list[tuple[float, float]] = []
        for picture in range(PICTURES + WARM):
            start, begun = time.perf_counter(), time.thread_time()
            act(picture)
            paint()
            times.append((time.perf_counter() - start, time.thread_time() - begun))
        return _row(what, count, times[WARM:], canvas, goal)

    def grip_of(id: str) -> QPointF:
        x, y, _, _ = canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()
        return canvas.map_from_scene(QPointF(x + 40, y + 18))

    def drag(what: str, id: str, scale: float) -> dict[str, Any]:
        grip = grip_of(id)
        mouse(press, grip)
        found = row(what, lambda i: mouse(move, grip + QPointF(8 + 5 * i, 3 * i) * scale))
        mouse(release, grip + QPointF(8, 0))
        session.undo()
        session.select(())
        settle()
        return found

    press, move, release = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease
    middle = QPointF(SIZE[0] / 2, SIZE[1] / 2)

    near()
    yield row("pan near", lambda i: canvas.scroll_view(*((-9, -6) if i % 2 else (9, 7))))
    yield row("zoom near", lambda i: canvas.zoom_at(middle, 1.1 if i % 8 < 4 else 1 / 1.1))
    near()
    four = _with_wires(session, canvas.geometry_of.nodes_in(*canvas.camera.rect_to_scene(QRectF(300, 200, 900, 500))))
    yield drag("drag near", four, 1.0)
    near()
    mouse(press, QPointF(300, 20), Qt.KeyboardModifier.ShiftModifier)
    yield row("rubber_band near", lambda i: mouse(move, QPointF(340 + 40 * i, 60 + 30 * i)))
    mouse(release, QPointF(340, 60))
    session.select(())
    canvas.fit_all()
    settle()
    yield row("pan whole", lambda i: canvas.scroll_view(*((-9, -6) if i % 2 else (9, 7))))
    yield row("zoom whole", lambda i: canvas.zoom_at(middle, 1.04 if i % 8 < 4 else 1 / 1.04))
    canvas.fit_all()
    settle()
    yield drag("drag whole", four, 0.5)
    mouse(press, QPointF(10, 100))
    yield row("rubber_band whole", lambda i: mouse(move, QPointF(60 + 50 * i, 140 + 30 * i)))
    mouse(release, QPointF(60, 140))
    session.select(())
    settle()
    near(0.25)
    yield row("zoom 25 to 100 %", lambda i: canvas.zoom_at(middle, 1.122 if i % 24 < 12 else 1 / 1.122), None)
    near(0.6)
    yield row("picture at 60 %", lambda i: canvas.update(), None)
    near(0.4)
    yield row("picture at 40 %", lambda i: canvas.update(), None)
    near()
    wire = session.document.top.incoming(four)[-1]
    for _ in range(2):
        session.do(Disconnect((), wire))
        session.undo()
    yield row("wire edit", lambda i: session.undo() if i % 2 else session.do(Disconnect((), wire)), None)
    _close(canvas)
    application.processEvents()


def _with_wires(session: Any, ids: list[str], count: int = 4) -> str:
    """A node with so many wires."""
    level = session.document.top
    return next(id for id in ids if len(level.incoming(id)) + len(level.outgoing(id)) == count)


def _row(what: str, count: int, times: list[tuple[float, float]], canvas: Any, goal: float | None) -> dict[str, Any]:
    clock = sorted(elapsed * 1e3 for elapsed, _ in times)
    median = round(statistics.median(clock), 2)
    return {
        "what": what,
        "nodes": count,
        "median_ms": median,
        "p95_ms": round(clock[math.ceil(len(clock) * 0.95) - 1], 2),
        "cpu_ms": round(statistics.median(used * 1e3 for _, used in times), 2),
        "painted": canvas.painted,
        "value": median,
        "unit": "ms",
        "goal": goal,
    }


def _close(canvas: Any) -> None:
    from PySide6.QtCore import QCoreApplication, QEvent

    canvas.abandon()
    canvas.hide()
    canvas.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


__all__ = ["network", "run"]
