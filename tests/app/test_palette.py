"""The palette: found by letters, folded, dragged to the canvas, added by Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from tests.app.conftest import Hand


def titles(window: MainWindow) -> list[str]:
    return [entry.title for entry in window.block_palette.model.entries]


def test_it_lists_every_block_under_its_category(window: MainWindow) -> None:
    import blocks

    entries = window.block_palette.model.entries
    assert {entry.name for entry in entries if entry.kind == "block"} == set(blocks.catalogue())
    heading = next(entry for entry in entries if entry.name == "Attention")
    assert heading.is_heading
    assert heading.detail == str(sum(block.category == "Attention" for block in blocks.catalogue().values()))
    assert {entry.name for entry in entries if entry.kind == "template"} >= {"gpt", "llama", "unet", "diffusion_unet"}


def test_letters_find_blocks_and_enter_adds_the_first(window: MainWindow) -> None:
    window.focus_palette()
    QTest.keyClicks(window.block_palette.field, "mha")
    assert titles(window)[0] == "Multi-head attention"
    QTest.keyClick(window.block_palette.field, Qt.Key.Key_Return)
    assert [node.block for node in window.session.document.top.nodes.values()] == ["MultiHeadAttention"]
    QTest.keyClick(window.block_palette.field, Qt.Key.Key_Escape)
    assert "SOURCES" in [title.upper() for title in titles(window)]


def test_arrows_choose_among_what_was_found(window: MainWindow) -> None:
    field = window.block_palette.field
    QTest.keyClicks(field, "norm")
    found = titles(window)
    assert {"Layer norm", "RMS norm", "Group norm", "Batch norm"} <= set(found)
    QTest.keyClick(field, Qt.Key.Key_Down)
    QTest.keyClick(field, Qt.Key.Key_Return)
    added = next(iter(window.session.document.top.nodes.values()))
    assert window.block_palette.catalogue.block(added.block).title == found[1]


def test_what_nobody_made_is_said(window: MainWindow) -> None:
    QTest.keyClicks(window.block_palette.field, "xyzzy")
    assert titles(window) == []
    assert "xyzzy" in window.block_palette.note.text()


def test_a_heading_folds_and_stays_folded(window: MainWindow, hand: Hand) -> None:
    palette = window.block_palette
    row = palette.model.row_of("heading", "Linear")
    hand.click(palette.list.viewport(), palette.list.visualRect(palette.model.index(row)).center())
    assert palette.model.row_of("block", "Linear") < 0
    assert window.settings.folded == {"Linear"}


def test_a_block_is_dragged_to_where_it_is_dropped(window: MainWindow, hand: Hand) -> None:
    window.filing.new_empty()
    hand.pull(window, "Linear", QPointF(40, 60))
    nodes = list(window.session.document.top.nodes.values())
    assert [node.block for node in nodes] == ["Linear"]
    bounds = window.canvas.geometry_of.bounds([nodes[0].id])
    assert abs((bounds[0] + bounds[2]) / 2 - 40) < 8
    assert abs(bounds[1] + 16 - 60) < 8
    assert window.session.history.can_undo
    window.session.undo()
    assert not window.session.document.top.nodes


def test_a_double_click_adds_in_the_middle(window: MainWindow, hand: Hand) -> None:
    palette = window.block_palette
    index = palette.model.index(palette.model.row_of("block", "Linear"))
    palette.list.scrollTo(index)
    hand.double_click(palette.list.viewport(), palette.list.visualRect(index).center())
    assert [node.block for node in window.session.document.top.nodes.values()] == ["Linear"]
    assert window.session.selection == {"linear"}
