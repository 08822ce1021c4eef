"""Every control of the window and of every dialog has a name for screen readers and can be reached by keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from app.callout import Callout
from graph.commands import SetParam

if TYPE_CHECKING:
    from app.main_window import MainWindow

KINDS = (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox, QAbstractItemView, QTabBar, QAbstractSlider)
PLAIN = (QScrollBar, QComboBox, QMenu)
GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


def controls(parent: QWidget) -> Iterator[QWidget]:
    """Everything one can do something with; Qt's own parts of a control do not count."""
    for widget in parent.findChildren(QWidget):
        if isinstance(widget, KINDS) and not isinstance(widget, QScrollBar) and widget.isVisible():
            above = widget.parentWidget()
            is_part = isinstance(above, PLAIN) or widget.objectName().startswith("qt_")
            if not is_part and not isinstance(above, QComboBox) and widget.window() is parent.window():
                yield widget


def name_of(widget: QWidget) -> str:
    """What a screen reader says."""
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    return interface.text(QAccessible.Text.Name).strip()


def check(parent: QWidget) -> None:
    found = list(controls(parent))
    assert found
    nameless = [
        f"{type(w).__name__} {w.objectName()} in {type(w.parentWidget()).__name__}" for w in found if not name_of(w)
    ]
    assert nameless == []
    names = [name_of(w) for w in found if not isinstance(w, QAbstractItemView)]
    assert all(len(name) < 200 for name in names)
    lists = (QAbstractItemView, QTabBar)
    exclusive = [w for w in found if isinstance(w, QAbstractButton) and w.isCheckable() and w.autoExclusive()]
    for parent_of in {w.parentWidget() for w in exclusive}:  # one of them is reached by Tab, the others by arrows
        assert any(w.focusPolicy() & Qt.FocusPolicy.TabFocus for w in exclusive if w.parentWidget() is parent_of)
    unreachable = [
        f"{type(w).__name__} {name_of(w)}"
        for w in found
        if w.isEnabled()
        and not w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and w.focusProxy() is None
        and w.property("role") != "icon"
        and w not in exclusive
        and not (isinstance(w, lists) and w.parentWidget().findChild(QLineEdit) is not None)
    ]
    assert unreachable == []


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    window.filing.new_from_template("gpt", GPT)
    window.session.do(SetParam(("decoder",), "attn", "dim", 48))
    QApplication.processEvents()
    return window


def test_the_window_with_a_drawing(gpt: MainWindow) -> None:
    check(gpt)
    for panel in gpt.docks.panels:
        gpt.docks.reveal(panel.name)
        QApplication.processEvents()
        check(gpt)
    for path in ((), ("decoder", "attn"), ("tokens",), ("decoder",)):
        gpt.session.show(path) if path else gpt.session.select(())
        QApplication.processEvents()
        check(gpt)


def test_the_window_with_the_gallery(window: MainWindow) -> None:
    check(window)
    window.tour.start()
    check(window)
    callout = window.findChild(Callout)
    assert name_of(callout).startswith("Pick an architecture")


def test_the_canvas_and_the_outline_speak(gpt: MainWindow) -> None:
    canvas = QAccessible.queryAccessibleInterface(gpt.canvas)
    assert canvas.text(QAccessible.Text.Name) == "Canvas"
    gpt.session.show(("decoder", "attn"))
    QApplication.processEvents()
    assert "Multi-head attention" in canvas.text(QAccessible.Text.Description)
    outline = next(panel for panel in gpt.docks.panels if panel.name == "outline")
    tree = QAccessible.queryAccessibleInterface(outline.tree)
    assert tree.role() in (QAccessible.Role.Tree, QAccessible.Role.List, QAccessible.Role.Table)
    assert tree.childCount() >= len(gpt.session.document.top.nodes)


@pytest.mark.parametrize("action", ["preferences", "keys", "about", "export_onnx", "export_pytorch"])
def test_every_dialog(window: MainWindow, action: str) -> None:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    window.commands.refresh()
    window.commands[action].trigger()
    QApplication.processEvents()
    dialog = next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
    assert dialog.windowTitle() or isinstance(dialog, QMessageBox)
    check(dialog)
    dialog.reject()


def test_search_and_messages(gpt: MainWindow) -> None:
    gpt.finder.commands()
    check(gpt)
    gpt.finder.popup.close_search()
    gpt.banners.say("Something to know.", ("Do it", lambda: None))
    check(gpt)
