"""The page of the wire that is marked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.properties import Properties
from graph.commands import SetParam
from graph.document import Wire
from graph.files import document_to_data

LEFT = Qt.MouseButton.LeftButton
WIRE = Wire("attn_norm", "y", "attn", "x")


@pytest.fixture
def panel(gpt, shown):
    return shown(Properties, 332, 700)


@pytest.fixture
def page(panel, gpt, qtbot):
    gpt.enter(("decoder",))
    gpt.mark(WIRE)
    qtbot.waitUntil(lambda: panel.page is panel.wire_page)
    return panel.wire_page


def figures(list_):
    return {figure.name: figure.value for figure in list_.figures}


def test_a_wire_says_where_it_leads_and_what_it_carries(page, gpt, qtbot):
    assert page.summary.text() == "Layer norm → Multi-head attention"
    assert figures(page.end_figures) == {"from": "Layer norm, y", "to": "Multi-head attention, x"}
    assert figures(page.carried) == {"shape": "batch × seq × 32", "kind": "features", "type": "float"}
    (wire,) = [w for w in gpt.document.level(("decoder",)).incoming("attn_add") if w.order == 1]
    gpt.mark(wire)
    qtbot.waitUntil(lambda: figures(page.end_figures)["to"].endswith(", x 2 of 2"))


def test_its_ends_are_gone_to(page, gpt, qtbot):
    qtbot.mouseClick(page.source, LEFT)
    assert gpt.focus == ("decoder", "attn_norm") and gpt.wire is None
    gpt.mark(WIRE)
    assert not gpt.selection, "a wire is marked in place of nodes"
    qtbot.waitUntil(page.isVisible)
    page.target.setFocus()
    qtbot.keyClick(page.target, Qt.Key.Key_Space)
    assert gpt.focus == ("decoder", "attn")


def test_it_is_cut_in_one_step(page, gpt, qtbot):
    before = document_to_data(gpt.document)
    qtbot.mouseClick(page.cut, LEFT)
    assert WIRE not in gpt.document.level(("decoder",)).wires()
    assert gpt.wire is None
    qtbot.waitUntil(lambda: not page.isVisible())
    assert gpt.undo() == "Disconnect attn"
    assert document_to_data(gpt.document) == before


def test_what_is_wrong_with_it_is_mended_there(page, gpt, qtbot):
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    qtbot.waitUntil(page.card.isVisible)
    assert "its dim is 48" in page.card.message.text()
    qtbot.mouseClick(page.card.button, LEFT)
    assert gpt.document.node(("decoder", "attn")).params["dim"] == 32
    qtbot.waitUntil(lambda: not page.card.isVisible())


def test_a_wire_that_goes_with_its_node_or_level_is_marked_no_more(page, gpt):
    from graph import edits

    gpt.do(edits.remove(gpt.document, ("decoder",), ["attn"]))
    assert gpt.wire is None
    gpt.undo()
    gpt.mark(WIRE)
    gpt.enter(())
    assert gpt.wire is None
