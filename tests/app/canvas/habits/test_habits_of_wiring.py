"""What people are used to do with wires, each in a window, by events alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

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


def habit_a_wire_dropped_on_nothing_lists_what_fits_and_wires_it(table):
    """A wire dropped on nothing lists what fits, and wires it."""
    table.hand.drag(table.hand.port("first", "y", is_input=False), EMPTY)
    table.find("relu")
    (id,) = table.session.selection
    assert table.level.node(id).block == "ReLU" and ("first", id) in table.wires


def habit_a_node_dropped_on_a_wire_goes_into_it(table):
    """A node dropped on a wire goes into it."""
    table.hand.drag("loose", table.middle("first", "second"))
    assert {("first", "loose"), ("loose", "second")} <= table.wires


def habit_alt_keeps_it_out(table):
    """Alt keeps it out."""
    goal = table.hand.at(table.middle("first", "second"))
    start = table.hand.at("loose")
    table.hand.press(start)
    table.hand.move(goal)
    table.hand.move(goal + QPoint(1, 0), ALT)
    table.hand.release(goal, ALT)
    assert ("first", "second") in table.wires
    assert table.level.node("loose").position != (240.0, 220.0)


def habit_cut_wires_ctrl_and_the_right_button(table):
    """Cut wires: Ctrl and the right button."""
    table.hand.drag(*table.across("first", "second"), CTRL, RIGHT)
    assert table.wires == {("features", "first"), ("second", "result")}


def habit_cut_wires_y_and_drag(table):
    """Cut wires: Y and drag."""
    QTest.keyPress(table.canvas, Key.Key_Y)
    table.hand.drag(*table.across("first", "second"))
    QTest.keyRelease(table.canvas, Key.Key_Y)
    assert table.wires == {("features", "first"), ("second", "result")}


def habit_a_dot_shift_and_the_right_button(table):
    """A dot: Shift and the right button."""
    table.hand.drag(*table.across("first", "second"), SHIFT, RIGHT)
    assert "Reroute" in table.blocks() and ("first", "second") not in table.wires


def habit_a_dot_double_click_on_the_wire(table):
    """A dot: double-click on the wire."""
    table.hand.double_click(table.middle("first", "second"))
    assert "Reroute" in table.blocks() and ("first", "second") not in table.wires


def habit_a_wire_is_pulled_off_its_input(table):
    """A wire is pulled off its input."""
    table.hand.drag(table.hand.port("second", "x", is_input=True), EMPTY)
    QTest.keyClick(table.window.finder.popup.field, Key.Key_Escape)
    assert ("first", "second") not in table.wires


def habit_a_new_wire_takes_a_taken_input(table):
    """A new wire takes a taken input."""
    table.hand.wire("features.features", "second.x")
    assert ("features", "second") in table.wires and ("first", "second") not in table.wires


def habit_pull_out_and_heal_alt_and_drag(table):
    """Pull out and heal: Alt and drag."""
    table.hand.drag("second", QPointF(600, -160), ALT)
    assert ("first", "result") in table.wires and "second" in table.level


def habit_delete_and_reconnect_shift_del(table):
    """Delete and reconnect: Shift+Del."""
    table.pick("second")
    table.key("Shift+Del")
    assert ("first", "result") in table.wires and "second" not in table.level


def habit_ctrl_x_cuts(table):
    """Ctrl+X cuts."""
    table.pick("second")
    table.key("Ctrl+X")
    assert table.wires == {("features", "first")}
    assert '"second"' in QGuiApplication.clipboard().text()


def habit_break_all_wires_of_a_port_alt_and_click(table):
    """Break all wires of a port: Alt and click."""
    table.hand.click(table.hand.port("first", "y", is_input=False), ALT)
    assert ("first", "second") not in table.wires


def habit_move_all_wires_of_a_port_ctrl_and_drag(table):
    """Move all wires of a port: Ctrl and drag."""
    table.hand.drag(table.hand.port("first", "y", is_input=False), table.hand.port("loose", "y", is_input=False), CTRL)
    assert ("loose", "second") in table.wires and ("first", "second") not in table.wires


def habit_join_what_is_selected_j(table):
    """Join what is selected: J."""
    table.pick("features", "loose")
    table.key("J")
    assert ("features", "loose") in table.wires


def habit_ports_snap_within_20_pixels(table):
    """Ports snap within 20 pixels."""
    end = table.hand.port("loose", "x", is_input=True)
    table.hand.drag(table.hand.port("features", "features", is_input=False), end - QPoint(14, 8))
    assert ("features", "loose") in table.wires


def habit_wire_from_a_list_w(table):
    """Wire from a list: W."""
    table.pick("features")
    table.key("W")
    table.find("gelu")
    assert ("features", "loose") in table.wires or any(
        table.level.node(target).block == "GELU" for source, target in table.wires if source == "features"
    )


HABITS = [do for name, do in globals().items() if name.startswith("habit_")]


@pytest.mark.parametrize("part", range(2))
def test_they_are_as_people_know_them(keep, part):
    keep(HABITS[part::2])
