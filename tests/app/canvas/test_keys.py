"""What keys and menus do: delete, copy, paste, group, enter, leave, nudge, look around."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.session import Session
from graph.document import Document

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


def ends(canvas):
    level = canvas.session.document.level(canvas.session.at)
    return {(w.source, w.target) for w in level.wires()}


def test_delete_takes_nodes_and_their_wires(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.click("first")
    hand.key(Qt.Key.Key_Delete)
    assert "first" not in canvas.session.document.top.nodes
    assert ends(canvas) == {("second", "result")}
    assert canvas.session.selection == frozenset()
    canvas.session.undo()
    assert state_of(canvas.session) == before
    hand.click("first")
    hand.key(Qt.Key.Key_Backspace, SHIFT)
    assert ends(canvas) == {("features", "second"), ("second", "result")}


def test_copies_land_at_the_pointer_as_one_step(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag(QPointF(200, -60), QPointF(560, 30))
    canvas.copy()
    assert "blockwright-clip" in QGuiApplication.clipboard().text()
    hand.hover(QPointF(300, 240))
    canvas.paste()
    level = canvas.session.document.top
    assert {"linear", "linear_2"} <= level.nodes.keys() or len(level.nodes) == 6
    pasted = [level.nodes[id] for id in canvas.session.selection]
    assert len(pasted) == 2
    assert min(node.position[0] for node in pasted) == pytest.approx(300, abs=3)
    assert min(node.position[1] for node in pasted) == pytest.approx(240, abs=3)
    first, second = sorted(pasted, key=lambda node: node.position[0])
    assert (first.id, second.id) in ends(canvas)
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert len(level.nodes) == 4


def test_paste_that_keeps_inputs_wires_them(show, hand_on):
    canvas = show()
    hand_on(canvas).click("second")
    canvas.copy()
    canvas.paste(keep_inputs=True)
    (copy,) = canvas.session.selection
    assert ("first", copy) in ends(canvas)


def test_what_is_pasted_twice_does_not_lie_on_itself(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("second")
    canvas.copy()
    hand.hover(QPoint(500, 540))
    canvas.paste()
    canvas.paste()
    level = canvas.session.document.top
    corners = [node.position for node in level.nodes.values()]
    assert len(corners) == 6
    assert len(set(corners)) == 6


def test_copied_files_are_pasted_as_if_they_were_dropped(show, hand_on, tmp_path):
    canvas = show()
    hand_on(canvas).hover(QPoint(500, 540))
    data, asked = QMimeData(), []
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "one.json")), QUrl.fromLocalFile(str(tmp_path / "two.txt"))])
    QGuiApplication.clipboard().setMimeData(data)
    canvas.files_dropped.connect(lambda *what: asked.append(what))
    canvas.paste()
    ((files, place, inserts),) = asked
    assert (files, inserts) == ([tmp_path / "one.json"], True)
    assert canvas.map_from_scene(place).toPoint() == QPoint(500, 540)
    assert not canvas.session.history.done
    QGuiApplication.clipboard().clear()


def test_other_text_is_refused_in_words(show, refusals):
    canvas = show()
    said = refusals(canvas)
    QGuiApplication.clipboard().setText("a shopping list")
    canvas.paste()
    assert said == ["The clipboard holds no nodes, but some other text."]
    assert not canvas.session.history.done


def test_cut_and_duplicate(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("second")
    canvas.duplicate()
    (copy,) = canvas.session.selection
    assert copy != "second"
    x, y = canvas.session.document.top.node(copy).position
    assert (x, y) == (560.0, 40.0)
    canvas.cut()
    assert copy not in canvas.session.document.top.nodes
    canvas.paste()
    assert len(canvas.session.selection) == 1


def test_group_enter_leave_and_ungroup(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.drag(QPointF(200, -60), QPointF(560, 30))
    canvas.group_selection()
    (group,) = canvas.session.selection
    assert canvas.session.document.top.node(group).is_group
    assert canvas.session.report.valid
    hand.key(Qt.Key.Key_Return)
    assert canvas.session.at == (group,)
    assert {"first", "second"} <= set(canvas.geometry_of.ids)
    hand.key(Qt.Key.Key_U)
    assert canvas.session.at == ()
    assert canvas.session.selection == {group}
    canvas.ungroup_selection()
    assert {"first", "second"} == canvas.session.selection
    for _ in range(2):
        canvas.session.undo()
    assert state_of(canvas.session) == before


def test_what_cannot_be_grouped_says_why(show, refusals):
    canvas = show()
    said = refusals(canvas)
    canvas.group_selection()
    canvas.session.select(["first", "result"])
    canvas.group_selection()
    canvas.session.select(["first"])
    canvas.ungroup_selection()
    canvas.session.select(())
    canvas.ungroup_selection()
    assert len(said) == 4
    assert "belongs on its level" in said[1]
    assert not canvas.session.history.done


@pytest.mark.parametrize("join", ["Add", "Concat"])
def test_a_way_around_the_selection_is_one_step(show, state_of, join, refusals):
    canvas = show()
    before = state_of(canvas.session)
    canvas.session.select(["first"])
    canvas.skip_selection(join)
    (new,) = canvas.session.selection - {"first"}
    assert canvas.session.document.top.node(new).block == join
    assert [wire.source for wire in canvas.session.document.top.incoming(new)][0] == "first"
    canvas.session.undo()
    assert state_of(canvas.session) == before
    said = refusals(canvas)
    canvas.session.select(())
    canvas.skip_selection(join)
    assert said == ["Nothing is selected."]


def test_each_level_keeps_its_view(show):
    canvas = show("gpt")
    canvas.zoom_in()
    outside = (canvas.camera.zoom, canvas.camera.x, canvas.camera.y)
    canvas.enter_group("decoder")
    canvas.zoom_out()
    canvas.zoom_out()
    inside = (canvas.camera.zoom, canvas.camera.x, canvas.camera.y)
    canvas.leave_group()
    assert (canvas.camera.zoom, canvas.camera.x, canvas.camera.y) == outside
    canvas.enter_group("decoder")
    assert (canvas.camera.zoom, canvas.camera.x, canvas.camera.y) == inside


def test_each_session_keeps_its_view(show):
    canvas = show("gpt")
    canvas.zoom_in()
    first, zoom = canvas.session, canvas.camera.zoom
    canvas.set_session(Session(Document("other")))
    assert canvas.geometry_of.ids == []
    first.select(["decoder"])
    assert canvas.looks.selected == frozenset(), "the other session is not listened to any more"
    canvas.set_session(first)
    assert canvas.camera.zoom == zoom
    assert canvas.looks.selected == {"decoder"}


def test_arrows_nudge_and_nudges_in_a_row_are_one_step(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("first")
    QTest.keyPress(canvas, Qt.Key.Key_Right)
    QTest.keyPress(canvas, Qt.Key.Key_Right)
    QTest.keyPress(canvas, Qt.Key.Key_Down, SHIFT)
    assert canvas.session.document.top.node("first").position == (248.0, 20.0)
    assert len(canvas.session.history.done) == 1
    QTest.keyRelease(canvas, Qt.Key.Key_Down)
    QTest.keyPress(canvas, Qt.Key.Key_Left)
    assert len(canvas.session.history.done) == 2
    canvas.session.undo()
    canvas.session.undo()
    assert canvas.session.document.top.node("first").position == (240.0, 0.0)


def test_alt_and_arrows_walk_along_wires(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    walked = []
    for _ in range(5):
        hand.key(Qt.Key.Key_Right, ALT)
        walked.append(canvas.session.focus[-1])
    assert walked == ["features", "first", "second", "result", "result"]
    hand.key(Qt.Key.Key_Left, ALT)
    assert canvas.session.focus == ("second",)


def test_looking_around_by_key(show, hand_on):
    canvas = show("unet")
    hand = hand_on(canvas)
    hand.key(Qt.Key.Key_1)
    assert canvas.camera.zoom == 1.0
    canvas.session.select(["bottleneck"])
    hand.key(Qt.Key.Key_Period)
    left, top, right, bottom = canvas.geometry_of.bounds(["bottleneck"])
    rect = canvas.camera.rect_to_screen(left, top, right, bottom)
    assert canvas.rect().toRectF().contains(rect)
    assert abs(rect.center().x() - canvas.width() / 2) < 2
    canvas.fit_all()
    assert canvas.rect().toRectF().contains(canvas.camera.rect_to_screen(*canvas.geometry_of.bounds()))
    zoom = canvas.camera.zoom
    canvas.zoom_in()
    canvas.zoom_out()
    assert canvas.camera.zoom == pytest.approx(zoom)
    canvas.zoom_reset()
    assert canvas.camera.zoom == 1.0


def test_fit_on_an_empty_level_shows_the_actual_size(show):
    canvas = show(Document())
    canvas.zoom_in()
    canvas.fit_all()
    assert canvas.camera.zoom == 1.0


def test_a_node_that_is_shown_elsewhere_comes_into_view(show):
    canvas = show("gpt")
    canvas.zoom_in()
    canvas.scroll_view(-3000, 0)
    canvas.session.show(("decoder", "mlp"))
    assert canvas.session.at == ("decoder",)
    rect = canvas.camera.rect_to_screen(*canvas.geometry_of.bounds(["mlp"]))
    assert canvas.rect().toRectF().contains(rect)


@pytest.mark.parametrize("key, keys", [(Qt.Key.Key_Tab, None), (Qt.Key.Key_A, SHIFT)])
def test_tab_asks_for_a_block_at_the_pointer(key, keys, show, hand_on, qtbot):
    canvas = show()
    hand = hand_on(canvas)
    hand.hover(QPoint(321, 234))
    with qtbot.waitSignal(canvas.search_requested) as asked:
        hand.key(key, keys or Qt.KeyboardModifier.NoModifier)
    assert (canvas.map_from_scene(asked.args[0]) - QPointF(321, 234)).manhattanLength() < 1
    assert asked.args[1] == canvas.mapToGlobal(QPoint(321, 234))


def test_escape_and_select_all(show, hand_on):
    canvas = show()
    canvas.select_all()
    assert canvas.session.selection == {"features", "first", "second", "result"}
    hand_on(canvas).key(Qt.Key.Key_Escape)
    assert canvas.session.selection == frozenset()


def test_an_unknown_key_is_left_to_others(show, hand_on):
    canvas = show()
    hand_on(canvas).key(Qt.Key.Key_Q)
    assert not canvas.session.history.done


def test_the_canvas_speaks_of_what_it_shows(show):
    canvas = show()
    assert canvas.accessibleName() == "Canvas"
    canvas.session.select(["first"])
    assert canvas.accessibleDescription().startswith("chain, 4 blocks; selected: Linear")


def test_a_tap_on_space_asks_for_a_block_and_a_pan_does_not(show, hand_on, qtbot):
    canvas = show()
    hand = hand_on(canvas)
    hand.hover(QPointF(400, 300))
    with qtbot.waitSignal(canvas.search_requested) as asked:
        hand.key(Qt.Key.Key_Space)
    assert (asked.args[0] - QPointF(400, 300)).manhattanLength() < 3
    with qtbot.assertNotEmitted(canvas.search_requested):
        QTest.keyPress(canvas, Qt.Key.Key_Space)
        hand.drag(QPointF(400, 300), QPointF(300, 200))
        QTest.keyRelease(canvas, Qt.Key.Key_Space)
        QTest.keyPress(canvas, Qt.Key.Key_Space)
        for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):  # the key is held down
            QApplication.sendEvent(canvas, QKeyEvent(kind, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True))
        QTest.keyRelease(canvas, Qt.Key.Key_Space)
