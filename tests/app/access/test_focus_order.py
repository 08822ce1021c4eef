"""Tab goes through the window as one reads it, whatever was made first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app.access.focus_order import in_order
from app.gallery.card import Card
from graph.commands import SetParam

if TYPE_CHECKING:
    from app.main_window import MainWindow

GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


def walk(start: QWidget, steps: int, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """What has the keyboard after each press of Tab."""
    start.setFocus()
    found = []
    for _ in range(steps):
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, key)
        QApplication.processEvents()
        found.append(QApplication.focusWidget())
    return found


def names(widgets: list[QWidget]) -> list[str]:
    return [widget.accessibleName() for widget in widgets]


def test_the_gallery_goes_from_the_card_through_its_values_to_the_button(window: MainWindow) -> None:
    gallery = window.gallery
    gallery.choose("gpt")
    QApplication.processEvents()
    setup = gallery.setup
    chips = [b for b in setup.findChildren(QPushButton) if b.property("preset")]
    assert gallery.chosen is not None
    reached = walk(gallery.chosen, 1 + len(setup.fields) + 1)
    assert reached[0] in chips and reached[0].isChecked(), "one stop for all presets"
    fields = reached[-len(setup.fields) - 1 : -1]
    assert fields == list(setup.fields.values())
    assert reached[-1] is setup.button
    before = walk(gallery.chosen, 3, Qt.Key.Key_Backtab)
    assert names(before) == ["Open a file", "Empty canvas", "Find an architecture"]
    walk(gallery.filter, 2)
    following = walk(gallery.filter, 3)[-1]
    assert isinstance(following, Card) and following.isChecked()


def test_tab_and_backtab_visit_every_stop_of_the_window(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    assert window.canvas is not None
    window.top_bar.run.setFocus()
    order = in_order(window)
    there = walk(window.top_bar.run, len(order) + 20)
    properties, readings = window.docks.group_of("properties"), window.docks.group_of("memory")
    assert properties is not None and readings is not None
    assert {w for w in order if not properties.isAncestorOf(w)} <= set(there), "which follows the selection"
    assert set(in_order(properties)) <= set(there)
    outline = next(panel for panel in window.docks.panels if panel.name == "outline")
    properties = next(panel for panel in window.docks.panels if panel.name == "properties")
    steps = (window.top_bar.run, window.block_palette.field, outline.tree, window.canvas, in_order(properties)[0])
    order = in_order(window)
    places = [order.index(stop) for stop in steps]
    assert places == sorted(places)
    assert order.index(readings.bar) > order.index(window.canvas)


def test_the_values_of_a_block_come_between_its_title_and_its_name_in_code(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    window.session.do(SetParam(("decoder",), "attn", "dim", 48))
    window.session.show(("decoder", "attn"))
    QApplication.processEvents()
    page = next(panel for panel in window.docks.panels if panel.name == "properties")
    QTest.qWait(50)
    order = [w.accessibleName() or w.objectName() for w in in_order(page)]
    assert order.index("Title") < order.index("dim") < order.index("num_heads") < order.index("Name in code")
