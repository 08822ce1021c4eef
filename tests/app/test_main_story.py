"""The main job with mouse and keys: a GPT from the gallery, run on a text, looked into, exported; drawings by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QWidget

from app.dialogs.export import ExportDialog

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import Hand

RUN = 120_000


def named(qtbot: QtBot, parent: QWidget, kind: type[QWidget], name: str) -> QWidget:
    """The visible widget of that accessible name, which may take a moment to come."""

    def found() -> list[QWidget]:
        return [w for w in parent.findChildren(kind) if w.accessibleName() == name and w.isVisible()]

    qtbot.waitUntil(lambda: len(found()) == 1)
    return found()[0]


def retype(field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def run_to_the_end(window: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    hand.click(window.top_bar.run)
    assert window.is_running
    assert window.top_bar.run.text() == "Cancel"
    qtbot.waitUntil(lambda: not window.is_running, timeout=RUN)
    assert window.workspace.run_state.state == "done", window.workspace.run_state.text


def panel(window: MainWindow, name: str) -> QWidget:
    return next(panel for panel in window.docks.panels if panel.name == name)


def test_a_gpt_from_the_gallery_is_run_looked_into_and_exported(
    window: MainWindow, hand: Hand, qtbot: QtBot, tmp_path: Path
) -> None:
    gallery = window.gallery
    assert gallery.isVisible()
    card = next(card for card in gallery.cards if card.name == "gpt")
    hand.click(card)
    for name, value in (("dim", 32), ("layers", 4), ("num_heads", 4), ("vocab", 256), ("context", 64)):
        retype(gallery.setup.fields[name], str(value))
    qtbot.waitUntil(lambda: bool(gallery.setup.estimate.text()), timeout=RUN)
    assert gallery.setup.estimate.text().startswith("61")
    hand.click(gallery.setup.button)
    assert window.canvas is not None and window.canvas.isVisible()
    assert window.session.document.variables["layers"] == 4
    assert window.session.report.valid

    hand.click(window.canvas, hand.middle(window.canvas, "tokens"))
    assert window.session.selection == {"tokens"}
    form = panel(window, "properties")
    text = named(qtbot, form, QPlainTextEdit, "Sample text")
    text.setFocus()
    text.selectAll()
    QTest.keyClicks(text, "To be, or not to be")
    qtbot.waitUntil(lambda: window.session.document.node(("tokens",)).sample["text"] == "To be, or not to be")

    run_to_the_end(window, hand, qtbot)
    assert window.workspace.run_state.data["labels"]["tokens"][:2] == ["T", "o"]
    assert "Last run" in window.status.last.text()
    maps = panel(window, "attention_maps")
    window.docks.reveal("attention_maps")
    qtbot.waitUntil(lambda: maps.isVisible() and maps.map.matrix is not None, timeout=RUN)
    assert maps.map.matrix.rows[:5] == maps.map.matrix.columns[:5] == ["T", "o", "␣", "b", "e"]

    window.commands["export_onnx"].trigger()
    dialog = window.findChild(ExportDialog)
    assert dialog is not None and dialog.isVisible()
    target = tmp_path / "gpt.onnx"
    retype(dialog.path, str(target))
    hand.click(dialog.export)
    assert dialog.is_working
    qtbot.waitUntil(lambda: not dialog.is_working, timeout=RUN)
    assert dialog.heading.text() == "Exported and checked", dialog.sentence.text()
    figures = {
        dialog.figures.itemAtPosition(row, 0).widget().text(): dialog.figures.itemAtPosition(row, 1).widget().text()
        for row in range(dialog.figures.rowCount())
        if dialog.figures.itemAtPosition(row, 0)
    }
    assert float(figures["Largest difference"]) < 1e-4
    assert figures["Opset"] == "23"
    assert target.stat().st_size > 10_000
    hand.click(dialog.close_button)
    qtbot.waitUntil(lambda: window.findChild(ExportDialog) is None)


def test_a_wrong_wire_is_said_repaired_and_run(window: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    window.filing.new_empty()
    qtbot.waitUntil(lambda: not window.top_bar.run.isEnabled())
    for block, x in (("FeatureInput", 0), ("Linear", 240), ("Linear", 480), ("Output", 720)):
        hand.pull(window, block, QPointF(x, 0))
    qtbot.waitUntil(window.top_bar.run.isEnabled)
    window.canvas.fit_all()
    canvas = window.canvas
    hand.wire(canvas, "feature_input", "linear")
    hand.wire(canvas, "linear", "linear_2")
    hand.wire(canvas, "linear_2", "output")
    session = window.session
    assert len(session.document.top.wires()) == 3
    assert session.report.valid

    hand.click(canvas, hand.middle(canvas, "linear_2"))
    form = panel(window, "properties")
    field = named(qtbot, form, QLineEdit, "in_features")
    retype(field, "100")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not session.report.valid
    qtbot.waitUntil(lambda: "problem" in window.status.problems.text())
    hand.click(window.top_bar.run)
    assert not window.is_running
    assert "100" in window.banners.shown[-1].text
    problems = panel(window, "problems")
    qtbot.waitUntil(problems.isVisible)
    assert problems.badge() == "1"

    qtbot.waitUntil(lambda: any("to mend" in b.accessibleName() for b in problems.findChildren(QPushButton)))
    repair = next(b for b in problems.findChildren(QPushButton) if "to mend" in b.accessibleName() and b.isVisible())
    hand.click(repair)
    assert session.report.valid
    run_to_the_end(window, hand, qtbot)


def test_a_two_level_unet_by_hand(window: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    window.filing.new_empty()
    canvas = window.canvas
    hand.pull(window, "ImageInput", QPointF(0, 0))
    places = {
        "conv2d": ("Conv2d", 220, 0),
        "max_pool2d": ("MaxPool2d", 220, 140),
        "conv2d_2": ("Conv2d", 440, 140),
        "conv_transpose2d": ("ConvTranspose2d", 660, 140),
        "concat": ("Concat", 880, 0),
        "conv2d_3": ("Conv2d", 1100, 0),
        "output": ("Output", 1320, 0),
    }
    for block, x, y in places.values():
        canvas.fit_all()
        hand.pull(window, block, QPointF(x, y))
    canvas.fit_all()
    session = window.session
    ids = [node.id for node in session.document.top.nodes.values()]
    assert len(ids) == 8, ids
    image, down, pool, low, up, join, last, output = ids
    for source, target in ((image, down), (down, pool), (pool, low), (low, up), (down, join)):
        hand.wire(canvas, source, target)
    hand.wire(canvas, up, join, order=1)
    hand.wire(canvas, join, last)
    hand.wire(canvas, last, output)
    assert len(session.document.top.wires()) == 8
    set_param(window, hand, qtbot, up, "kernel_size", "2")
    set_param(window, hand, qtbot, up, "stride", "2")
    set_param(window, hand, qtbot, join, "axis", "1")
    assert session.report.valid, [str(issue) for issue in session.report.issues]
    assert any("height must be divisible by 2" in str(need) for need in session.report.requirements)
    run_to_the_end(window, hand, qtbot)


def set_param(window: MainWindow, hand: Hand, qtbot: QtBot, node: str, name: str, value: str) -> None:
    hand.click(window.canvas, hand.middle(window.canvas, node))
    form = panel(window, "properties")
    QTest.qWait(20)  # the form follows in the next turn of the event loop
    field = named(qtbot, form, QLineEdit, name)
    retype(field, value)
    QTest.keyClick(field, Qt.Key.Key_Return)
    report = window.session.report.node((node,))
    assert str(report.params[name]) == value
