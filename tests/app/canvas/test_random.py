"""Random work with mouse and keys: whatever users do, the document stays whole and undo leads back to the start."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.canvas.geometry import LevelGeometry
from app.canvas.gestures.drop import BLOCK_TYPE
from graph import templates
from graph.files import document_from_data, document_to_data
from graph.validate import validate

NONE, SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
SEQUENCES = 1000
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
PLACES = st.tuples(st.integers(0, 1049), st.integers(0, 654))
NODES = st.integers(0, 30)
STEPS = st.one_of(
    st.tuples(st.just("drag"), PLACES, PLACES, st.sampled_from([NONE, SHIFT, CTRL, ALT])),
    st.tuples(st.just("drag node"), NODES, PLACES, st.sampled_from([NONE, SHIFT, ALT])),
    st.tuples(st.just("wire"), NODES, NODES, st.integers(0, 3)),
    st.tuples(st.just("unwire"), NODES, PLACES),
    st.tuples(st.just("cancel"), PLACES, PLACES, st.sampled_from([NONE, CTRL, ALT])),
    st.tuples(st.just("stroke"), PLACES, PLACES, st.sampled_from([SHIFT, CTRL, NONE])),
    st.tuples(st.just("lead"), NODES, NODES, st.booleans()),
    st.tuples(st.just("break"), NODES, st.integers(0, 5)),
    st.tuples(st.just("dot"), st.integers(0, 40)),
    st.tuples(
        st.just("drop on wire"), st.integers(0, 40), st.sampled_from(["ReLU", "Linear"]), st.sampled_from([NONE, ALT])
    ),
    st.tuples(st.just("drag to wire"), NODES, st.integers(0, 40), st.sampled_from([NONE, ALT])),
    st.tuples(st.just("click node"), NODES, st.sampled_from([NONE, SHIFT, CTRL])),
    st.tuples(st.just("double click"), NODES),
    st.tuples(st.just("drop"), PLACES, st.sampled_from(["Linear", "Add", "Conv2d", "MultiHeadAttention", "Concat"])),
    st.tuples(st.just("key"), st.sampled_from(["Delete", "Backspace", "Left", "Down", "Return", "U", "1", "Period"])),
    st.tuples(
        st.just("do"),
        st.sampled_from(
            [
                "copy",
                "cut",
                "paste",
                "duplicate",
                "group_selection",
                "ungroup_selection",
                "select_all",
                "join_selection",
                "pull_out_selection",
                "disconnect_selection",
                "add_dot",
                "mute_selection",
                "collapse_selection",
                "add_frame",
                "add_note",
            ]
        ),
    ),
    st.tuples(
        st.just("arrange"), st.sampled_from(["tidy", "tidy_all", "align left", "align middle", "distribute across"])
    ),
    st.tuples(st.just("pick"), st.sampled_from(["linked", "upstream", "downstream", "similar", "invert"])),
    st.tuples(st.just("wheel"), PLACES, st.sampled_from([-480, -120, 120, 480])),
    st.tuples(st.just("fit")),
    st.tuples(st.just("undo"), st.integers(1, 4)),
    st.tuples(st.just("redo"), st.integers(1, 4)),
)


def in_order(session):
    def put(level):
        level["nodes"].sort(key=lambda node: node["id"])
        level["wires"].sort()
        for node in level["nodes"]:
            if "level" in node:
                put(node["level"])

    data = json.loads(json.dumps(document_to_data(session.document)))
    put(data["level"])
    return data


def close_editor(canvas):
    if canvas.editor.is_open:
        QTest.keyClicks(canvas.editor, "name")
        QTest.keyClick(canvas.editor, Qt.Key.Key_Return)


def act(canvas, hand, step):
    name, *rest = step
    ids = canvas.geometry_of.ids
    if name == "drag":
        hand.drag(QPoint(*rest[0]), QPoint(*rest[1]), rest[2], steps=3)
    elif name == "drag node" and ids:
        hand.drag(ids[rest[0] % len(ids)], QPoint(*rest[1]), rest[2], steps=3)
    elif name == "wire" and ids:
        outputs = [p for p in canvas.geometry_of.ports_of(ids[rest[0] % len(ids)]) if not p.is_input]
        inputs = [p for p in canvas.geometry_of.ports_of(ids[rest[1] % len(ids)]) if p.is_input]
        if outputs and inputs:
            start, end = outputs[0], inputs[rest[2] % len(inputs)]
            hand.drag(QPointF(start.x, start.y), QPointF(end.x, end.y), steps=2)
    elif name == "unwire" and ids:
        inputs = [p for p in canvas.geometry_of.ports_of(ids[rest[0] % len(ids)]) if p.is_input]
        if inputs:
            hand.drag(QPointF(inputs[0].x, inputs[0].y), QPoint(*rest[1]), steps=2)
    elif name == "stroke":
        start, end, keys = QPoint(*rest[0]), QPoint(*rest[1]), rest[2]
        if keys == NONE:
            QTest.keyPress(canvas, Qt.Key.Key_Y)
        hand.drag(start, end, keys, LEFT if keys == NONE else RIGHT, steps=3)
        QTest.keyRelease(canvas, Qt.Key.Key_Y)
    elif name == "lead" and ids:
        starts, ends = (
            [p for p in canvas.geometry_of.ports_of(ids[n % len(ids)]) if p.is_input == rest[2]] for n in rest[:2]
        )
        if starts and ends:
            hand.drag(QPointF(starts[0].x, starts[0].y), QPointF(ends[0].x, ends[0].y), CTRL, steps=2)
    elif name == "break" and ids:
        places = canvas.geometry_of.ports_of(ids[rest[0] % len(ids)])
        if places:
            place = places[rest[1] % len(places)]
            hand.click(QPointF(place.x, place.y), ALT)
    elif name in ("dot", "drop on wire", "drag to wire") and canvas.geometry_of.wires:
        canvas.geometry_of.settle(seconds=60)
        number = rest[1] if name == "drag to wire" else rest[0]
        x, y, _ = canvas.geometry_of.middles[number % len(canvas.geometry_of.wires)].tolist()
        if name == "dot":
            hand.double_click(QPointF(x, y))
            close_editor(canvas)
        elif name == "drag to wire":
            hand.drag(ids[rest[0] % len(ids)], QPointF(x, y), rest[2], steps=3)
        else:
            data = QMimeData()
            data.setData(BLOCK_TYPE, rest[1].encode())
            hand.drop(QPointF(x, y), data, keys=rest[2])
    elif name == "cancel":
        hand.press(QPoint(*rest[0]), rest[2], RIGHT if rest[2] == CTRL else LEFT)
        hand.move(QPoint(*rest[1]), rest[2])
        hand.key(Qt.Key.Key_Escape)
        hand.release(QPoint(*rest[1]))
    elif name == "click node" and ids:
        hand.click(ids[rest[0] % len(ids)], rest[1])
    elif name == "double click" and ids:
        hand.double_click(ids[rest[0] % len(ids)])
        close_editor(canvas)
    elif name == "drop":
        data = QMimeData()
        data.setData(BLOCK_TYPE, rest[1].encode())
        hand.drop(QPoint(*rest[0]), data)
    elif name == "key":
        hand.key(getattr(Qt.Key, f"Key_{rest[0]}"))
    elif name == "do":
        getattr(canvas, rest[0])()
        canvas.note_editor.close_editor()
        canvas.editor.close_editor()
    elif name == "arrange":
        what, *how = rest[0].split()
        getattr(canvas.arranging, what)(*how)
        canvas.glide.stop()
    elif name == "pick":
        getattr(canvas.picking, rest[0])()
    elif name == "wheel":
        hand.wheel(QPoint(*rest[0]), rest[1])
    elif name == "fit":
        canvas.fit_all()
    elif name in ("undo", "redo"):
        for _ in range(rest[0]):
            getattr(canvas.session, name)()


@pytest.mark.exhaustive
@pytest.mark.timeout(3000)
@settings(
    max_examples=SEQUENCES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.sampled_from(["gpt", "unet"]), st.lists(STEPS, min_size=4, max_size=14))
def test_whatever_is_done_can_be_undone(request, show, hand_on, name, steps):
    canvas = show(templates.find(name).build())
    session, hand = canvas.session, hand_on(canvas)
    start = in_order(session)
    for step in steps:
        act(canvas, hand, step)
        assert not canvas.looks.lifted and not canvas.looks.struck and canvas.looks.fits is None
        QApplication.processEvents()
        assert canvas.gesture is None
        assert canvas.looks.selected == session.selection
        level = session.document.level(session.at)
        anew = LevelGeometry()
        anew.update(level, session.report.level(session.at))
        assert canvas.geometry_of.ids == anew.ids
        assert (canvas.geometry_of.rects == anew.rects).all()
        assert canvas.geometry_of.wires == anew.wires
        assert canvas.geometry_of.ports == anew.ports
    canvas.repaint()
    end = in_order(session)
    assert in_order(type(session)(document_from_data(document_to_data(session.document)))) == end
    assert [str(i) for i in validate(session.document).issues] == [str(i) for i in session.report.issues]
    count = len(session.history.done)
    while session.undo() is not None:
        pass
    assert in_order(session) == start
    for _ in range(count):
        session.redo()
    assert in_order(session) == end
    canvas.close()
    canvas.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # processEvents alone never does it here
    getattr(request.node, "qt_widgets", []).clear()  # there is nothing left for the fixture to close
