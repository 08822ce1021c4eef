"""What is copied is text: it goes between drawings, windows and starts of the program, and broken text is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph import clipboard
from graph.files import document_to_data, load, save

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.engine import Engine

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SMALL = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    window.filing.new_from_template("gpt", SMALL)
    window.canvas.setFocus()
    return window


def press(window: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier = CONTROL) -> None:
    QApplication.processEvents()
    window.commands.refresh()
    QTest.keyClick(window.canvas, key, keys)


def into(window: MainWindow, ids: set[str]) -> set[tuple[str, str]]:
    """The wires into some nodes."""
    return {(wire.source, wire.target) for id in ids for wire in window.session.document.top.incoming(id)}


def test_between_two_windows(open_window: Callable[..., MainWindow], engine: Engine, gpt: MainWindow) -> None:
    gpt.session.select(["decoder", "final_norm"])
    press(gpt, Qt.Key.Key_C)
    other = open_window(engine=engine)
    other.filing.new_empty()
    other.canvas.setFocus()
    press(other, Qt.Key.Key_V)
    document = other.session.document
    assert {node.block for node in document.top.nodes.values()} == {"Group", "LayerNorm"}
    assert len(document.top.wires()) == 1
    assert document.variables["dim"] == 32, "what they need comes along"
    uids = {node.uid for _, node in gpt.session.document.walk()}
    assert not uids & {node.uid for _, node in document.walk()}, "their weights are their own"
    press(other, Qt.Key.Key_Z)
    assert document_to_data(document)["level"]["nodes"] == []


def test_after_a_restart_and_through_a_message(gpt: MainWindow, tmp_path: Path) -> None:
    gpt.session.select(["head"])
    press(gpt, Qt.Key.Key_C)
    text = QGuiApplication.clipboard().text()
    assert json.loads(text)["format"] == clipboard.CLIP
    message = tmp_path / "message.txt"
    message.write_text(f"\n  {text}\n\n", encoding="utf-8")
    target = tmp_path / "there.json"
    script = (
        "import sys; from graph import clipboard, files; from graph.document import Document\n"
        "document = Document('there')\n"
        "command, ids = clipboard.paste(document, (), open(sys.argv[1], encoding='utf-8').read(), (0.0, 0.0))\n"
        "document.apply(command); files.save(document, sys.argv[2])"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", script, str(message), str(target)], cwd=root, check=True)
    (node,) = load(target).top.nodes.values()
    assert node.block == gpt.session.document.node(("head",)).block
    assert node.params == gpt.session.document.node(("head",)).params


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no nodes"),
        ("a shopping list", "some other text"),
        ("[1, 2]", "some other text"),
        ('{"format": "blockwright-clip", "nodes": 3}', "damaged"),
        ('{"format": "blockwright-clip", "nodes": [{"id": "a"', "damaged"),
        ('{"format": "blockwright-clip", "nodes": [{"id": "class", "block": "Linear"}]}', "damaged"),
        ('{"format": "blockwright-clip", "nodes": [], "wires": []}', "no nodes"),
        ('{"format": "blockwright-clip", "nodes": [{"id": "a", "block": "Linear"}], "variables": []}', ""),
        ('{"format": "blockwright-clip", "nodes": [{"id": "a", "block": "Linear"}], "outside": [["a"], 7]}', ""),
    ],
)
def test_broken_text_is_refused_in_words(gpt: MainWindow, text: str, words: str) -> None:
    before = document_to_data(gpt.session.document)
    said: list[str] = []
    gpt.session.refused.connect(lambda sentence: said.append(sentence))
    QGuiApplication.clipboard().setText(text)
    press(gpt, Qt.Key.Key_V)
    if words:
        assert len(said) == 1 and words in said[0]
        assert document_to_data(gpt.session.document) == before
    else:
        assert not said and len(gpt.session.history.done) == 1


def test_with_and_without_the_wires_from_outside(gpt: MainWindow) -> None:
    nodes = set(gpt.session.document.top.nodes)
    (source,) = {source for source, _ in into(gpt, {"final_norm"})}
    before = document_to_data(gpt.session.document)

    def added(key: Qt.Key, keys: Qt.KeyboardModifier) -> set[tuple[str, str]]:
        gpt.session.select(["final_norm"])
        press(gpt, Qt.Key.Key_C)
        press(gpt, key, keys)
        new = set(gpt.session.document.top.nodes) - nodes
        assert gpt.session.selection == new and len(new) == 1
        found = {(start, "new") for start, _ in into(gpt, new)}
        press(gpt, Qt.Key.Key_Z)
        assert document_to_data(gpt.session.document) == before
        return found

    assert added(Qt.Key.Key_D, CONTROL) == set()
    assert added(Qt.Key.Key_V, CONTROL) == set()
    assert added(Qt.Key.Key_D, CONTROL | SHIFT) == {(source, "new")}
    assert added(Qt.Key.Key_V, CONTROL | SHIFT) == {(source, "new")}


def test_a_whole_group_is_copied_with_all_that_is_in_it(gpt: MainWindow, tmp_path: Path) -> None:
    gpt.session.select(["decoder"])
    press(gpt, Qt.Key.Key_D)
    (copy,) = gpt.session.selection
    first, second = (gpt.session.document.node((id,)) for id in ("decoder", copy))
    assert first.level.nodes.keys() == second.level.nodes.keys()
    assert len(first.level.wires()) == len(second.level.wires())
    save(gpt.session.document, tmp_path / "kept.json")
    assert document_to_data(load(tmp_path / "kept.json")) == document_to_data(gpt.session.document)
