from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from app import theme
from app.panels.code import Code
from graph.commands import SetParam, SetVariable

CODE = (
    '"""A model.\n\nTwo lines."""\nimport torch\n\n\nclass Model(torch.nn.Module):\n    # a remark\n    width = 32\n'
    + "\n" * 60
)


@pytest.fixture
def panel(gpt, engine, shown, until):
    engine.answers["source"] = {"code": CODE, "lines": CODE.count("\n")}
    made = shown(Code)
    until(lambda: made.text == CODE)
    return made


def test_the_code_is_shown(panel):
    assert panel.editor.toPlainText() == CODE
    assert panel.editor.isReadOnly()
    assert panel.note.text() == f"{CODE.count(chr(10))} lines of ordinary PyTorch; needs no Blockwright"


def test_it_follows_the_drawing_and_the_view_stays(panel, gpt, engine, until):
    panel.editor.verticalScrollBar().setValue(20)
    engine.answers["source"] = {"code": CODE.replace("32", "64"), "lines": 68}
    gpt.do(SetVariable("dim", 64))
    until(lambda: "64" in panel.editor.toPlainText())
    assert panel.editor.verticalScrollBar().value() == 20


def test_copy(panel, qtbot):
    qtbot.mouseClick(panel.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == CODE
    assert panel.note.text() == "Copied."


def test_save(panel, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **kwargs: (str(tmp_path / "mine"), ""))
    qtbot.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert (tmp_path / "mine.py").read_text() == CODE
    assert panel.note.text() == "Saved as mine.py."


def test_save_where_nothing_can_be_written(panel, workspace, qtbot, tmp_path, monkeypatch):
    said = []
    workspace.failed.connect(lambda title, text: said.append((title, text)))
    place = str(tmp_path / "nowhere" / "mine.py")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **kwargs: (place, ""))
    qtbot.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert said[0][0] == "The code was not saved"
    assert "cannot be written" in said[0][1]


def test_errors_of_the_drawing_are_told_instead(panel, gpt, qtbot):
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    qtbot.waitUntil(lambda: panel.is_empty)
    assert panel.empty.sentence.text().startswith(
        "There is no code while the drawing has errors. Multi-head attention, input x. It receives 32 features"
    )
    gpt.undo()
    qtbot.waitUntil(lambda: not panel.is_empty)


def test_a_block_that_cannot_be_copied_is_told(gpt, engine, shown, until):
    engine.answers["source"] = ValueError("The block Odd cannot be copied.")
    panel = shown(Code)
    until(lambda: panel.empty.sentence.text() == "The block Odd cannot be copied.")


def colours_of(panel, line):
    block = panel.editor.document().findBlockByNumber(line)
    return {
        block.text()[part.start : part.start + part.length]: part.format.foreground().color()
        for part in block.layout().formats()
    }


def test_python_is_coloured(panel, qtbot):
    hues = theme.current().categories
    assert colours_of(panel, 0) == {'"""A model.': QColor(hues["Convolution"])}
    assert colours_of(panel, 2) == {'Two lines."""': QColor(hues["Convolution"])}
    assert colours_of(panel, 3) == {"import": QColor(hues["Attention"])}
    assert colours_of(panel, 6)["Model"] == QColor(theme.current().accent)
    assert colours_of(panel, 7) == {"# a remark": QColor(theme.current().faint)}
    assert colours_of(panel, 8) == {"32": QColor(hues["Normalization"])}
    theme.apply("light")
    qtbot.waitUntil(lambda: colours_of(panel, 8) == {"32": QColor(theme.current().categories["Normalization"])})
    theme.apply("dark")
