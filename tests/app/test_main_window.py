"""The window as a whole: start, actions, search, themes, what it remembers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget

from app import theme
from app.actions import ACTIONS, MENUS
from graph.templates import all_templates

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    """A window with a small GPT on the canvas."""
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    QApplication.processEvents()
    return window


def test_it_is_shown_before_anything_is_loaded(
    open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot
) -> None:
    window = open_window(engine=engine, wait=False)
    assert not window.is_ready
    assert window.isVisible()
    assert len(window.gallery.cards) == len(all_templates()) + 1
    assert window.block_palette.model.row_of("block", "Linear") > 0
    qtbot.waitUntil(lambda: window.is_ready, timeout=20_000)


def test_a_wish_before_it_is_ready_is_granted_after(
    open_window: Callable[..., MainWindow], engine: Engine, hand: Hand, qtbot: QtBot
) -> None:
    window = open_window(engine=engine, wait=False)
    window.gallery.choose("unet")
    hand.click(window.gallery.setup.button)
    qtbot.waitUntil(lambda: window.drawing is not None, timeout=20_000)
    assert window.session.document.title == "unet"


def test_without_a_cache_the_palette_fills_a_moment_later(
    open_window: Callable[..., MainWindow], remembered: Path, engine: Engine, qtbot: QtBot
) -> None:
    (remembered / "cache" / "catalogue.json").write_text("{ damaged")
    window = open_window(engine=engine, wait=False)
    assert "Reading" in window.block_palette.note.text()
    qtbot.waitUntil(lambda: window.is_ready, timeout=20_000)
    assert window.block_palette.model.row_of("block", "Linear") > 0
    assert len(window.gallery.cards) == len(all_templates()) + 1


def test_ids_and_keys_of_the_actions_are_unique() -> None:
    ids = [action.id for action in ACTIONS]
    assert len(ids) == len(set(ids))
    keys = [QKeySequence(keys).toString() for action in ACTIONS for keys in action.shortcuts]
    assert all(keys)
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)
    assert {action.menu for action in ACTIONS} == {*MENUS, ""}, "'' is what only keys and the search know"


def test_every_action_knows_when_it_can_be_done(window: MainWindow, gpt: MainWindow) -> None:
    window.show_gallery()
    for action in ACTIONS:
        assert action.enabled(window) in (True, False)
    assert not window.commands["run"].isEnabled()
    window.show_session(window.session)
    window.commands.refresh()
    assert window.commands["run"].isEnabled()
    assert not window.commands["copy"].isEnabled()
    window.session.select(["head"])
    window.commands.refresh()
    assert window.commands["copy"].isEnabled()


def test_undo_says_what_it_undoes(gpt: MainWindow) -> None:
    canvas = gpt.canvas
    gpt.session.select(["head"])
    canvas.setFocus()
    QApplication.processEvents()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert "head" not in gpt.session.document.top
    QApplication.processEvents()
    assert gpt.commands["undo"].text() == "Undo Delete head"
    assert gpt.top_bar.title.accessibleDescription() == "gpt, not saved"
    QTest.keyClick(canvas, Qt.Key.Key_Z, CONTROL)
    assert "head" in gpt.session.document.top
    QApplication.processEvents()
    assert gpt.commands["redo"].text() == "Redo Delete head"
    QTest.keyClick(canvas, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert "head" not in gpt.session.document.top


def test_keys_of_the_canvas_leave_fields_alone(gpt: MainWindow) -> None:
    gpt.session.select(["head"])
    gpt.focus_palette()
    QTest.keyClicks(gpt.block_palette.field, "f")
    QTest.keyClick(gpt.block_palette.field, Qt.Key.Key_A, CONTROL)
    QTest.keyClick(gpt.block_palette.field, Qt.Key.Key_Delete)
    QTest.keyClick(gpt.block_palette.field, Qt.Key.Key_Delete)
    assert gpt.block_palette.field.text() == ""
    assert "head" in gpt.session.document.top
    assert gpt.session.selection == {"head"}


def test_copy_paste_group_and_leave_by_keys(gpt: MainWindow) -> None:
    canvas, session = gpt.canvas, gpt.session
    canvas.setFocus()
    session.select(["final_norm", "head"])
    QApplication.processEvents()
    QTest.keyClick(canvas, Qt.Key.Key_C, CONTROL)
    QTest.keyClick(canvas, Qt.Key.Key_V, CONTROL)
    assert {"final_norm_2", "head_2"} <= set(session.document.top.nodes)
    QApplication.processEvents()
    QTest.keyClick(canvas, Qt.Key.Key_G, CONTROL)
    assert session.focus is not None and session.document.node(session.focus).is_group
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert len(session.at) == 1
    QApplication.processEvents()
    gpt.commands["leave"].trigger()
    assert session.at == ()


def test_a_command_is_found_and_run_by_keys(gpt: MainWindow) -> None:
    popup = gpt.finder.popup
    QTest.keyClick(gpt.canvas, Qt.Key.Key_P, CONTROL | SHIFT)
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "decoder")
    assert "Decoder layer" in [entry.title for entry in popup.model.entries]
    popup.field.selectAll()
    QTest.keyClicks(popup.field, "select all")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert gpt.session.selection == set(gpt.session.document.top.nodes)


def test_menus_open_by_a_key(gpt: MainWindow) -> None:
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F10)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    assert gpt.commands["new"] in menu.actions()
    QTest.keyClick(menu, Qt.Key.Key_Right)
    assert gpt.commands["undo"] in QApplication.activePopupWidget().actions()
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    QTest.keyClick(gpt.top_bar.menus, Qt.Key.Key_Escape)


def test_a_node_is_found_and_shown(gpt: MainWindow, hand: Hand) -> None:
    hand.click(gpt.top_bar.search)
    popup = gpt.finder.popup
    QTest.keyClicks(popup.field, "attn")
    place = next(row for row, entry in enumerate(popup.model.entries) if entry.name == "decoder/attn")
    hand.click(popup.list.viewport(), popup.list.visualRect(popup.model.index(place)).center())
    assert gpt.session.at == ("decoder",)
    assert gpt.session.selection == {"attn"}


def test_tab_finds_a_block_at_the_pointer(gpt: MainWindow) -> None:
    canvas, popup = gpt.canvas, gpt.finder.popup
    QTest.mouseMove(canvas, QPoint(300, 400))
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "gel")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert gpt.session.selection == {"gelu"}
    bounds = canvas.geometry_of.bounds(["gelu"])
    middle = canvas.map_from_scene(QPointF((bounds[0] + bounds[2]) / 2, bounds[1] + 16))
    assert abs(middle.x() - 300) < 8
    assert abs(middle.y() - 400) < 8
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    assert popup.model.entries[1].name == "GELU", "what was used last comes first"
    QTest.keyClick(popup.field, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert canvas.hasFocus()


def test_a_click_elsewhere_leaves_the_search(gpt: MainWindow, hand: Hand) -> None:
    QTest.keyClick(gpt.canvas, Qt.Key.Key_Tab)
    assert gpt.finder.popup.isVisible()
    hand.click(gpt.canvas, QPoint(30, 300))
    assert not gpt.finder.popup.isVisible()


def test_a_dropped_wire_offers_what_fits_and_wires_it(gpt: MainWindow, hand: Hand) -> None:
    canvas, session, popup = gpt.canvas, gpt.session, gpt.finder.popup
    start = hand.port(canvas, "tokens", "tokens", is_input=False)
    before = len(session.history.done)
    hand.drag(canvas, start, start + QPoint(40, 130))
    assert popup.isVisible()
    offered = [entry.name for entry in popup.model.entries]
    assert offered[0] == "Embedding"
    assert not {"Linear", "Conv2d", "LayerNorm"} & set(offered)
    assert "batch" in popup.note.text()
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert len(session.history.done) == before + 1
    (wire,) = session.document.top.incoming("embedding")
    assert wire.source == "tokens"
    session.undo()
    assert "embedding" not in session.document.top


def test_features_offer_features_and_no_pictures(gpt: MainWindow, hand: Hand) -> None:
    from app.fitting import feeders, fits

    offered = [name for name, _ in fits(gpt.session, "token_embedding", gpt_output(gpt, "token_embedding"))]
    assert {"Linear", "LayerNorm", "MultiHeadAttention", "FeedForward"} <= set(offered)
    assert not {"Conv2d", "Embedding", "MaxPool2d", "TokenInput"} & set(offered)
    behind = [name for name, _ in feeders(gpt.session, "token_embedding", "tokens")]
    assert behind[0] == "TokenInput"


def gpt_output(window: MainWindow, node: str) -> str:
    return next(iter(window.session.report.node((node,)).output_ports))


def test_f8_goes_round_the_problems(gpt: MainWindow) -> None:
    from graph.commands import SetParam

    session = gpt.session
    session.do(SetParam(("decoder",), "attn", "num_heads", 7))
    session.do(SetParam((), "head", "out_features", 0))
    QApplication.processEvents()
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F8)
    first = session.focus
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F8)
    second = session.focus
    assert {first, second} == {("decoder", "attn"), ("head",)}
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F8)
    assert session.focus == first
    QApplication.processEvents()
    assert gpt.status.problems.text() == f"{len(session.report.issues)} problems"


def test_a_refused_edit_is_one_sentence_that_goes(gpt: MainWindow, hand: Hand) -> None:
    gpt.session.refuse("this wire would close a circle")
    (banner,) = gpt.banners.shown
    assert banner.text == "This wire would close a circle."
    assert banner.isVisible()
    assert QApplication.activeModalWidget() is None
    gpt.session.refuse("this wire would close a circle")
    assert len(gpt.banners.shown) == 1
    close = next(b for b in gpt.banners.shown[0].findChildren(QAbstractButton) if b.accessibleName() == "Dismiss")
    hand.click(close)
    assert gpt.banners.shown == []


def test_messages_lie_within_the_canvas_one_above_the_other(gpt: MainWindow) -> None:
    for text in ("One.", "Two. " * 40, "Three.", "Four."):
        gpt.banners.say(text, ("Do it", lambda: None))
    assert len(gpt.banners.shown) == 3, "the oldest gives way"
    area = gpt.canvas.rect().translated(gpt.canvas.mapTo(gpt, QPoint(0, 0)))
    frames = [banner.geometry() for banner in gpt.banners.shown]
    assert all(area.contains(frame) for frame in frames)
    assert all(above.bottom() < below.top() for above, below in zip(frames, frames[1:], strict=False))
    gpt.resize(1100, 800)
    QApplication.processEvents()
    area = gpt.canvas.rect().translated(gpt.canvas.mapTo(gpt, QPoint(0, 0)))
    assert all(area.contains(banner.geometry()) for banner in gpt.banners.shown)


def test_themes_change_at_once_and_are_remembered(gpt: MainWindow) -> None:
    try:
        gpt.commands["theme_light"].trigger()
        assert theme.current() is theme.LIGHT
        assert gpt.settings.theme == "light"
        picture = gpt.grab().toImage()
        assert picture.pixelColor(4, 300).lightness() > 200
        gpt.commands.refresh()
        assert gpt.commands["theme_light"].isChecked()
    finally:
        gpt.commands["theme_dark"].trigger()
    assert gpt.grab().toImage().pixelColor(4, 300).lightness() < 80


def test_layout_and_panels_are_remembered(open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot) -> None:
    first = open_window(engine=engine)
    first.filing.new_empty()
    first.commands["palette"].trigger()
    memory = next(panel for panel in first.docks.panels if panel.name == "memory")
    first.docks.readings.toggle(memory)
    first.docks.reveal("problems")
    first.resize(1300, 900)
    first.close()
    second = open_window(engine=engine)
    second.filing.new_empty()
    assert not second.docks.is_shown("palette")
    assert not second.block_palette.isVisible()
    again = next(panel for panel in second.docks.panels if panel.name == "memory")
    assert not second.docks.readings.is_shown(again)
    assert second.docks.readings.tabs.tabText(second.docks.readings.tabs.currentIndex()) == "Problems"
    assert second.docks.reveal("memory") is again
    assert again.isVisible()


def test_the_gallery_gives_way_and_comes_back(gpt: MainWindow) -> None:
    readings = gpt.docks.readings
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


def test_every_control_has_a_name_and_can_be_reached(gpt: MainWindow) -> None:
    gpt.show_gallery()
    nameless = [
        widget
        for widget in gpt.findChildren(QWidget)
        if isinstance(widget, QAbstractButton | QLineEdit)
        and widget.isVisible()
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []
    assert gpt.top_bar.run.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert gpt.block_palette.list.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_nothing_holds_the_window_while_templates_are_drawn(window: MainWindow) -> None:
    for name in ("gpt", "unet", "diffusion_unet"):
        window.filing.new_from_template(name, {})
        QApplication.processEvents()
        started = time.perf_counter()
        window.session.select(list(window.session.document.top.nodes)[:1])
        window.watch.refresh()
        assert time.perf_counter() - started < 0.25, name
