"""How long one picture of the canvas takes while the user pans, zooms, drags and selects, at 1,000 and 5,000 nodes.

Offscreen at 1600 × 1000, so software drawing is what is measured. A picture is the event and all painting it causes.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, Document, Node, Wire

SIZE = (1600, 1000)
FRAME = 16.7
"""Milliseconds of a picture at 60 a second."""
PICTURES = 24
WARM = 3
BLOCKS = ("Linear", "GELU", "Add", "LayerNorm", "Add", "MultiHeadAttention", "Add")
STEP_X, STEP_Y = 280.0, 150.0


def run() -> list[dict[str, Any]]:
    """Rows of {"what", "value", "unit", "goal", "nodes", "median_ms", "p95_ms", "painted"}."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    from app import theme

    theme.apply("dark")
    rows: list[dict[str, Any]] = []
    for count in (1000, 5000):
        rows += _measure(application, count)
    return rows


def network(count: int) -> Document:
    """A valid drawing of that many nodes in a grid, with about two wires a node."""
    chance = random.Random(1)
    document = Document("benchmark")
    lines = max(1, int(math.sqrt(count * STEP_X / (STEP_Y * 1.6))))
    AddNode((), Node("source", "FeatureInput", {"dim": 64}, position=(-STEP_X, 0.0))).apply(document)
    for place in range(count - 1):
        column, line = divmod(place, lines)
        block = BLOCKS[chance.randrange(len(BLOCKS))]
        params = {"in_features": FROM_WIRE, "out_features": 64} if block == "Linear" else {}
        params |= {"dim": FROM_WIRE} if block in ("LayerNorm", "MultiHeadAttention") else {}
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
    from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    from app.canvas.view import Canvas
    from app.session import Session

    session = Session(network(count))
    canvas = Canvas(session)
    canvas.resize(*SIZE)
    canvas.show()

    def paint() -> None:
        application.processEvents()

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

    def row(what: str, act: Callable[[int], None]) -> dict[str, Any]:
        times: list[float] = []
        for picture in range(PICTURES + WARM):
            start = time.perf_counter()
            act(picture)
            paint()
            times.append((time.perf_counter() - start) * 1e3)
        times = sorted(times[WARM:])
        area = canvas.camera.rect_to_scene(canvas.rect().toRectF())
        median = round(statistics.median(times), 2)
        return {
            "what": f"{what}, {count} nodes",
            "value": median,
            "unit": "ms",
            "goal": FRAME if count == 1000 else None,
            "nodes": count,
            "median_ms": median,
            "p95_ms": round(times[int(len(times) * 0.95) - 1], 2),
            "painted": len(canvas.geometry_of.seen_nodes(*area)),
        }

    press, move, release = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease
    middle = QPointF(SIZE[0] / 2, SIZE[1] / 2)

    near()
    yield row("pan near", lambda i: canvas.scroll_view(*((-9, -6) if i % 2 else (9, 7))))
    yield row("zoom near", lambda i: canvas.zoom_at(middle, 1.1 if i % 8 < 4 else 1 / 1.1))
    near()
    yield row("picture near", lambda i: canvas.update())
    near(0.6)
    yield row("picture at 60 %", lambda i: canvas.update())
    near()
    id = next(id for id in canvas.geometry_of.nodes_in(*canvas.camera.rect_to_scene(canvas.rect().toRectF()))[8:])
    x, y, _, _ = canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()
    grip = canvas.map_from_scene(QPointF(x + 40, y + 18))
    mouse(press, grip)
    yield row("drag near", lambda i: mouse(move, grip + QPointF(8 + 5 * i, 3 * i)))
    mouse(release, grip + QPointF(8, 0))
    near()
    mouse(press, QPointF(300, 20), Qt.KeyboardModifier.ShiftModifier)
    yield row("rubber band near", lambda i: mouse(move, QPointF(340 + 40 * i, 60 + 30 * i)))
    mouse(release, QPointF(340, 60))
    session.select(())
    canvas.fit_all()
    settle()
    yield row("pan whole", lambda i: canvas.scroll_view(*((-9, -6) if i % 2 else (9, 7))))
    yield row("zoom whole", lambda i: canvas.zoom_at(middle, 1.04 if i % 8 < 4 else 1 / 1.04))
    canvas.fit_all()
    settle()
    mouse(press, QPointF(10, 100))
    yield row("rubber band whole", lambda i: mouse(move, QPointF(60 + 50 * i, 140 + 30 * i)))
    mouse(release, QPointF(60, 140))
    session.select(())
    settle()
    canvas.abandon()
    canvas.hide()
    canvas.deleteLater()
    application.processEvents()


__all__ = ["network", "run"]
