"""The cached catalogue is the one of the classes, and goes stale with their files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app import catalogue
from graph.templates import all_templates


def test_what_is_cached_is_what_was_built(home: Path) -> None:
    assert catalogue.cached() is None
    built = catalogue.build()
    assert catalogue.cached() == built
    import blocks

    assert [card.name for card in built.blocks] == list(blocks.catalogue())
    assert [card.name for card in built.templates] == list(all_templates())
    for card in built.templates:
        assert card.preview.boxes, card.name
        assert card.preview.wires, card.name


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}', '{"schema": 2, "key": "x", "blocks": 3}'])
def test_a_damaged_cache_is_none(home: Path, text: str) -> None:
    (home / "cache").mkdir(exist_ok=True)
    (home / "cache" / "catalogue.json").write_text(text)
    assert catalogue.cached() is None


def test_a_cache_of_right_key_and_wrong_content_is_none(remembered: Path) -> None:
    file = remembered / "cache" / "catalogue.json"
    data = json.loads(file.read_text())
    data["blocks"][0] = {"name": 3}
    file.write_text(json.dumps(data))
    assert catalogue.cached() is None


def test_a_changed_block_makes_it_stale(remembered: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert catalogue.cached() is not None
    root = tmp_path / "copy"
    for package in ("blocks", "graph", "app"):
        (root / package).mkdir(parents=True)
    (root / "app" / "preview.py").write_text("")
    block = root / "blocks" / "one.py"
    block.write_text("1")
    monkeypatch.setattr(catalogue, "_ROOT", root)
    monkeypatch.setattr(catalogue, "__file__", str(block))
    before = catalogue._key()
    assert catalogue._key() == before
    os.utime(block, ns=(1, 1))
    assert catalogue._key() != before


def test_a_place_that_cannot_be_written_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("BLOCKWRIGHT_HOME", str(tmp_path / "file"))
    assert catalogue.build().blocks
    assert "could not be remembered" in caplog.text


def test_the_window_needs_neither_torch_nor_networkx_to_be_shown(remembered: Path) -> None:
    import subprocess
    import sys

    script = """
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication
application = QApplication([])
from app import theme
from app.main_window import MainWindow
theme.apply("dark")
window = MainWindow()
window.start()
window.show()
print(len(window.gallery.cards), window.block_palette.model.rowCount() > 40)
print(sorted({"torch", "networkx", "numpy", "pyqtgraph", "blocks.spec"} & set(sys.modules)))
window._painted = True
window.close()
"""
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [f"{len(all_templates()) + 1} True", "[]"]


def test_what_is_loaded_in_a_thread_touches_no_qt(remembered: Path) -> None:
    """PySide makes its classes when they are first asked for, and crashes when two threads ask at once."""
    import subprocess
    import sys

    script = """
import sys
from PySide6 import QtCore
import app.loading
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("PySide6", "shiboken6", "pyqtgraph", "app.")) and name not in ALLOWED:
            print(name)
ALLOWED = {"app.folders", "app.preview", "app.catalogue"}
sys.meta_path.insert(0, Watch())
app.loading.import_plain(None)
print("torch" in sys.modules)
"""
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["True"]


def test_what_is_loaded_is_never_looked_through_for_garbage(remembered: Path) -> None:
    """Else the window stands still for a third of a second every few minutes."""
    import subprocess
    import sys

    script = """
import gc, time
import app.loading
with app.loading._no_garbage():
    print(gc.isenabled())
    app.loading.import_plain(None)
print(gc.isenabled(), gc.get_freeze_count() > 100_000)
started = time.process_time()
gc.collect()
print(time.process_time() - started < 0.1)
"""
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["False", "True True", "True"]
