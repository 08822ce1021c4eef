"""A screen of 800 × 500: the window is no wider, nothing is cut off without a way to it, and every dialog fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QScrollArea, QToolButton, QWidget

from app.dialogs.export import ExportDialog
from app.dialogs.library import BlockDialog
from app.faults import Faults

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import Hand

SCREEN = QSize(800, 500)
INSIDE = QSize(800, 460)
"""What a title bar leaves of the screen."""
LONG = "A drawing with a title that is longer than anybody would want it to be"


@pytest.fixture
def small(gpt: MainWindow) -> MainWindow:
    """A window with a small GPT on such a screen, with the panels as they are at first."""
    gpt.resize(INSIDE)
    gpt.commands["reset_panels"].trigger()
    settle()
    assert gpt.size() == INSIDE, "it cannot be made so small"
    return gpt


@pytest.fixture
def small_screen(monkeypatch: pytest.MonkeyPatch) -> QRect:
    """Dialogs take the screen for such a one."""
    room = QRect(8, 32, SCREEN.width() - 16, SCREEN.height() - 40)
    monkeypatch.setattr("app.widgets.dialog.room_beside", lambda _window: room)
    return room


def settle() -> None:
    for _ in range(6):
        QApplication.processEvents()


def place(widget: QWidget, within: QWidget) -> QRect:
    return QRect(widget.mapTo(within, QPoint()), widget.size())


def fits(size: QSize, into: QSize = SCREEN) -> bool:
    return size.width() <= into.width() and size.height() <= into.height()


def test_whatever_it_says_the_window_may_be_as_small_as_the_screen(gpt: MainWindow) -> None:
    gpt.status.show_engine("running", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "bfloat16")
    gpt.status.show_weight({"parameters": 124_439_808, "memory": {"peak": 1e9, "kv_cache": 1e6}}, [LONG, LONG])
    gpt.status.show_problems(12, 34)
    gpt.status.show_last(LONG)
    gpt.top_bar.title.show_title(LONG, True)
    settle()
    assert fits(gpt.minimumSizeHint())
    gpt.filing.new_empty()
    gpt.filing.new_empty()
    for name in gpt.docks.layout.names:  # one beside the other
        gpt.docks.layout.put_beside([name], gpt.docks.layout.root, "right")
    gpt.docks._arrange()
    settle()
    assert fits(gpt.minimumSizeHint())
    gpt.show_gallery()
    settle()
    assert fits(gpt.minimumSizeHint())


def test_the_bar_keeps_everything_in_reach(small: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    bar = small.top_bar
    bar.title.show_title(LONG, True)
    settle()
    parts = [bar.title, bar.menus, bar.search, bar.run, bar.export]
    rects = [place(part, bar) for part in parts]
    assert all(bar.rect().contains(rect) for rect in rects)
    assert all(before.right() < after.left() for before, after in zip(rects, rects[1:], strict=False))
    assert not bar.name.isVisible(), "the name of the program is the least that is needed"
    assert bar.menus.width() >= bar.menus.sizeHint().width(), "every menu has room"
    assert bar.search.accessibleName() == "Search or run a command"
    hand.click(bar.search)
    qtbot.waitUntil(small.finder.popup.isVisible)
    small.finder.popup.close_search()
    small.resize(1440, 900)
    bar.title.show_title("gpt", False)
    qtbot.waitUntil(lambda: bar.name.isVisible() and bar.search.text() == "Search or run a command")
    assert bar.keys.isVisible()


def test_menus_without_room_are_listed_by_a_button(small: MainWindow, qtbot: QtBot) -> None:
    small.resize(small.minimumSizeHint())
    bar = small.top_bar
    rest = bar.menus.findChild(QToolButton, "qt_menubar_ext_button")
    qtbot.waitUntil(rest.isVisible)
    assert bar.menus.rect().contains(rest.geometry())
    assert [action.text() for action in rest.menu().actions()] == ["&Help"]
    assert not rest.icon().isNull()


def test_the_status_bar_ends_in_an_ellipsis_and_its_tooltip_is_the_whole(small: MainWindow) -> None:
    status = small.status
    status.show_last("Last run 12 ms")
    status.show_weight(None, [LONG, LONG])
    status.show_problems(1, 0)
    settle()
    status.grab()
    assert LONG in status.weight.toolTip()
    assert status.weight.width() < status.weight.fontMetrics().horizontalAdvance(status.weight.text())
    for part in (status.engine, status.problems, status.last):
        assert part.width() >= part.sizeHint().width(), "only what the drawing weighs gives way"
        assert small.rect().contains(place(part, small))


def test_panels_leave_room_for_the_canvas_and_the_names_of_tabs(small: MainWindow) -> None:
    canvas = small.canvas
    assert canvas is not None
    assert canvas.width() >= 360
    assert canvas.height() >= 200
    group = small.docks.group_of("palette")
    assert group is not None
    assert group.names == ["palette", "outline"], "one above the other, both would be too low"
    bar = group.bar
    assert all(bar.rect().contains(bar.tabRect(index)) for index in range(bar.count()))
    assert not group.header.cross.sizePolicy().retainSizeWhenHidden()
    small.docks.stretch("palette", 60, upright=False)
    settle()
    assert group.header.cross.sizePolicy().retainSizeWhenHidden(), "with room, the buttons have their place"


def test_the_gallery_draws_on_a_small_screen(small: MainWindow, hand: Hand) -> None:
    gallery = small.gallery
    small.show_gallery()
    settle()
    widgets = [gallery.filter, gallery._back, gallery._empty, gallery._open, gallery.setup, *gallery.cards[:1]]
    rects = [place(widget, gallery) for widget in widgets]
    assert all(rect.left() >= 0 and rect.right() < gallery.width() for rect in rects)
    assert not any(one.intersects(other) for one in rects[:4] for other in rects[:4] if one is not other)
    assert not rects[4].intersects(rects[5]), "a card lies under the variables"
    assert gallery.rect().contains(place(gallery.setup.button, gallery))
    gallery.choose("unet")
    settle()
    before = small.drawing
    hand.click(gallery.setup.button)
    assert small.drawing is not before
    assert "unet" in small.session.title


def test_a_gallery_that_has_no_room_at_all_scrolls(small: MainWindow) -> None:
    gallery = small.gallery
    small.show_gallery()
    small.resize(small.minimumSizeHint())
    settle()
    whole = gallery.findChild(QScrollArea)
    for widget in (gallery.setup.button, gallery._open, gallery.filter):
        whole.ensureWidgetVisible(widget)
        settle()
        assert gallery.rect().contains(place(widget, gallery))


def open_action(action: str) -> Callable[[MainWindow], QDialog]:
    def show(window: MainWindow) -> QDialog:
        window.commands.refresh()
        window.commands[action].trigger()
        return window.findChild(QDialog)

    return show


def exported(window: MainWindow) -> QDialog:
    """An export that has much to say."""
    dialog = ExportDialog(window, "onnx")
    dialog.open()
    dialog._request = 1
    sizes = [{"batch": size, "sequence": size, "height": size, "width": size} for size in range(1, 20)]
    dialog._done({"path": str(Path(*[LONG] * 6)), "sizes_checked": sizes, "warnings": [LONG] * 9, "opset": 23})
    return dialog


def own_block(window: MainWindow) -> QDialog:
    dialog = BlockDialog(window.library, "Save to My blocks", LONG, LONG * 3, window)
    dialog.open()
    return dialog


def fault(window: MainWindow) -> QDialog:
    faults = Faults(window)
    faults.stop()
    faults._show("Traceback\n" * 200)
    return window.findChild(QDialog)


DIALOGS: dict[str, Callable[[MainWindow], QDialog]] = {
    "preferences": open_action("preferences"), "keys": open_action("keys"), "about": open_action("about"),
    "export-onnx": open_action("export_onnx"), "export-pytorch": open_action("export_pytorch"),
    "exported": exported, "own-block": own_block, "fault": fault,
}  # fmt: skip


@pytest.mark.parametrize("name", DIALOGS)
def test_every_dialog_fits(name: str, small: MainWindow, small_screen: QRect, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: small.watch.why_not() == "")
    dialog = DIALOGS[name](small)
    qtbot.waitUntil(dialog.isVisible)
    settle()
    assert fits(dialog.size(), small_screen.size())
    assert fits(dialog.minimumSizeHint(), small_screen.size())
    buttons = [button for button in dialog.findChildren(QPushButton) if button.isVisible()]
    assert buttons
    for button in buttons:
        scroll = _scroll_of(button, dialog)
        if scroll is not None:
            scroll.ensureWidgetVisible(button)
            settle()
        assert dialog.rect().contains(place(button, dialog)), f"{button.text()} is out of reach"
    for area in dialog.findChildren(QScrollArea):
        if area.isVisible():
            assert area.widget().width() <= area.viewport().width(), "nothing is cut off at the right"
    dialog.reject()
    dialog.deleteLater()


def _scroll_of(widget: QWidget, dialog: QDialog) -> QScrollArea | None:
    parent: QWidget | None = widget
    while parent is not None and parent is not dialog:
        parent = parent.parentWidget()
        if isinstance(parent, QScrollArea):
            return parent
    return None


def test_what_a_dialog_has_no_room_for_scrolls(
    small: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, hand: Hand
) -> None:
    monkeypatch.setattr("app.widgets.dialog.room_beside", lambda _window: QRect(0, 0, 600, 240))
    dialog = open_action("preferences")(small)
    qtbot.waitUntil(dialog.isVisible)
    settle()
    assert dialog.height() == 240
    area = dialog.findChild(QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    close = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Close")
    assert dialog.rect().contains(place(close, dialog))
    hand.click(close)
    assert not dialog.isVisible()


def test_a_dialog_takes_the_height_of_its_contents(small: MainWindow, qtbot: QtBot) -> None:
    dialog = open_action("preferences")(small)
    qtbot.waitUntil(dialog.isVisible)
    settle()
    area = dialog.findChild(QScrollArea)
    assert area.verticalScrollBar().maximum() == 0
    assert area.viewport().height() - area.widget().sizeHint().height() < 8, "no empty room either"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_layout_of_a_large_screen_is_shared_out_on_a_small_one(
    open_window: Callable[..., MainWindow], engine: object, quit_quietly: Callable[[MainWindow], None]
) -> None:
    first = open_window(engine=engine)
    first.commands["reset_panels"].trigger()
    quit_quietly(first)
    second = open_window(engine=engine, size=INSIDE)
    second.filing.new_empty()
    settle()
    assert second.size() == INSIDE
    canvas = second.canvas
    assert canvas is not None
    assert canvas.width() >= 360, "palette and properties take the pixels that they had on the large one"
    assert canvas.height() >= 200
    quit_quietly(second)
    third = open_window(engine=engine)
    third.filing.new_empty()
    settle()
    widths = [third.docks.area.rects[third.docks.layout.home(name)].width() for name in ("palette", "properties")]
    assert widths == [216, 316], "on the large one, all is as it was"
