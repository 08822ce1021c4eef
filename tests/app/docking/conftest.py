"""The window with a drawing in it, all panels in their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from app.main_window import MainWindow

GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


@pytest.fixture
def drawn(window: MainWindow) -> MainWindow:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    return window
