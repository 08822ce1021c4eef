"""Looking into a matrix with real wheel, drag, double click and keys."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pyqtgraph
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from app import theme
from app.widgets.cell_labels import paint_columns, width
from app.widgets.colours import sequential
from app.widgets.heat_map import HeatMap, Matrix
from app.widgets.menu import plain
from app.widgets.plots import cover, lookup


@pytest.fixture
def heat(qtbot):
    theme.apply("dark")
    made = HeatMap("map")
    qtbot.addWidget(made)
    made.resize(330, 330)
    made.show()
    qtbot.waitExposed(made)
    pixels = np.zeros((40, 40), np.uint8)
    pixels[20, 10] = 255
    made.show_matrix(Matrix(pixels, sequential(), rows=[f"r{n}" for n in range(40)], columns=["x"] * 40))
    return made


def turn(heat, at, notches):
    """Turn the wheel over a place."""
    for _ in range(abs(notches)):
        where = heat.viewport().mapToGlobal(QPointF(at))
        angle = QPoint(0, 120 if notches > 0 else -120)
        none = Qt.MouseButton.NoButton
        event = QWheelEvent(
            QPointF(at), where, QPoint(), angle, none, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(heat.viewport(), event)


def drag(qtbot, heat, start, end):
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(heat.viewport(), left, pos=start)
    for step in (0.2, 0.6, 1.0):
        at = QPointF((QPointF(start) + QPointF(end - start) * step).toPoint())
        QApplication.sendEvent(
            heat.viewport(),
            QMouseEvent(
                QEvent.Type.MouseMove, at, heat.viewport().mapToGlobal(at), Qt.MouseButton.NoButton,
                left, Qt.KeyboardModifier.NoModifier,
            ),
        )  # fmt: skip
    qtbot.mouseRelease(heat.viewport(), left, pos=end)


def colour_at(heat, at):
    image = heat.grab().toImage()
    return image.pixelColor(at * image.devicePixelRatio()).name()


def test_pyqtgraph_is_set_up_as_the_pictures_need_it():
    assert pyqtgraph.getConfigOption("imageAxisOrder") == "row-major"
    assert not pyqtgraph.getConfigOption("useOpenGL") and not pyqtgraph.getConfigOption("antialias")


@pytest.mark.parametrize("width", [330, 700])
def test_the_wheel_zooms_at_the_pointer(heat, width):
    heat.resize(width, 330)
    at = heat.center_of(20, 10)
    before = heat.area
    turn(heat, at, 3)
    assert heat.cell == (20, 10)
    moved = heat.center_of(20, 10) - at
    assert moved.manhattanLength() <= 6  # a cell has become larger about the pointer
    assert heat.area.width() == pytest.approx(before.width() * 1.02**45, rel=1e-3)
    assert colour_at(heat, heat.center_of(20, 10) + QPoint(4, 4)) == theme.RAMP[-1]


def test_it_never_shows_less_than_four_cells_or_more_than_all(heat):
    whole = heat.area
    turn(heat, heat.center_of(20, 10), 40)
    cells = heat.room.height() / (heat.area.height() / 40)
    assert cells == pytest.approx(4, abs=0.3)
    turn(heat, heat.center_of(20, 10), -60)
    assert heat.area == whole and not heat.sight.is_zoomed


def test_dragging_pans_up_to_the_edge(heat, qtbot):
    chosen = []
    heat.chosen.connect(lambda *cell: chosen.append(cell))
    middle = heat.room.center().toPoint()
    turn(heat, middle, 4)
    before = heat.area
    drag(qtbot, heat, middle, middle + QPoint(30, 20))
    moved = heat.area.topLeft() - before.topLeft()
    assert (moved.x(), moved.y()) == pytest.approx((30, 20))
    drag(qtbot, heat, middle - QPoint(100, 100), middle + QPoint(2000, 2000))
    assert heat.area.left() == pytest.approx(heat.room.left())
    assert heat.area.top() == pytest.approx(heat.room.top())
    drag(qtbot, heat, middle, middle - QPoint(4000, 4000))
    assert heat.sight.viewRect().bottomRight() == heat.sight.whole.bottomRight()
    assert chosen == []  # a drag is no click


def test_without_zoom_there_is_nowhere_to_pan(heat, qtbot):
    before = heat.area
    drag(qtbot, heat, heat.center_of(20, 20), heat.center_of(10, 10))
    assert heat.area == before


def test_a_double_click_shows_everything(heat, qtbot):
    whole = heat.area
    turn(heat, heat.center_of(20, 10), 4)
    at = heat.room.center().toPoint()
    qtbot.mouseClick(heat.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(heat.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseRelease(heat.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heat.area == whole


def test_keys_zoom_and_bring_the_cell_into_sight(heat, qtbot):
    heat.setFocus()
    for _ in range(5):
        qtbot.keyClick(heat, Qt.Key.Key_Plus)
    assert heat.sight.zoom[0] == pytest.approx(0.75**-5)
    for _ in range(60):
        qtbot.keyClick(heat, Qt.Key.Key_Right)
        qtbot.keyClick(heat, Qt.Key.Key_Down)
    assert heat.cell == (39, 39)
    assert heat.room.contains(QPointF(heat.center_of(39, 39)))
    qtbot.keyClick(heat, Qt.Key.Key_Minus)
    assert heat.sight.zoom[0] == pytest.approx(0.75**-4)
    qtbot.keyClick(heat, Qt.Key.Key_0)
    assert not heat.sight.is_zoomed


def test_the_zoom_stays_with_the_shape(heat):
    turn(heat, heat.center_of(20, 10), 4)
    seen = heat.sight.viewRect()
    heat.show_matrix(Matrix(np.ones((40, 40), np.uint8), sequential(), rows=["r00"] * 40, columns=["x"] * 40))
    assert heat.sight.viewRect().center().x() == pytest.approx(seen.center().x(), abs=0.5)
    assert heat.sight.is_zoomed
    heat.resize(300, 420)
    assert heat.sight.zoom == pytest.approx((1.02**60, 1.02**60), rel=1e-3)
    heat.show_matrix(Matrix(np.ones((40, 41), np.uint8), sequential()))
    assert not heat.sight.is_zoomed


def test_cells_that_fill_the_room_zoom_in_each_direction_as_far_as_there_is_something(heat):
    heat.show_matrix(Matrix(np.zeros((4, 400), np.uint8), sequential(), square=False))
    turn(heat, heat.center_of(1, 200), 40)
    assert heat.sight.zoom == pytest.approx((100.0, 1.0))


def test_the_menu_zooms_and_copies(heat, qtbot):
    def ask():
        at = heat.center_of(20, 10)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, heat.viewport().mapToGlobal(at))
        QApplication.sendEvent(heat.viewport(), event)
        menu = heat.findChildren(QMenu)[-1]
        return {plain(action.text()).partition("\t")[0]: action for action in menu.actions()}, menu

    actions, menu = ask()
    assert not actions["Show everything"].isEnabled()
    actions["Zoom in"].trigger()
    menu.close()
    assert heat.sight.is_zoomed
    actions, menu = ask()
    actions["Copy the picture"].trigger()
    assert QGuiApplication.clipboard().image().size() == heat.grab().size()
    actions["Show everything"].trigger()
    menu.close()
    assert not heat.sight.is_zoomed
    qtbot.waitUntil(lambda: not heat.findChildren(QMenu))


def test_the_tooltip_is_the_widgets(heat):
    heat.setToolTip("a → b: 0.5")
    at = heat.center_of(1, 1)
    QApplication.sendEvent(heat.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, heat.viewport().mapToGlobal(at)))
    assert QToolTip.text() == "a → b: 0.5"
    QToolTip.hideText()


def test_a_lone_bad_cell_shows_where_pixels_are_larger_than_cells(heat):
    bad = np.zeros((900, 900), bool)
    bad[450, 450] = True
    heat.show_matrix(Matrix(np.zeros((900, 900), np.uint8), sequential(), bad))
    at = heat.center_of(450, 450)
    image = heat.grab().toImage()
    near = [image.pixelColor(at + QPoint(x, y)) for x in range(-2, 3) for y in range(-2, 3)]
    assert max(colour.red() for colour in near) > QColor(theme.RAMP[0]).red() + 60


def test_words_stand_in_for_a_picture(heat):
    heat.show_matrix(None, "Run again to see it.")
    assert heat.words == "Run again to see it."
    assert heat.area == QRectF() and heat.grab().toImage().pixelColor(20, 20) != QColor(theme.RAMP[0])
    turn(heat, QPoint(50, 50), 1)


def test_the_theme_is_followed(heat):
    heat.show_matrix(Matrix(np.zeros((4, 4), np.uint8), sequential(), blank=np.ones((4, 4), bool)))
    theme.apply("light")
    heat.show_matrix(heat.matrix)
    assert colour_at(heat, heat.center_of(1, 1)) == theme.LIGHT.panel
    theme.apply("dark")


def test_nothing_of_it_stays(qtbot):
    heat = HeatMap("map")
    heat.resize(200, 200)
    heat.show_matrix(Matrix(np.zeros((4, 4), np.uint8), sequential()))
    heat.show()
    qtbot.waitExposed(heat)
    heat.close()
    left = [weakref.ref(heat), weakref.ref(heat.sight)]
    heat.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del heat
    gc.collect()
    assert [reference() for reference in left] == [None, None]


def test_tables_for_pyqtgraph():
    table = lookup(sequential())
    assert table.shape == (256, 4) and table.dtype == np.uint8
    assert tuple(table[0]) == QColor(theme.RAMP[0]).getRgb()
    assert list(cover("#ff0000", any_part=True)[:2, 3]) == [0, 255]
    assert list(cover("#ff0000", any_part=False)[:2, 3]) == [0, 1]


def test_no_labels_take_no_room():
    assert width(()) == 0
    paint_columns(None, (), QRectF(), QRectF(), -1)  # paints nothing, so it needs no painter
