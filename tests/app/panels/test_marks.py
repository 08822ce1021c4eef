"""The rows off, collapsed and colour: for one node, for several, for frames and notes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.properties import Properties
from graph import comments
from graph.comments import Comment
from graph.files import document_to_data

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(gpt, shown):
    return shown(Properties, 332, 900)


def box(section, name):
    return section.form.rows[name].editor.box


def test_a_node_is_switched_off_collapsed_and_coloured(panel, gpt, qtbot):
    gpt.show(("decoder", "mlp_norm"))
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    before, marks = document_to_data(gpt.document), panel.node_page.marks
    qtbot.mouseClick(box(marks, "off"), LEFT)
    qtbot.keyClick(box(marks, "collapsed"), Qt.Key.Key_Space)
    qtbot.mouseClick(marks.swatches.buttons["green"], LEFT)
    node = gpt.document.node(("decoder", "mlp_norm"))
    assert (node.muted, node.collapsed, node.colour) == (True, True, "green")
    assert [step.label for step in gpt.history.done] == [
        "Switch off mlp_norm", "Collapse mlp_norm", "Colour mlp_norm",
    ]  # fmt: skip
    qtbot.waitUntil(lambda: marks.swatches.buttons["green"].isChecked())
    assert box(marks, "off").isChecked() and box(marks, "collapsed").isChecked()
    for _ in range(3):
        gpt.undo()
    assert document_to_data(gpt.document) == before
    qtbot.waitUntil(lambda: not box(marks, "off").isChecked() and marks.swatches.buttons[""].isChecked())


def test_the_colours_are_reached_and_taken_by_keys(panel, gpt, qtbot):
    gpt.show(("head",))
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    swatches = panel.node_page.marks.swatches
    swatches.buttons[""].setFocus()
    qtbot.keyClick(swatches.buttons[""], Qt.Key.Key_Right)
    assert swatches.buttons["red"].hasFocus()
    qtbot.keyClick(swatches.buttons["red"], Qt.Key.Key_Space)
    assert gpt.document.node(("head",)).colour == "red"
    steps = len(gpt.history.done)
    qtbot.waitUntil(lambda: swatches.buttons["red"].isChecked())
    qtbot.keyClick(swatches.buttons["red"], Qt.Key.Key_Space)
    assert len(gpt.history.done) == steps, "the colour that it has is no edit"
    assert swatches.buttons["red"].isChecked()
    qtbot.keyClick(swatches.buttons["red"], Qt.Key.Key_Left)
    qtbot.keyClick(swatches.buttons[""], Qt.Key.Key_Space)
    assert gpt.document.node(("head",)).colour == ""


def test_what_cannot_be_has_no_row(panel, gpt, qtbot):
    gpt.show(("tokens",))
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    marks = panel.node_page.marks
    assert not marks.form.rows["off"].isVisible(), "an input passes nothing on"
    assert marks.form.rows["collapsed"].isVisible()
    gpt.show(("decoder",))
    qtbot.waitUntil(lambda: marks.form.rows["off"].isVisible())


def test_several_nodes_that_differ_are_mixed_until_they_are_set(panel, gpt, qtbot):
    gpt.enter(("decoder",))
    gpt.show(("decoder", "attn_norm"))
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    qtbot.mouseClick(box(panel.node_page.marks, "off"), LEFT)
    qtbot.mouseClick(panel.node_page.marks.swatches.buttons["blue"], LEFT)
    gpt.select(["attn_norm", "mlp_norm", "attn"])
    qtbot.waitUntil(lambda: panel.page is panel.many_page)
    before, marks, steps = document_to_data(gpt.document), panel.many_page.marks, len(gpt.history.done)
    assert box(marks, "off").checkState() == Qt.CheckState.PartiallyChecked
    assert box(marks, "collapsed").checkState() == Qt.CheckState.Unchecked
    assert not any(button.isChecked() for button in marks.swatches.buttons.values())
    assert marks.swatches.accessibleDescription() == "several colours"
    qtbot.mouseClick(box(marks, "off"), LEFT)
    qtbot.mouseClick(marks.swatches.buttons["purple"], LEFT)
    nodes = [gpt.document.node(("decoder", id)) for id in ("attn_norm", "mlp_norm", "attn")]
    assert [(node.muted, node.colour) for node in nodes] == [(True, "purple")] * 3
    assert len(gpt.history.done) == steps + 2, "each is one step"
    gpt.undo()
    gpt.undo()
    assert document_to_data(gpt.document) == before
    qtbot.waitUntil(lambda: box(marks, "off").checkState() == Qt.CheckState.PartiallyChecked)


def test_nodes_and_frames_are_coloured_together(panel, gpt, qtbot):
    frame = Comment("frame", "frame", "All", (-40.0, -60.0), (400.0, 300.0), "red")
    gpt.do(comments.change((), [frame], "Add"))
    before = document_to_data(gpt.document)
    gpt.select(["head"], ["frame"])
    qtbot.waitUntil(lambda: panel.page is panel.many_page)
    page = panel.many_page
    assert (page.heading.text(), page.summary.text()) == ("2 selected", "Linear, Frame")
    qtbot.mouseClick(page.marks.swatches.buttons["green"], LEFT)
    assert gpt.document.node(("head",)).colour == gpt.document.top.comments["frame"].colour == "green"
    assert gpt.undo() == "Colour 2 things"
    assert document_to_data(gpt.document) == before
    gpt.do(comments.change((), [Comment("note", "note", "words", (0.0, 400.0))], "Add"))
    gpt.select((), ["frame", "note"])
    qtbot.waitUntil(lambda: page.summary.text() == "Frame, Note")
    assert not page.marks.form.isVisible(), "frames and notes are never off"
    assert page.form is None or not page.form.isVisible()


def test_colours_go_into_two_rows_where_the_panel_is_narrow(gpt, shown, qtbot):
    panel = shown(Properties, 240, 900)
    gpt.show(("decoder", "attn"))
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    buttons = list(panel.node_page.marks.swatches.buttons.values())

    def rows():
        return len({button.y() for button in buttons})

    qtbot.waitUntil(lambda: rows() == 2)
    assert panel.page.width() <= panel.width()
    panel.resize(400, 900)
    qtbot.waitUntil(lambda: rows() == 1)


@pytest.mark.parametrize("page", range(5))
def test_no_page_is_wider_than_the_panel_can_be(gpt, shown, page):
    panel = shown(Properties, 240, 900)
    assert panel._all[page].minimumSizeHint().width() <= panel.minimumWidth()
