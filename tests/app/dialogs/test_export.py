"""The export dialogs: where to, progress, figures; what fails is said, with the way to the block."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.dialogs.export import ExportDialog, node_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import Hand

RUN = 120_000
QUICK = {"dim": 16, "layers": 2, "num_heads": 2, "vocab": 64, "context": 16}


@pytest.fixture
def ask(window: MainWindow) -> Callable[[str, Path], ExportDialog]:
    """Opens the dialog of an export with a path in it."""

    def open_dialog(kind: str, path: Path) -> ExportDialog:
        if window.drawing is None:
            window.filing.new_from_template("gpt", QUICK)
        window.commands.refresh()
        window.commands[f"export_{kind}"].trigger()
        dialog = window.findChild(ExportDialog)
        assert dialog is not None
        dialog.path.setText(str(path))
        return dialog

    return open_dialog


def figures(dialog: ExportDialog) -> dict[str, str]:
    rows = range(dialog.figures.rowCount())
    items = [(dialog.figures.itemAtPosition(row, 0), dialog.figures.itemAtPosition(row, 1)) for row in rows]
    return {name.widget().text(): value.widget().text() for name, value in items if name and value}


def test_pytorch_code_is_written_and_compared_to_the_bit(
    ask: Callable[[str, Path], ExportDialog], hand: Hand, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ask("pytorch", tmp_path / "model")
    hand.click(dialog.export)
    qtbot.waitUntil(lambda: not dialog.is_working, timeout=RUN)
    assert dialog.heading.text() == "Exported and checked", dialog.sentence.text()
    assert figures(dialog)["Difference"] == "none, to the last bit"
    assert "class Model" in (tmp_path / "model.py").read_text()
    assert (tmp_path / "model.safetensors").is_file()
    dialog.close()


def test_a_bad_place_is_said_before_anything_is_done(
    ask: Callable[[str, Path], ExportDialog], hand: Hand, tmp_path: Path
) -> None:
    dialog = ask("onnx", tmp_path / "no" / "such" / "model.onnx")
    hand.click(dialog.export)
    assert not dialog.is_working
    assert dialog.fault.isVisible()
    dialog.close()


def test_a_cancelled_export_leaves_nothing(
    ask: Callable[[str, Path], ExportDialog], hand: Hand, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ask("onnx", tmp_path / "model.onnx")
    hand.click(dialog.export)
    qtbot.waitUntil(lambda: bool(dialog.doing.text()) and dialog.doing.text() != "Starting", timeout=RUN)
    hand.click(dialog.stop)
    assert not dialog.is_working
    assert dialog.pages.currentIndex() == 0
    qtbot.waitUntil(lambda: dialog.export.isVisible())
    dialog.close()
    QApplication.processEvents()
    assert not (tmp_path / "model.onnx").exists()


def test_a_drawing_with_a_problem_is_not_exported(window: MainWindow) -> None:
    window.add_block("Linear", None)
    window.dialogs.export("onnx")
    assert window.findChild(ExportDialog) is None
    assert window.banners.shown[-1].tone == "error"


def test_a_failure_names_the_block_and_leads_to_it(
    ask: Callable[[str, Path], ExportDialog], window: MainWindow, hand: Hand, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = ask("onnx", tmp_path / "model.onnx")
    dialog._request = -1
    from graph.engine import Reading

    window.workspace.reading = Reading(1, 0, "export_onnx", "error", {"message": "m", "place": "decoder.1/attn"})
    dialog._failed("ONNX differs from PyTorch at decoder.1/attn.")
    window.workspace.reading = None
    assert dialog.heading.text() == "Not exported"
    assert dialog.go.isVisible()
    hand.click(dialog.go)
    assert window.session.at == ("decoder",)
    assert window.session.selection == {"attn"}


def test_addresses_and_modules_lead_to_nodes() -> None:
    from graph.templates import find

    document = find("gpt").build(QUICK)
    assert node_of(document, "decoder.1/attn") == ("decoder", "attn")
    assert node_of(document, "decoder.0.attn.q_proj") == ("decoder", "attn")
    assert node_of(document, "head") == ("head",)
    assert node_of(document, "") == node_of(document, "nothing") == ()


def test_the_name_of_the_file_is_the_drawings(ask: Callable[[str, Path], ExportDialog], window: MainWindow) -> None:
    window.filing.new_from_template("gpt", QUICK)
    window.dialogs.export("onnx")
    dialog = window.findChild(ExportDialog)
    assert isinstance(dialog.path, QLineEdit)
    assert Path(dialog.path.text()).name == "gpt.onnx"
    dialog.close()


def test_what_the_file_will_weigh_can_be_read(
    ask: Callable[[str, Path], ExportDialog], tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = ask("onnx", tmp_path / "model.onnx")
    qtbot.waitUntil(lambda: "parameters" in dialog.size_label.text(), timeout=RUN)
    words = dialog.size_label.text()
    assert dialog.size_label.width() > dialog.size_label.fontMetrics().horizontalAdvance(words)
    dialog.close()
