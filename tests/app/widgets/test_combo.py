"""A list to pick one word from: the word is whole, or ends in …."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app import theme
from app.widgets.combo import Combo


def test_a_word_too_long_ends_in_dots(qtbot: QtBot) -> None:
    theme.apply("dark")
    combo = Combo()
    combo.addItems(["Multi-head latent attention  decoder/attn", "none"])
    qtbot.addWidget(combo)
    combo.show()
    qtbot.waitExposed(combo)
    assert combo.shown_text() == combo.currentText()
    whole = combo.grab().toImage()
    combo.resize(140, combo.height())
    assert combo.shown_text().endswith("…")
    assert combo.shown_text()[:5] == "Multi"
    assert combo.grab().toImage() != whole
    combo.setCurrentIndex(1)
    assert combo.shown_text() == "none"
