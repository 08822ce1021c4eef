"""What people are used to do with nodes, groups, copies and the view, each in a window, by events alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from graph.layout import FIRST_ROW, GRID, ROW

NONE, SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
RIGHT = Qt.MouseButton.RightButton
EMPTY = QPointF(400.0, -120.0)
"""A place of the drawing where nothing is."""
Key = Qt.Key


def search(table, ask):
    table.hand.hover(EMPTY)
    ask()
    table.find("gelu")
    (id,) = table.session.selection
    assert table.level.node(id).block == "GELU"
    x, y, right, bottom = table.canvas.geometry_of.rects[table.canvas.geometry_of.index[id]].tolist()
    assert x < EMPTY.x() < right and y - 4 < EMPTY.y() < bottom


def habit_search_by_tab(table):
    """Search at the pointer: Tab."""
    search(table, lambda: table.hand.key(Key.Key_Tab))


def habit_search_by_space(table):
    """Search at the pointer: a tap on Space."""
    search(table, lambda: table.hand.key(Key.Key_Space))


def habit_search_by_shift_a(table):
    """Search at the pointer: Shift+A."""
    search(table, lambda: table.hand.key(Key.Key_A, SHIFT))


def habit_search_by_double_click(table):
    """Search at the pointer: double-click on nothing."""
    search(table, lambda: table.hand.double_click(EMPTY))


def habit_bypass_m(table):
    """Bypass: M."""
    table.pick("loose")
    table.key("M")
    assert table.level.node("loose").muted


def habit_collapse_h(table):
    """Collapse: H."""
    table.pick("first", "second")
    table.key("H")
    assert table.level.node("first").collapsed and table.level.node("second").collapsed


def habit_frame_c_and_its_name_is_typed(table):
    """Frame: C, and its name is typed."""
    table.pick("first", "second")
    table.key("C")
    QTest.keyClicks(table.canvas.editor, "Layers")
    QTest.keyClick(table.canvas.editor, Key.Key_Return)
    (frame,) = table.level.comments.values()
    assert frame.text == "Layers"


def habit_a_note_shift_c_and_it_is_written(table):
    """A note: Shift+C, and it is written."""
    table.hand.hover(EMPTY)
    table.key("Shift+C")
    QTest.keyClicks(table.canvas.note_editor, "Mind this.")
    QTest.keyClick(table.canvas.note_editor, Key.Key_Return, CTRL)
    (note,) = table.level.comments.values()
    assert note.text == "Mind this."


def habit_group_ctrl_g_enter_return_and_double_click_leave_esc_and_u_u(table):
    """Group: Ctrl+G; enter: Return and double-click; leave: Esc and U; ungroup: Ctrl+Shift+G."""
    table.steps = 2
    table.is_round_trip = True
    table.pick("first", "second")
    table.key("Ctrl+G")
    (group,) = table.session.selection
    assert table.wires == {("features", group), (group, "result")}
    view = (table.canvas.camera.x, table.canvas.camera.y, table.canvas.camera.zoom)
    table.hand.key(Key.Key_Return)
    assert table.session.at == (group,)
    table.hand.key(Key.Key_U)
    assert table.session.at == ()
    table.hand.double_click(group)
    assert table.session.at == (group,)
    table.hand.click(table.canvas.rect().bottomLeft() + QPoint(40, -60))
    table.hand.key(Key.Key_Escape)
    assert table.session.at == ()
    assert (table.canvas.camera.x, table.canvas.camera.y, table.canvas.camera.zoom) == view, "each level keeps its view"
    table.pick(group)
    table.key("Ctrl+Shift+G")
    assert {("features", "first"), ("first", "second"), ("second", "result")} == table.wires


def habit_repeat_n_r(table):
    """Repeat N: R."""
    table.steps = 2
    table.pick("first", "second")
    table.key("Ctrl+G")
    (group,) = table.session.selection
    table.key("R")
    table.canvas.editor.selectAll()
    QTest.keyClicks(table.canvas.editor, "12")
    QTest.keyClick(table.canvas.editor, Key.Key_Return)
    assert table.level.node(group).repeat == 12


def habit_duplicate_ctrl_d(table):
    """Duplicate: Ctrl+D."""
    table.pick("first", "second")
    table.key("Ctrl+D")
    assert table.blocks().count("Linear") == 4
    assert len(table.wires) == 4, "with the wire between them, and none from outside"


def habit_duplicate_with_what_feeds_it_ctrl_shift_d(table):
    """Duplicate with what feeds it: Ctrl+Shift+D."""
    table.pick("first")
    table.key("Ctrl+Shift+D")
    (copy,) = table.session.selection
    assert ("features", copy) in table.wires


def habit_copy_and_paste_at_the_pointer_ctrl_c_ctrl_v(table):
    """Copy and paste at the pointer: Ctrl+C, Ctrl+V."""
    table.pick("first", "second")
    table.key("Ctrl+C")
    table.hand.hover(EMPTY)
    table.key("Ctrl+V")
    corner = min(table.level.node(id).position for id in table.session.selection)
    assert abs(corner[0] - EMPTY.x()) <= 4 and abs(corner[1] - EMPTY.y()) <= 4
    assert len(table.wires) == 4


def habit_paste_with_what_feeds_it_ctrl_shift_v(table):
    """Paste with what feeds it: Ctrl+Shift+V."""
    table.pick("second")
    table.key("Ctrl+C")
    table.hand.hover(EMPTY)
    table.key("Ctrl+Shift+V")
    (copy,) = table.session.selection
    assert ("first", copy) in table.wires


def habit_align_q_and_the_first_that_it_offers(table):
    """Align: Q, and the first that it offers."""
    table.pick("first", "loose", "second")
    table.key("Q")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    QTest.keyClick(menu, Key.Key_Down)
    QTest.keyClick(menu, Key.Key_Return)
    QApplication.processEvents()
    assert len({table.level.node(id).position[0] for id in ("first", "loose", "second")}) == 1


def habit_tidy_l_for_what_is_selected(table):
    """Tidy: L for what is selected."""
    table.steps = 2
    table.hand.drag("second", QPointF(700, 300))
    start = {id: node.position for id, node in table.level.nodes.items()}
    table.pick("first", "second")
    table.key("L")
    moved = {id for id, node in table.level.nodes.items() if node.position != start[id]}
    assert moved and moved <= {"first", "second"}


def habit_tidy_shift_l_for_everything(table):
    """Tidy: Shift+L for everything."""
    table.key("Shift+L")
    places = {id: node.position for id, node in table.level.nodes.items()}
    assert places["features"][0] < places["first"][0] < places["second"][0] < places["result"][0]


def habit_a_value_is_edited_where_it_stands(table):
    """A value is edited where it stands."""
    geometry = table.canvas.geometry_of
    row = geometry.index["first"]
    names = [name for name, *_ in geometry.boxes[row].rows]
    x, y, right, _ = geometry.rects[row].tolist()
    table.hand.double_click(QPointF((x + right) / 2, y + FIRST_ROW + ROW * names.index("out_features")))
    table.canvas.editor.selectAll()
    QTest.keyClicks(table.canvas.editor, "96")
    QTest.keyClick(table.canvas.editor, Key.Key_Return)
    assert table.level.node("first").params["out_features"] == 96


def habit_rename_in_place_f2(table):
    """Rename in place: F2."""
    table.pick("first")
    table.key("F2")
    table.canvas.editor.selectAll()
    QTest.keyClicks(table.canvas.editor, "Widen")
    QTest.keyClick(table.canvas.editor, Key.Key_Return)
    assert table.level.node("first").title == "Widen"


def habit_a_colour_through_the_search_for_commands(table):
    """A colour, through the search for commands."""
    table.pick("first", "second")
    table.key("Ctrl+Shift+P")
    table.find("Colour: red")
    assert table.level.node("first").colour == table.level.node("second").colour == "red"


def habit_an_arrow_moves_and_held_down_it_is_one_step(table):
    """An arrow moves what is selected; held down it is one step."""
    table.pick("loose")
    x, y = table.level.node("loose").position
    for _times in range(4):
        QTest.keyPress(table.canvas, Key.Key_Down)
    QTest.keyRelease(table.canvas, Key.Key_Down)
    assert table.level.node("loose").position == (x, y + 4 * GRID)


def habit_looking_about_is_no_step(table):
    """Looking about is no step: Home, F, ., 1, Alt and arrows, wheel, middle button."""
    table.steps = 0
    canvas = table.canvas
    views = set()
    table.pick("second")
    for key in (Key.Key_1, Key.Key_Home, Key.Key_F, Key.Key_1, Key.Key_Period):
        table.hand.key(key)
        views.add((round(canvas.camera.x, 3), round(canvas.camera.y, 3), round(canvas.camera.zoom, 3)))
    assert len(views) >= 2
    assert canvas.session.selection == {"second"}
    table.hand.key(Key.Key_Left, ALT)
    assert canvas.session.selection == {"first"}
    zoom = canvas.camera.zoom
    table.hand.wheel(QPoint(300, 300), 120)
    assert canvas.camera.zoom > zoom
    x = canvas.camera.x
    table.hand.drag(QPoint(300, 300), QPoint(340, 300), NONE, Qt.MouseButton.MiddleButton)
    assert abs(canvas.camera.x - x) > 30
    table.key("Ctrl+A")
    assert canvas.session.selection == set(table.level.nodes)


HABITS = [do for name, do in globals().items() if name.startswith("habit_")]


@pytest.mark.parametrize("part", range(2))
def test_they_are_as_people_know_them(keep, part):
    keep(HABITS[part::2])
