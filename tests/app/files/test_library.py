"""My blocks: groups kept in a folder, offered in palette and search, used in any drawing; a file is only data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.dialogs.library import BlockDialog
from app.palette import CLIP_MIME
from graph.commands import SetParam
from graph.document import EditError
from graph.files import FileError, document_to_data, save
from graph.library import drawing_of, read, read_all
from graph.templates import find

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def gpt(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    qtbot.waitUntil(lambda: window.library.folder.is_dir(), timeout=5_000)
    window.session.select(["decoder"])
    QApplication.processEvents()
    return window


def keep(window: MainWindow, title: str, summary: str = "") -> None:
    """Save the selected group through the dialog."""
    window.commands.refresh()
    window.commands["save_block"].trigger()
    dialog = window.findChild(BlockDialog)
    dialog.title.selectAll()
    QTest.keyClicks(dialog.title, title)
    QTest.keyClicks(dialog.summary, summary)
    QTest.mouseClick(dialog.keep, LEFT)
    QApplication.sendPostedEvents(None, 0)
    QApplication.processEvents()


def lines(window: MainWindow) -> list[str]:
    model = window.block_palette.model
    return [entry.title for entry in model.entries if entry.kind in ("own", "broken")]


def test_a_group_is_kept_with_what_it_needs_and_comes_back_fresh(gpt: MainWindow, hand: Hand) -> None:
    keep(gpt, "Decoder of mine", "Pre-norm, GELU")
    (block,) = gpt.library.blocks
    assert (block.title, block.summary) == ("Decoder of mine", "Pre-norm, GELU")
    data = json.loads(block.file.read_text())
    assert data["format"] == "blockwright"
    assert {"dim", "num_heads"} <= data["variables"].keys()
    assert "vocab" not in data["variables"], "what the group does not mention stays away"
    original = gpt.session.document.node(("decoder",))
    gpt.filing.new_empty()
    palette = gpt.block_palette
    index = palette.model.index(palette.model.row_of("own", block.name))
    palette.list.scrollTo(index)
    hand.double_click(palette.list.viewport(), palette.list.visualRect(index).center())
    (group,) = gpt.session.document.top.nodes.values()
    assert group.is_group and group.title == "Decoder of mine"
    assert group.uid != original.uid, "its weights are its own"
    assert gpt.session.document.variables["dim"] == 32
    assert len(gpt.session.history.done) == 1
    gpt.session.undo()
    assert not gpt.session.document.top.nodes and not gpt.session.document.variables


def test_it_is_dropped_like_any_block(gpt: MainWindow, hand: Hand) -> None:
    keep(gpt, "Mine")
    data = QMimeData()
    data.setData(CLIP_MIME, gpt.library.blocks[0].clip.encode())
    canvas = gpt.canvas
    before = document_to_data(gpt.session.document)
    hand.drop(canvas, QPoint(canvas.width() // 2, canvas.height() - 120), data)
    assert [n.title for n in gpt.session.document.top.nodes.values() if n.is_group] == ["Decoder layer", "Mine"]
    gpt.session.undo()
    assert document_to_data(gpt.session.document) == before
    (wire,) = gpt.session.document.top.outgoing("decoder")
    start = hand.port(canvas, wire.source, wire.output, is_input=False)
    end = hand.port(canvas, wire.target, wire.input, is_input=True)
    hand.drop(canvas, (start + end) / 2, data)
    new = next(n for n in gpt.session.document.top.nodes.values() if n.title == "Mine")
    wired = {(w.source, w.target) for w in gpt.session.document.top.wires()}
    assert {("decoder", new.id), (new.id, wire.target)} <= wired
    assert gpt.session.report.valid


def test_what_is_dropped_and_damaged_is_not_welcome(gpt: MainWindow, hand: Hand) -> None:
    data = QMimeData()
    data.setData(CLIP_MIME, b'{"format": "blockwright-clip", "nodes": 3}')
    before = document_to_data(gpt.session.document)
    hand.drop(gpt.canvas, QPoint(200, 200), data)
    assert document_to_data(gpt.session.document) == before


def test_search_at_the_pointer_finds_it(gpt: MainWindow, hand: Hand) -> None:
    keep(gpt, "Zebra layer", "striped")
    gpt.session.select(())
    gpt.canvas.setFocus()
    QTest.keyClick(gpt.canvas, Qt.Key.Key_Tab)
    QTest.keyClicks(gpt.finder.popup.field, "zebr")
    assert gpt.finder.popup.model.entries[0].title == "Zebra layer"
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Return)
    assert any(node.title == "Zebra layer" for node in gpt.session.document.top.nodes.values())
    gpt.focus_palette()
    QTest.keyClicks(gpt.block_palette.field, "strip")
    assert lines(gpt) == ["Zebra layer"], "by its summary, too"


def test_it_is_renamed_deleted_and_put_back(gpt: MainWindow) -> None:
    keep(gpt, "Mine")
    palette = gpt.block_palette
    palette.list.setFocus()
    palette.list.setCurrentIndex(palette.model.index(palette.model.row_of("own", "mine")))
    QTest.keyClick(palette.list, Qt.Key.Key_F2)
    dialog = gpt.findChild(BlockDialog)
    dialog.title.selectAll()
    QTest.keyClicks(dialog.title, "Yours")
    QTest.keyClick(dialog.title, Qt.Key.Key_Return)
    assert [file.name for file in gpt.library.folder.iterdir()] == ["yours.json"]
    assert lines(gpt) == ["Yours"]
    palette.list.setCurrentIndex(palette.model.index(palette.model.row_of("own", "yours")))
    QTest.keyClick(palette.list, Qt.Key.Key_Delete)
    assert lines(gpt) == [] and not list(gpt.library.folder.iterdir())
    undo = next(button for banner in gpt.banners.shown for button in banner.buttons if button.text() == "Undo")
    QTest.mouseClick(undo, LEFT)
    assert lines(gpt) == ["Yours"]


def test_one_of_the_same_name_is_replaced_and_says_so(gpt: MainWindow) -> None:
    keep(gpt, "Mine", "first")
    before = gpt.library.blocks[0].file.read_bytes()
    gpt.commands.refresh()
    gpt.commands["save_block"].trigger()
    dialog = gpt.findChild(BlockDialog)
    dialog.title.setText("Mine")
    assert dialog.keep.text() == "Replace"
    assert "replaced" in dialog.note.text()
    dialog.title.setText("  ")
    assert not dialog.keep.isEnabled()
    dialog.title.setText("Mine")
    dialog.summary.setText("second")
    QTest.mouseClick(dialog.keep, LEFT)
    assert [block.summary for block in gpt.library.blocks] == ["second"]
    undo = next(button for banner in gpt.banners.shown for button in banner.buttons if button.text() == "Undo")
    QTest.mouseClick(undo, LEFT)
    assert gpt.library.blocks[0].file.read_bytes() == before


def test_broken_files_are_listed_with_the_reason(gpt: MainWindow, qtbot: QtBot) -> None:
    folder = gpt.library.folder
    (folder / "torn.json").write_text('{"format": "blockwright", "schema": 1, "level": {"nodes": 3}}')
    save(find("mlp").build(), folder / "whole.json")
    keep(gpt, "Good")
    qtbot.waitUntil(lambda: len(gpt.library.broken) == 2, timeout=5_000)
    assert lines(gpt) == ["Good", "torn.json", "whole.json"]
    reasons = {entry.file.name: entry.reason for entry in gpt.library.broken}
    assert "nodes must be a list" in reasons["torn.json"]
    assert "a block is one group" in reasons["whole.json"]
    palette = gpt.block_palette
    index = palette.model.index(palette.model.row_of("broken", "torn"))
    assert reasons["torn.json"] == index.data(Qt.ItemDataRole.ToolTipRole)
    palette.list.scrollTo(index)
    palette.list.setFocus()
    palette.list.setCurrentIndex(index)
    QTest.keyClick(palette.list, Qt.Key.Key_Return)
    menu = next(menu for menu in gpt.findChildren(QMenu) if menu.isVisible())
    assert [action.text().replace("&", "") for action in menu.actions()] == [
        "Why it cannot be used",
        "Delete",
        "Show in folder",
    ]
    menu.close()


def test_windows_share_the_folder(open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot) -> None:
    first, second = open_window(engine=engine), open_window(engine=engine)
    first.filing.new_from_template("gpt", {"layers": 1})
    first.session.select(["decoder"])
    qtbot.waitUntil(lambda: second.library.folder.is_dir() and first.library.folder.is_dir())
    assert first.library.save(("decoder",), "Shared")
    qtbot.waitUntil(lambda: lines(second) == ["Shared"], timeout=5_000)
    second.library.delete("shared")
    qtbot.waitUntil(lambda: lines(first) == [], timeout=5_000)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"summary": 3}, "summary must be a text"),
        ({"level": {"nodes": []}}, "holds nothing"),
        ({"schema": 99}, "newer Blockwright"),
    ],
)
def test_what_is_no_block_is_refused_with_a_reason(tmp_path: Path, change: dict[str, object], words: str) -> None:
    document = find("gpt").build({"layers": 1})
    file = tmp_path / "block.json"
    save(drawing_of(document, ("decoder",), "Mine"), file)
    assert read(file).title == "Mine"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(FileError, match=words):
        read(file)
    blocks, broken = read_all(tmp_path)
    assert blocks == [] and words in broken[0].reason
    with pytest.raises(EditError, match="only a group"):
        drawing_of(document, ("head",), "Mine")
    with pytest.raises(EditError, match="needs a name"):
        drawing_of(document, ("decoder",), "  ")


def drop_wire(window: MainWindow, hand: Hand, node: str, port: str, *, is_input: bool) -> list[str]:
    """Drag a wire off a port to where nothing is; returns what is listed."""
    canvas = window.canvas
    place = hand.port(canvas, node, port, is_input=is_input)
    hand.drag(canvas, place, QPoint(canvas.width() // 2, canvas.height() - 90))
    assert window.finder.popup.isVisible()
    return [entry.title for entry in window.finder.popup.model.entries]


def test_a_wire_dropped_on_nothing_lists_it_among_what_fits(gpt: MainWindow, hand: Hand) -> None:
    keep(gpt, "Mine")
    keep(gpt, "Zebra layer")
    session = gpt.session
    before = document_to_data(session.document)
    listed = drop_wire(gpt, hand, "decoder", "x", is_input=False)
    assert {"Mine", "Zebra layer", "Linear"} <= set(listed)
    assert listed.index("Mine") < listed.index("Unpatchify"), "among the others, by how well it fits"
    QTest.keyClicks(gpt.finder.popup.field, "zeb")
    assert gpt.finder.popup.model.entries[0].title == "Zebra layer"
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Return)
    new = next(node for node in session.document.top.nodes.values() if node.title == "Zebra layer")
    assert [(wire.source, wire.input) for wire in session.document.top.incoming(new.id)] == [("decoder", "x")]
    assert session.selection == {new.id}
    session.undo()
    assert document_to_data(session.document) == before
    tokens = next(id for id, node in session.document.top.nodes.items() if node.block == "TokenInput")
    assert "Mine" not in drop_wire(gpt, hand, tokens, "tokens", is_input=False), "it does not take tokens"
    gpt.finder.popup.close_search()


def test_a_wire_pulled_out_of_an_input_lists_it(gpt: MainWindow, hand: Hand) -> None:
    keep(gpt, "Mine")
    session = gpt.session
    session.select(())
    gpt.canvas.add_block("Linear", QPointF(0, 400))
    before = document_to_data(session.document)
    gpt.canvas.fit_all()
    assert "Mine" in drop_wire(gpt, hand, "linear", "x", is_input=True)
    QTest.keyClicks(gpt.finder.popup.field, "mine")
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Return)
    (wire,) = session.document.top.incoming("linear")
    assert session.document.top.nodes[wire.source].title == "Mine"
    session.undo()
    assert document_to_data(session.document) == before


def test_the_list_of_wires_has_it_too(gpt: MainWindow, qtbot: QtBot) -> None:
    keep(gpt, "Mine")
    gpt.session.select(["decoder"])
    gpt.activateWindow()
    gpt.canvas.setFocus()
    qtbot.waitUntil(gpt.canvas.hasFocus)
    QTest.keyClick(gpt.canvas, Qt.Key.Key_W)
    QTest.keyClicks(gpt.finder.popup.field, "mine")
    assert "Mine" in [entry.title for entry in gpt.finder.popup.model.entries]
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Return)
    new = next(id for id, node in gpt.session.document.top.nodes.items() if node.title == "Mine")
    assert [wire.source for wire in gpt.session.document.top.incoming(new)] == ["decoder"]
    gpt.session.undo()


def test_one_with_variables_that_the_drawing_lacks_goes_into_a_wire(gpt: MainWindow, hand: Hand) -> None:
    keep(gpt, "Mine")
    (block,) = gpt.library.blocks
    gpt.filing.new_empty()
    canvas, session = gpt.canvas, gpt.session
    for place, name in enumerate(("FeatureInput", "Linear", "Output")):
        canvas.add_block(name, QPointF(320.0 * place, 0.0))
    session.do(SetParam((), "linear", "out_features", 32))
    hand.wire(canvas, "feature_input", "linear")
    hand.wire(canvas, "linear", "output")
    assert session.report.valid
    before = document_to_data(session.document)
    data = QMimeData()
    data.setData(CLIP_MIME, block.clip.encode())
    start = hand.port(canvas, "linear", "y", is_input=False)
    end = hand.port(canvas, "output", "x", is_input=True)
    hand.drop(canvas, (start + end) / 2, data)
    new = next(id for id, node in session.document.top.nodes.items() if node.title == "Mine")
    wired = {(wire.source, wire.target) for wire in session.document.top.wires()}
    assert {("linear", new), (new, "output")} <= wired and ("linear", "output") not in wired
    assert session.document.variables["dim"] == 32 and session.report.valid
    nodes = session.document.top.nodes
    assert nodes[new].position[0] + 100 < nodes["output"].position[0], "what comes after it has made room"
    session.undo()
    assert document_to_data(session.document) == before
