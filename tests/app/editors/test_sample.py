from __future__ import annotations

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.editors.sample import SampleEditor
from app.session import Session
from graph import templates
from graph.commands import SetNode


@pytest.fixture
def shown(qtbot, tmp_path):
    """Shows the sample of a source of a template and writes what the user makes of it, as the page does."""

    def show(template, id, values=None):
        session = Session(templates.find(template).build(values or {}), tmp_path / "drawing.json")
        editor = SampleEditor()
        qtbot.addWidget(editor)

        def refresh():
            editor.show_sample(session.document.node((id,)), session.report.node((id,)), session)

        def put(sample, gesture):
            session.do(SetNode((), id, "sample", sample), gesture)
            refresh()

        editor.edited.connect(put)
        refresh()
        editor.resize(300, 300)
        editor.show()
        qtbot.waitExposed(editor)
        return editor, session

    return show


def sample(session, id):
    return dict(session.document.node((id,)).sample)


def pick(qtbot, editor, kind):
    place = editor.kind.findData(kind)
    editor.kind.setCurrentIndex(place)
    editor.kind.activated.emit(place)


def test_a_text_is_typed_in_one_step(shown, qtbot):
    editor, session = shown("gpt", "tokens")
    assert editor.text.toPlainText() == "To be, or not to be, that is the question"
    assert editor.count.text() == "41 bytes"
    editor.text.setFocus()
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, "Oil")
    assert sample(session, "tokens") == {"kind": "text", "text": "Oil", "tokenizer": "bytes"}
    assert editor.count.text() == "3 bytes"
    assert len(session.history.done) == 1
    editor.text.insertPlainText("ö")
    assert editor.count.text() == "5 bytes"


def test_a_tokenizer_is_picked_and_kept_relative(shown, qtbot, tmp_path, monkeypatch):
    editor, session = shown("gpt", "tokens")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(tmp_path / "mine" / "tokenizer.json"), ""))
    editor.tokenizer.activated.emit(editor.tokenizer.findData(None))
    assert sample(session, "tokens")["tokenizer"] == "mine/tokenizer.json"
    assert editor.tokenizer.currentText() == "tokenizer.json"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: ("", ""))
    editor.tokenizer.activated.emit(editor.tokenizer.findData(None))
    assert editor.tokenizer.currentText() == "tokenizer.json"
    editor.tokenizer.activated.emit(0)
    assert sample(session, "tokens")["tokenizer"] == "bytes"


def test_random_numbers_and_their_seed(shown, qtbot):
    editor, session = shown("gpt", "tokens")
    pick(qtbot, editor, "random")
    assert sample(session, "tokens") == {"kind": "random"}
    field = editor.seed.editor.field
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "42")
    assert sample(session, "tokens") == {"kind": "random", "seed": 42}
    assert not editor.text.isVisible()


def test_a_picture_is_chosen_and_seen(shown, qtbot, tmp_path, monkeypatch):
    Image.new("RGB", (40, 20), (200, 30, 30)).save(tmp_path / "red.png")
    editor, session = shown("unet", "image", {"channels": 8, "depth": 2})
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(tmp_path / "red.png"), ""))
    pick(qtbot, editor, "image")
    assert sample(session, "image") == {"kind": "image", "path": "red.png"}
    assert editor.picture.isVisible()
    thumbnail = editor.picture.pixmap().toImage()
    assert thumbnail.width() == 2 * thumbnail.height()
    assert thumbnail.pixelColor(3, 3).red() == 200
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: ("", ""))
    qtbot.mouseClick(editor.choose, Qt.MouseButton.LeftButton)
    assert sample(session, "image")["path"] == "red.png"


def test_a_choice_that_is_called_off_changes_nothing(shown, qtbot, monkeypatch):
    editor, session = shown("unet", "image", {"channels": 8, "depth": 2})
    before = sample(session, "image")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: ("", ""))
    pick(qtbot, editor, "image")
    assert sample(session, "image") == before
    assert editor.kind.currentData() == before.get("kind", "random")


def test_what_is_no_picture_says_so(shown, qtbot, tmp_path, monkeypatch):
    (tmp_path / "bad.png").write_text("no picture")
    editor, session = shown("unet", "image", {"channels": 8, "depth": 2})
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(tmp_path / "bad.png"), ""))
    pick(qtbot, editor, "image")
    assert editor.picture.text() == "This file cannot be read as a picture."


def test_a_dropped_file_is_taken(shown, qtbot, tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "dropped.PNG")
    editor, session = shown("unet", "image", {"channels": 8, "depth": 2})
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "dropped.PNG"))])
    drop = QDropEvent(
        QPointF(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    editor.dropEvent(drop)
    assert sample(session, "image") == {"kind": "image", "path": "dropped.PNG"}
    other = QMimeData()
    other.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    editor.dropEvent(
        QDropEvent(
            QPointF(9, 9), Qt.DropAction.CopyAction, other, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )
    assert sample(session, "image")["path"] == "dropped.PNG"


def test_one_value_for_a_time_step(shown, qtbot):
    editor, session = shown("diffusion_unet", "time_step")
    pick(qtbot, editor, "value")
    field = editor.value.editor.field
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "250")
    assert sample(session, "time_step") == {"kind": "value", "value": 250.0}


def test_a_file_elsewhere_keeps_its_whole_path(shown, qtbot, monkeypatch):
    editor, session = shown("unet", "image", {"channels": 8, "depth": 2})
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: ("/elsewhere/x.npy", ""))
    pick(qtbot, editor, "file")
    assert sample(session, "image") == {"kind": "file", "path": "/elsewhere/x.npy"}
    assert editor.file_name.text() == "x.npy"


def test_a_table_is_typed(shown, qtbot):
    editor, session = shown("xor", "points")
    assert editor.table.isVisible() and not editor.text.isVisible()
    assert editor.table.toPlainText() == "0 0\n0 1\n1 0\n1 1"
    editor.table.setFocus()
    editor.table.selectAll()
    qtbot.keyClicks(editor.table, "1 1")
    assert sample(session, "points") == {"kind": "table", "text": "1 1"}
    assert len(session.history.done) == 1
    pick(qtbot, editor, "random")
    assert not editor.table.isVisible()
    pick(qtbot, editor, "table")
    assert sample(session, "points") == {"kind": "table", "text": "0 0"}  # a row as wide as the input


def test_noise_for_a_picture_and_its_seed(shown, qtbot):
    editor, session = shown("glow", "z", {"scales": 1, "steps": 1, "inverse": True})
    assert editor.kind.currentText() == "normal noise" and editor.seed.isVisible()
    pick(qtbot, editor, "random")
    assert sample(session, "z") == {"kind": "random"} and editor.seed.isVisible()
