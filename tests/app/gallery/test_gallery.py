"""The gallery: templates are found, set by words and presets, and drawn, by mouse and by keys."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from tests.app.conftest import Hand

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_the_gallery_gives_way_and_comes_back(gpt: MainWindow) -> None:
    readings = gpt.docks.group_of("memory")
    assert readings is not None
    assert readings.isVisible()
    QTest.keyClick(gpt.canvas, Qt.Key.Key_N, CONTROL)
    assert gpt.gallery.isVisible()
    assert not readings.isVisible()
    QTest.keyClick(gpt.gallery, Qt.Key.Key_Escape)
    assert gpt.drawing is not None
    assert readings.isVisible()


def test_gallery_refuses_what_will_not_do(window: MainWindow, hand: Hand) -> None:
    gallery = window.gallery
    gallery.choose("unet")
    field = gallery.setup.fields["depth"]
    field.selectAll()
    QTest.keyClicks(field, "99")
    hand.click(gallery.setup.button)
    assert window.drawing is None
    assert gallery.setup.fault.text() == "depth must be from 1 to 7."
    field.selectAll()
    QTest.keyClicks(field, "2")
    hand.click(gallery.setup.button)
    assert window.drawing is not None
    assert "encoder_2" in window.session.document.top
    assert "encoder_3" not in window.session.document.top


def test_presets_fill_the_fields(window: MainWindow, hand: Hand) -> None:
    gallery = window.gallery
    gallery.choose("gpt")
    tiny = next(b for b in gallery.setup.findChildren(QAbstractButton) if b.property("preset") == "tiny")
    hand.click(tiny)
    assert gallery.setup.fields["layers"].text() == "3"
    assert gallery.setup.values()["dim"] == 64
    assert tiny.isChecked()


def test_a_choice_decides_what_is_drawn(window: MainWindow, hand: Hand) -> None:
    gallery = window.gallery
    gallery.choose("mlp")
    field = gallery.setup.fields["activation"]
    assert field.currentText() == "relu"
    field.setCurrentText("tanh")
    assert gallery.setup.values() == {"activation": "tanh"}
    hand.click(gallery.setup.button)
    assert window.session.document.top.node("activation").block == "Tanh"
    assert window.session.document.template["activation"] == "tanh"


def test_presets_stand_in_as_many_rows_as_they_need(window: MainWindow) -> None:
    setup = window.gallery.setup
    for name in ("qwen", "gpt"):
        window.gallery.choose(name)
        QApplication.processEvents()
        chips = [b for b in setup.findChildren(QAbstractButton) if b.property("preset") and b.isVisible()]
        template = window.gallery.chosen
        assert template is not None and template.template is not None
        assert [chip.property("preset") for chip in chips] == list(template.template.presets)
        assert all(chip.width() >= chip.sizeHint().width() for chip in chips)
        assert all(chip.geometry().right() < setup.width() for chip in chips)
        assert len({chip.y() for chip in chips}) == (2 if name == "qwen" else 1)


def test_architectures_are_found_by_their_names(window: MainWindow, hand: Hand) -> None:
    gallery = window.gallery
    hand.click(gallery.filter)
    QTest.keyClicks(gallery.filter, "pixel")
    shown = [card.name for card in gallery.cards if card.isVisible()]
    assert shown[0] == "pixelcnn"
    assert "gpt" not in shown
    assert gallery.chosen is not None and gallery.chosen.name in shown
    QTest.keyClick(gallery.filter, Qt.Key.Key_Return)
    assert gallery.chosen.hasFocus()
    gallery.filter.setText("no such thing at all")
    assert not [card for card in gallery.cards if card.isVisible()]
    gallery.filter.clear()
    assert all(card.isVisible() for card in gallery.cards)


def test_the_button_that_draws_is_always_in_sight(window: MainWindow) -> None:
    """However many variables an architecture has, and however low the window is."""
    window.resize(1200, 720)
    for card in window.gallery.cards:
        window.gallery.choose(card.name)
        QApplication.processEvents()
        button = window.gallery.setup.button
        assert button.visibleRegion().boundingRect() == button.rect(), card.name


def test_gallery_by_keys_alone(window: MainWindow) -> None:
    card = next(card for card in window.gallery.cards if card.name == "")
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert window.drawing is not None
    assert not window.session.document.top.nodes


def test_nothing_holds_the_window_while_templates_are_drawn(window: MainWindow) -> None:
    for name in ("gpt", "unet", "diffusion_unet"):
        window.filing.new_from_template(name, {})
        QApplication.processEvents()
        started = time.perf_counter()
        window.session.select(list(window.session.document.top.nodes)[:1])
        window.watch.refresh()
        assert time.perf_counter() - started < 0.25, name
