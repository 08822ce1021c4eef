"""What is looked for in the window: commands, nodes, blocks, and what fits a wire that was dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from tests.app.conftest import Hand

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_a_command_is_found_and_run_by_keys(gpt: MainWindow) -> None:
    popup = gpt.finder.popup
    QTest.keyClick(gpt.canvas, Qt.Key.Key_P, CONTROL | SHIFT)
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "decoder")
    assert "Decoder layer" in [entry.title for entry in popup.model.entries]
    popup.field.selectAll()
    QTest.keyClicks(popup.field, "select all")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert gpt.session.selection == set(gpt.session.document.top.nodes)


def test_a_node_is_found_and_shown(gpt: MainWindow, hand: Hand) -> None:
    hand.click(gpt.top_bar.search)
    popup = gpt.finder.popup
    QTest.keyClicks(popup.field, "attn")
    place = next(row for row, entry in enumerate(popup.model.entries) if entry.name == "decoder/attn")
    hand.click(popup.list.viewport(), popup.list.visualRect(popup.model.index(place)).center())
    assert gpt.session.at == ("decoder",)
    assert gpt.session.selection == {"attn"}


def test_tab_finds_a_block_at_the_pointer(gpt: MainWindow) -> None:
    canvas, popup = gpt.canvas, gpt.finder.popup
    QTest.mouseMove(canvas, QPoint(300, 400))
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "gel")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert gpt.session.selection == {"gelu"}
    bounds = canvas.geometry_of.bounds(["gelu"])
    middle = canvas.map_from_scene(QPointF((bounds[0] + bounds[2]) / 2, bounds[1] + 16))
    assert abs(middle.x() - 300) < 8
    assert abs(middle.y() - 400) < 8
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    assert popup.model.entries[1].name == "GELU", "what was used last comes first"
    QTest.keyClick(popup.field, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert canvas.hasFocus()


def test_a_click_elsewhere_leaves_the_search(gpt: MainWindow, hand: Hand) -> None:
    QTest.keyClick(gpt.canvas, Qt.Key.Key_Tab)
    assert gpt.finder.popup.isVisible()
    hand.click(gpt.canvas, QPoint(30, 300))
    assert not gpt.finder.popup.isVisible()


def test_a_dropped_wire_offers_what_fits_and_wires_it(gpt: MainWindow, hand: Hand) -> None:
    canvas, session, popup = gpt.canvas, gpt.session, gpt.finder.popup
    start = hand.port(canvas, "tokens", "tokens", is_input=False)
    before = len(session.history.done)
    hand.drag(canvas, start, start + QPoint(40, 130))
    assert popup.isVisible()
    offered = [entry.name for entry in popup.model.entries]
    assert offered[0] == "Embedding"
    assert not {"Linear", "Conv2d", "LayerNorm"} & set(offered)
    assert "batch" in popup.note.text()
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert len(session.history.done) == before + 1
    (wire,) = session.document.top.incoming("embedding")
    assert wire.source == "tokens"
    assert session.document.node(("embedding",)).params["vocab"] == session.report.variables["vocab"]
    session.undo()
    assert "embedding" not in session.document.top


def test_features_offer_features_and_no_pictures(gpt: MainWindow, hand: Hand) -> None:
    from app.searching.fitting import feeders, fits

    offered = [name for name, _ in fits(gpt.session, "token_embedding", gpt_output(gpt, "token_embedding"))]
    assert {"Linear", "LayerNorm", "MultiHeadAttention", "FeedForward"} <= set(offered)
    assert not {"Conv2d", "Embedding", "MaxPool2d", "TokenInput"} & set(offered)
    behind = [name for name, _ in feeders(gpt.session, "token_embedding", "tokens")]
    assert behind[0] == "TokenInput"


def gpt_output(window: MainWindow, node: str) -> str:
    return next(iter(window.session.report.node((node,)).output_ports))
