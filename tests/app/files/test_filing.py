"""Files: saved, opened, remembered, dropped; nothing is lost without a question."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, Qt, QTimer, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox, QWidget

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

CONTROL = Qt.KeyboardModifier.ControlModifier


def when_modal(kind: type[QWidget], act: Callable[[QWidget], object]) -> None:
    """Do something with the next dialog of a kind, as soon as it is there."""
    timer = QTimer(QApplication.instance())
    timer.setInterval(50)

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, kind) and dialog.isVisible():
            timer.stop()
            timer.deleteLater()
            act(dialog)

    timer.timeout.connect(look)
    timer.start()


def answer(button: QMessageBox.StandardButton) -> list[str]:
    """Press a button of the next question; returns what it asked."""
    asked: list[str] = []

    def press(box: QMessageBox) -> None:
        asked.append(box.text())
        QTest.mouseClick(box.button(button), Qt.MouseButton.LeftButton)

    when_modal(QMessageBox, press)
    return asked


def choose_file(path: Path) -> None:
    """Type a path into the next file dialog."""

    def type_it(dialog: QFileDialog) -> None:
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        field.setCompleter(None)  # its list of what is there takes Return, once it has been read
        again = QTimer(dialog)  # and a folder that is read late empties the field

        def put() -> None:
            field.selectAll()
            QTest.keyClicks(field, str(path))
            QTest.keyClick(field, Qt.Key.Key_Return)

        again.timeout.connect(put)
        again.start(1_000)
        put()

    when_modal(QFileDialog, type_it)


def activate(window: MainWindow, qtbot: QtBot) -> None:
    """What a window manager does after a dialog has closed."""
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)


@pytest.fixture(autouse=True)
def _own_dialogs(qapp: QApplication) -> None:
    qapp.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)


def test_save_as_then_save_then_open(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.add_block("Linear", None)
    QApplication.processEvents()
    assert "•" in window.windowTitle()
    target = tmp_path / "mine.json"
    choose_file(target)
    QTest.keyClick(window.canvas, Qt.Key.Key_S, CONTROL)
    assert json.loads(target.read_text())["format"] == "blockwright"
    assert window.session.is_saved
    QApplication.processEvents()
    assert window.windowTitle() == "mine – Blockwright"
    assert window.settings.recent == [target]

    window.add_block("GELU", None)
    activate(window, qtbot)
    QTest.keyClick(window.canvas, Qt.Key.Key_S, CONTROL)
    assert len(json.loads(target.read_text())["level"]["nodes"]) == 2

    assert window.filing.close()
    assert window.gallery.isVisible()
    choose_file(target)
    QTest.keyClick(window.gallery, Qt.Key.Key_O, CONTROL)
    assert window.session.path == target
    assert [node.block for node in window.session.document.top.nodes.values()] == ["Linear", "GELU"]


def test_a_file_named_at_the_start_skips_the_gallery(
    open_window: Callable[..., MainWindow], engine: Engine, tmp_path: Path
) -> None:
    from graph.files import save
    from graph.templates import find

    file = tmp_path / "drawn.json"
    save(find("unet").build({"depth": 1}), file)
    window = open_window(engine=engine, path=file)
    assert window.drawing is not None
    assert window.session.title == "drawn"
    assert window.settings.recent == [file]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no file"),
        ("{", "is no JSON"),
        ('{"format": "other"}', "no Blockwright drawing"),
        ('{"format": "blockwright", "schema": 999}', "newer Blockwright"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    window: MainWindow, tmp_path: Path, content: str | None, words: str
) -> None:
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_text(content)
    assert not window.filing.open(file)
    (banner,) = window.banners.shown
    text = banner.text.lower()
    assert words.lower() in text or words.replace("is no", "it is no").lower() in text
    assert "Traceback" not in banner.text
    assert window.gallery.isVisible()
    assert window.settings.recent == []


@pytest.mark.parametrize("button", [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard])
def test_closing_asks_for_what_is_not_saved(window: MainWindow, button: QMessageBox.StandardButton) -> None:
    window.add_block("Linear", None)
    asked = answer(button)
    window.close()
    assert asked == ["Save the changes to untitled?"]
    assert window.isVisible() == (button == QMessageBox.StandardButton.Cancel)


def test_closing_can_save(window: MainWindow, tmp_path: Path) -> None:
    window.add_block("Linear", None)
    window.session.save(tmp_path / "kept.json")
    window.add_block("GELU", None)
    asked = answer(QMessageBox.StandardButton.Save)
    window.close()
    assert asked == ["Save the changes to kept?"]
    assert not window.isVisible()
    assert len(json.loads((tmp_path / "kept.json").read_text())["level"]["nodes"]) == 2


def test_drawings_that_are_open_have_names_of_their_own(window: MainWindow) -> None:
    for _ in range(2):
        window.filing.new_empty()
        window.add_block("Linear", None)
        window.filing.new_from_template("gpt", {"layers": 1})
    assert [session.title for session in window.workspace.sessions] == ["untitled", "gpt", "untitled (2)", "gpt (2)"]


def test_an_unnamed_drawing_is_called_like_its_file(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.add_block("Linear", None)
    QTest.keyClick(window.canvas, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.session.selection)
    choose_file(tmp_path / "mine.json")
    QTest.keyClick(window.canvas, Qt.Key.Key_S, CONTROL)
    assert json.loads((tmp_path / "mine.json").read_text())["title"] == "mine"
    assert window.session.is_saved
    panel = next(panel for panel in window.docks.panels if panel.name == "properties")
    head = panel.document_page.head
    qtbot.waitUntil(lambda: head.title.text() == "mine")
    activate(window, qtbot)
    QTest.keyClick(window.canvas, Qt.Key.Key_Z, CONTROL)
    assert not window.session.document.top.nodes
    assert window.session.document.title == "mine"


def test_several_drawings_are_open_at_once(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", {"layers": 1})
    first = window.session
    window.filing.new_from_template("unet", {})
    assert window.session is not first
    window.menus.drawings.aboutToShow.emit()
    names = [action.text() for action in window.menus.drawings.actions()][:2]
    assert names == ["gpt", "unet"]
    window.menus.drawings.actions()[0].trigger()
    assert window.session is first
    assert window.canvas.session is first
    QApplication.processEvents()
    QTest.keyClick(window.canvas, Qt.Key.Key_PageDown, CONTROL)
    assert window.session.title == "unet"
    QApplication.processEvents()
    QTest.keyClick(window.canvas, Qt.Key.Key_PageDown, CONTROL)
    assert window.session is first


def test_dropped_files_are_opened_and_pictures_shown_to_the_input(
    window: MainWindow, hand: Hand, tmp_path: Path
) -> None:
    from PIL import Image

    from graph.files import save
    from graph.templates import find

    drawing, picture = tmp_path / "drawn.json", tmp_path / "cat.png"
    save(find("unet").build({"depth": 1}), drawing)
    Image.new("RGB", (8, 8)).save(picture)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(drawing))])
    hand.drop(window, window.gallery.geometry().center(), data)
    assert window.session.path == drawing
    data.setUrls([QUrl.fromLocalFile(str(picture))])
    hand.drop(window.canvas, window.canvas.rect().center(), data)
    assert window.session.document.node(("image",)).sample == {"kind": "image", "path": "cat.png"}
    assert not window.session.is_saved


def test_recent_files_open_from_gallery_and_menu(window: MainWindow, tmp_path: Path) -> None:
    from PySide6.QtWidgets import QPushButton

    window.add_block("Linear", None)
    window.session.save(tmp_path / "mine.json")
    window.settings.add_recent(tmp_path / "mine.json")
    window.filing.close()
    row = next(b for b in window.gallery.findChildren(QPushButton) if b.accessibleName() == "Open mine.json")
    QTest.mouseClick(row, Qt.MouseButton.LeftButton)
    assert window.session.title == "mine"
    window.menus.recent.aboutToShow.emit()
    assert str(tmp_path / "mine.json") in [action.text() for action in window.menus.recent.actions()]


def test_a_drawing_dropped_with_shift_goes_into_the_one_that_is_open(
    window: MainWindow, hand: Hand, tmp_path: Path
) -> None:
    from graph.files import save
    from graph.templates import find

    drawing = tmp_path / "drawn.json"
    save(find("unet").build({"depth": 1}), drawing)
    window.filing.new_empty()
    session = window.session
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(drawing))])
    hand.drop(window.canvas, window.canvas.rect().center(), data, Qt.KeyboardModifier.ShiftModifier)
    assert window.session is session
    assert [node.title for node in session.document.top.nodes.values()] == ["drawn"]
