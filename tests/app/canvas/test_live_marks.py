"""What is written above the nodes while the engine runs, and afterwards."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.canvas import live_marks
from app.canvas.geometry import ABOVE
from app.freshness import drawing_of
from app.live import Timings
from graph.commands import Move, SetNode, SetParam

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def _off():
    yield
    Timings.is_on = False


def begin(canvas):
    """A run that began a while ago."""
    canvas.session.live.begin()
    canvas.session.live.begun -= 1.0


def shown(canvas):
    canvas.live_marks.refresh()
    return {id: state for id, (state, _) in canvas.live_marks.states.items()}


def above(canvas, id):
    """The picture of what is above a node."""
    canvas.repaint()
    left, top, right, _ = canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()
    area = canvas.camera.rect_to_screen(left, top - ABOVE, right, top - 2).toAlignedRect()
    return canvas.grab(area).toImage()


def test_nodes_wait_run_and_are_done(show):
    canvas = show()
    live, before = canvas.session.live, {id: above(canvas, id) for id in canvas.geometry_of.ids}
    begin(canvas)
    live.follow("first", ())
    assert shown(canvas) == {"first": "running", "second": "waiting"}, "inputs and outputs do not run by themselves"
    assert above(canvas, "first") != before["first"] and above(canvas, "second") != before["second"]
    assert above(canvas, "features") == before["features"]
    live.follow("second", ["first"])
    assert shown(canvas) == {"first": "done", "second": "running"}
    live.end({}, None)
    assert shown(canvas) == {}
    assert all(above(canvas, id) == before[id] for id in before)
    assert not canvas.session.history.done


def test_a_short_run_shows_nothing_and_a_long_one_soon(show, qtbot):
    canvas = show()
    live = canvas.session.live
    live.begin()
    live.follow("first", ())
    assert shown(canvas) == {}, "it would only flicker"
    live.begun = time.monotonic()
    qtbot.waitUntil(lambda: canvas.live_marks.states.get("first") == ("running", "running"), timeout=3000)
    live.follow("second", ["first"])
    assert canvas.live_marks.states["first"][0] == "running", "it is looked at a few times a second"
    qtbot.waitUntil(lambda: canvas.live_marks.states["first"][0] == "done", timeout=3000)
    live.end()
    assert not canvas.live_marks.states


def test_a_repeated_group_says_which_round_runs_and_inside_that_round_is_shown(show, hand_on):
    canvas = show("gpt")
    begin(canvas)
    canvas.session.live.follow("decoder.3/attn", ["token_embedding", "decoder.3/attn_norm"])
    assert shown(canvas)["decoder"] == "running"
    assert canvas.live_marks.states["decoder"] == ("running", "round 4 of 12")
    hand_on(canvas).double_click("decoder")
    assert canvas.session.at == ("decoder",)
    found = shown(canvas)
    assert (found["attn_norm"], found["attn"], found["mlp"]) == ("done", "running", "waiting")
    assert "layer_input" not in found


def test_what_leads_to_a_node_that_runs_is_done_though_no_pass_kept_it(show):
    canvas = show()
    begin(canvas)
    canvas.session.live.follow("second", ())
    assert shown(canvas)["first"] == "done"


def test_nodes_that_are_off_or_lead_nowhere_say_nothing(show):
    canvas = show()
    canvas.session.do(SetNode((), "first", "muted", True))
    canvas.add_block("GELU", QPointF(0, 400))
    begin(canvas)
    canvas.session.live.follow("second", ())
    assert shown(canvas) == {"second": "running"}


def ran(canvas):
    session = canvas.session
    session.live.begin()
    session.live.end({"first": 9.0, "second": 0.5}, drawing_of(session.document))


def test_timings_are_shown_when_they_are_asked_for(show):
    canvas = show()
    before = above(canvas, "first"), above(canvas, "second")
    ran(canvas)
    assert (above(canvas, "first"), above(canvas, "second")) == before
    Timings.is_on = True
    hot, cool = above(canvas, "first"), above(canvas, "second")
    assert hot != before[0] and cool != before[1]
    widths = [sum(image.pixelColor(x, y).lightness() > 90 for x in range(image.width()) for y in range(image.height()))
              for image in (hot, cool)]  # fmt: skip
    assert widths[0] > 2 * widths[1], "what took most stands out"
    canvas.camera.zoom_at(QPointF(0, 0), 0.4)
    canvas.view_changed()
    canvas.repaint()


def test_timings_of_another_drawing_are_grey_until_it_is_back(show):
    canvas = show()
    ran(canvas)
    Timings.is_on = True
    fresh = above(canvas, "first")
    canvas.session.do(Move((), {"result": (900.0, 40.0)}))
    assert above(canvas, "first") == fresh, "where nodes lie changes nothing that runs"
    canvas.session.do(SetParam((), "second", "out_features", 16))
    assert above(canvas, "first") != fresh
    canvas.session.undo()
    assert above(canvas, "first") == fresh


def differ(one: QImage, other: QImage) -> int:
    """By how much two pictures differ where they do most, in levels of 255."""
    first, second = (
        np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint8).astype(int)
        for image in (one, other)
    )
    return int(np.abs(first - second).max())


def test_a_drag_takes_what_is_above_a_node_along_and_leaves_no_trace(show, hand_on, state_of):
    canvas = show()
    ran(canvas)
    Timings.is_on = True
    hand, before = hand_on(canvas), state_of(canvas.session)
    canvas.repaint()
    hand.press("first")
    for step in range(1, 6):
        hand.move(QPointF(300 + 8 * step, 12 + 24 * step))
        QApplication.processEvents()
        QApplication.sendEvent(canvas, QEvent(QEvent.Type.UpdateRequest))
    moved = canvas.screen().grabWindow(canvas.winId()).toImage()
    canvas.update()
    canvas.repaint()
    assert differ(canvas.screen().grabWindow(canvas.winId()).toImage(), moved) <= 2, "but for rounding"
    hand.release(QPointF(340, 132))
    assert state_of(canvas.session) != before
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_another_session_speaks_for_itself(show):
    canvas, other = show(), show()
    begin(canvas)
    canvas.session.live.follow("first", ())
    assert shown(other) == {}
    session = canvas.session
    canvas.set_session(other.session)
    assert shown(canvas) == {}
    session.live.follow("second", ["first"])
    assert not canvas.live_marks._later.isActive()


def test_on_a_level_of_very_many_only_the_one_that_runs_is_marked(show, monkeypatch):
    canvas = show()
    monkeypatch.setattr(live_marks, "MOST", 3)
    begin(canvas)
    canvas.session.live.follow("second", ["first"])
    assert shown(canvas) == {"second": "running"}


def test_a_run_to_a_node_leaves_the_others_alone(show):
    canvas = show("gpt")
    canvas.session.live.begin(("decoder", "attn"))
    canvas.session.live.begun -= 1.0
    canvas.session.live.follow("token_embedding", ())
    assert shown(canvas) == {"token_embedding": "running", "position": "waiting", "decoder": "waiting"}
    canvas.enter_group("decoder")
    assert shown(canvas) == {"attn_norm": "waiting", "attn": "waiting"}
    canvas.session.live.end()
