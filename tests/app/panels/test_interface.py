"""The ports of a group in the properties: named, added, put in order and taken away, a step each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.properties import Properties
from graph.files import document_to_data

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(gpt, shown, qtbot):
    gpt.show(("decoder",))
    panel = shown(Properties, 320, 800)
    qtbot.waitUntil(lambda: panel.page is panel.node_page and panel.node_page.interface.isVisible())
    yield panel.node_page


def names(page, side):
    return page.interface.lists[side].names


def row(page, side, name):
    ports = page.interface.lists[side]
    return ports.rows[ports.names.index(name)]


def type_over(field, text, key=Qt.Key.Key_Return):
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, key)


def inputs(session):
    return {(w.source, w.input) for w in session.document.top.incoming("decoder")}


def test_a_group_shows_its_ports(page, gpt, qtbot):
    assert (names(page, "input"), names(page, "output")) == (["x"], ["x"])
    assert row(page, "input", "x").field.accessibleName() == "Name of input x"
    gpt.show(("head",))
    qtbot.waitUntil(lambda: not page.interface.isVisible())


def test_a_name_that_is_typed_takes_the_wires_along_in_one_step(page, gpt, qtbot):
    before = document_to_data(gpt.document)
    (source,) = {source for source, _ in inputs(gpt)}
    type_over(row(page, "input", "x").field, "hidden")
    assert inputs(gpt) == {(source, "hidden")}
    assert len(gpt.history.done) == 1
    qtbot.waitUntil(lambda: names(page, "input") == ["hidden"])
    gpt.undo()
    assert document_to_data(gpt.document) == before


def test_a_name_that_will_not_do_is_refused_and_goes(page, gpt):
    said = []
    gpt.refused.connect(lambda sentence: said.append(sentence))
    type_over(row(page, "input", "x").field, "Two words")
    assert len(said) == 1 and "lower-case" in said[0]
    assert row(page, "input", "x").field.text() == "x"
    type_over(row(page, "input", "x").field, "mask", Qt.Key.Key_Escape)
    assert row(page, "input", "x").field.text() == "x"
    assert not gpt.history.done


def test_ports_are_added_moved_and_removed(page, gpt, qtbot):
    before = document_to_data(gpt.document)
    QTest.mouseClick(page.interface.lists["input"].add, LEFT)
    assert names(page, "input") == ["x", "x2"]
    assert row(page, "input", "x2").field.hasFocus(), "its name can be typed at once"
    QTest.mouseClick(row(page, "input", "x2").up, LEFT)
    assert names(page, "input") == ["x2", "x"]
    QTest.keyClick(row(page, "input", "x2").field, Qt.Key.Key_Down)
    assert names(page, "input") == ["x", "x2"]
    assert not row(page, "input", "x").up.isEnabled()
    QTest.mouseClick(row(page, "input", "x").cross, LEFT)
    assert inputs(gpt) == set(), "its wire has gone with it"
    assert len(gpt.history.done) == 4
    for _ in range(4):
        gpt.undo()
    after = document_to_data(gpt.document)
    assert {node["id"] for node in after["level"]["nodes"]} == {node["id"] for node in before["level"]["nodes"]}
    assert sorted(after["level"]["wires"]) == sorted(before["level"]["wires"])


def test_a_port_that_is_added_and_named_at_once_is_one_step(page, gpt, qtbot):
    before = document_to_data(gpt.document)
    QTest.mouseClick(page.interface.lists["input"].add, LEFT)
    type_over(row(page, "input", "x2").field, "Two words")
    assert names(page, "input") == ["x", "x2"], "that will not do"
    type_over(row(page, "input", "x2").field, "mask")
    qtbot.waitUntil(lambda: names(page, "input") == ["x", "mask"])
    assert [entry.label for entry in gpt.history.done] == ["Add an input"]
    after = document_to_data(gpt.document)
    type_over(row(page, "input", "mask").field, "bias")
    assert len(gpt.history.done) == 2, "another name is another step"
    gpt.undo()
    assert document_to_data(gpt.document) == after
    gpt.undo()
    assert document_to_data(gpt.document) == before
    gpt.redo()
    assert document_to_data(gpt.document) == after


def test_a_port_that_is_named_later_is_two_steps(page, gpt, qtbot):
    QTest.mouseClick(page.interface.lists["output"].add, LEFT)
    (added,) = set(names(page, "output")) - {"x"}
    row(page, "input", "x").field.setFocus()
    type_over(row(page, "output", added).field, "weights")
    qtbot.waitUntil(lambda: "weights" in names(page, "output"))
    assert len(gpt.history.done) == 2
