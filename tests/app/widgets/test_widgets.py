from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor

from app import theme
from app.widgets.bars import Bar, Bars
from app.widgets.cell_labels import apart, paint_rows, readable, width
from app.widgets.colours import diverging, picture, sequential, table_for
from app.widgets.figures import Figure, Figures
from app.widgets.head_grid import Atlas, HeadGrid
from app.widgets.heat_map import HeatMap, Matrix
from app.widgets.picker import IndexPicker
from app.widgets.progress import ThinProgress
from app.widgets.segments import Segments
from app.widgets.stack import Part, StackedBar
from app.widgets.text import ElidedLabel, label


@pytest.fixture
def show(qtbot):
    theme.apply("dark")

    def show(widget, width, height):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return show


def colour_at(widget, point):
    image = widget.grab().toImage()
    ratio = image.width() / widget.width()
    return image.pixelColor(round(point.x() * ratio), round(point.y() * ratio)).name()


def test_tables_go_through_their_anchors(qapp):
    theme.apply("dark")
    table = sequential()
    assert len(table) == 256
    assert QColor(table[0]).name() == theme.RAMP[0] and QColor(table[255]).name() == theme.RAMP[-1]
    assert sequential(0.5)[64] == pytest.approx(table[128], abs=0x020202)
    both = diverging(-1.0, 3.0)
    assert QColor(both[64]).name() == theme.current().canvas
    assert QColor(both[255]).name() == theme.current().warning
    assert table_for(0.0, 1.0) == table and table_for(-1.0, 1.0) != table


def test_a_picture_owns_its_pixels():
    pixels = np.array([[0, 255]], np.uint8)
    image = picture(pixels, sequential())
    pixels[:] = 0
    assert image.pixelColor(1, 0).name() == theme.RAMP[-1]


def test_a_heat_map_paints_each_cell_and_its_marks(show):
    pixels = np.array([[0, 255, 0], [255, 0, 255]], np.uint8)
    bad, blank = np.zeros((2, 3), bool), np.zeros((2, 3), bool)
    bad[1, 1], blank[0, 0] = True, True
    heat = show(HeatMap("map"), 300, 200)
    heat.show_matrix(Matrix(pixels, sequential(), bad, blank))
    assert colour_at(heat, heat.center_of(0, 1)) == theme.RAMP[-1]
    assert colour_at(heat, heat.center_of(0, 2)) == theme.RAMP[0]
    assert colour_at(heat, heat.center_of(1, 1)) == theme.current().error
    assert colour_at(heat, heat.center_of(0, 0)) == theme.current().panel
    area = heat.area
    assert area.width() / 3 == area.height() / 2


def test_a_heat_map_tells_the_cell(show, qtbot):
    heat = show(HeatMap("map"), 300, 200)
    heat.show_matrix(Matrix(np.zeros((4, 5), np.uint8), sequential(), rows=list("abcd"), square=False))
    told, chosen = [], []
    heat.pointed.connect(lambda *cell: told.append(cell))
    heat.chosen.connect(lambda *cell: chosen.append(cell))
    qtbot.mouseMove(heat.viewport(), heat.center_of(2, 4))
    qtbot.mouseClick(heat.viewport(), Qt.MouseButton.LeftButton, pos=heat.center_of(1, 0))
    assert told == [(2, 4), (1, 0)] and chosen == [(1, 0)]
    heat.setFocus()
    qtbot.keyClick(heat, Qt.Key.Key_Right)
    qtbot.keyClick(heat, Qt.Key.Key_Up)
    qtbot.keyClick(heat, Qt.Key.Key_Up)
    assert heat.cell == (0, 1)


def test_labels_do_not_touch():
    assert readable(4, 20.0, -1, 13) == [0, 1, 2, 3]
    assert readable(8, 4.0, -1, 13) == [0, 4]
    assert readable(8, 4.0, 5, 13) == [0, 5]
    assert apart({0: 6.5, 11: 13.6, 22: 26.6}, -1, 13) == {0: 6.5, 22: 26.6}
    assert apart({0: 6.5, 11: 13.6, 22: 26.6}, 11, 13) == {11: 13.6, 22: 26.6}


@pytest.mark.parametrize("text", ["160", "117", "202", "seven", "The", "111111"])
def test_a_label_that_has_its_room_is_written_in_full(qapp, text):
    theme.apply("dark")
    written = []

    class Pen:
        def setFont(self, font): ...

        def setPen(self, colour): ...

        def drawText(self, box, flags, words):
            written.append(words)

    left = width([text]) + 1
    paint_rows(Pen(), [text], QRectF(left, 1, 40, 40), QRectF(left, 1, 40, 40), -1)
    assert written == [text]


@pytest.fixture
def grid(show):
    made = show(HeadGrid("heads"), 300, 150)
    pixels = np.zeros((6 * 9 - 1, 4 * 9 - 1), np.uint8)
    pixels[9:17, 18:26] = 255  # layer 1, head 2
    made.show_atlas(Atlas(pixels, (8, 8), [str(n) for n in range(6)], list("0123"), sequential()), (0, 0))
    return made


def test_the_grid_shows_each_map_in_its_place(grid, qtbot):
    assert colour_at(grid.viewport(), grid.tile_at(1, 2).center()) == theme.RAMP[-1]
    assert colour_at(grid.viewport(), grid.tile_at(1, 1).center()) == theme.RAMP[0]
    told = []
    grid.chosen.connect(lambda *place: told.append(place))
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.tile_at(1, 2).center())
    assert told == [(1, 2)]
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert told == [(1, 2)]


def test_the_grid_scrolls_to_what_is_selected(grid, qtbot):
    assert grid.visible_rows[0] == 0 and grid.visible_rows[1] < 5
    grid.setFocus()
    for _ in range(5):
        qtbot.keyClick(grid, Qt.Key.Key_Down)
    assert grid.selected == (5, 0)
    assert grid.visible_rows[1] == 5
    assert grid.viewport().rect().contains(grid.tile_at(5, 0))
    for _ in range(9):
        qtbot.keyClick(grid, Qt.Key.Key_Up)
    assert grid.selected == (0, 0) and grid.visible_rows[0] == 0


def test_figures_say_themselves_to_a_screen_reader(show):
    figures = show(Figures("Cost"), 200, 60)
    figures.show_figures([Figure("parameters", "1.57 M"), Figure("FLOPs", "9.7 G", tone="error")])
    assert figures.accessibleDescription() == "parameters: 1.57 M; FLOPs: 9.7 G"
    assert figures.sizeHint().height() == 2 * Figures.ROW


def test_a_bar_is_as_long_as_its_share(show):
    bars = show(Bars("looks"), 300, 60)
    bars.show_bars([Bar("a", 1.0, "1.000"), Bar("b", 0.25, "0.250")])
    image = bars.grab().toImage()
    hue = theme.current().kind("features").name()

    def length(row):
        line = round(image.height() * (row + 0.5) * Bars.ROW / bars.height())
        return sum(image.pixelColor(x, line).name() == hue for x in range(image.width()))

    assert length(1) == pytest.approx(length(0) / 4, abs=3) and length(0) > 100


def test_parts_of_a_bar(show):
    bar = show(StackedBar("memory"), 200, 16)
    bar.show_parts([Part("a", 75.0, "#ff0000", "75 B"), Part("b", 25.0, "#00ff00", "25 B")], limit=None)
    assert colour_at(bar, QPoint(100, 8)) == "#ff0000" and colour_at(bar, QPoint(180, 8)) == "#00ff00"
    bar.show_parts([Part("a", 50.0, "#ff0000", "50 B")], limit=100.0, scale=200.0)
    assert colour_at(bar, QPoint(100, 8)) == theme.current().error
    assert colour_at(bar, QPoint(150, 8)) == theme.current().field


def test_an_index_stays_on_its_axis(show, qtbot):
    picker = show(IndexPicker("head"), 120, 24)
    picker.show_axis("head", 4, 0)
    told = []
    picker.picked.connect(told.append)
    picker.setFocus()
    qtbot.keyClick(picker, Qt.Key.Key_Down)
    for _ in range(5):
        qtbot.keyClick(picker, Qt.Key.Key_Up)
    assert told == [1, 2, 3]
    picker.selectAll()
    qtbot.keyClicks(picker, "9")
    assert picker.property("state") == "error" and told == [1, 2, 3]
    qtbot.keyClick(picker, Qt.Key.Key_Escape)
    assert picker.text() == "3" and not picker.property("state")


def test_short_work_is_not_shown(show, qtbot):
    progress = show(ThinProgress(), 100, 2)
    ground = colour_at(progress, QPoint(10, 0))
    progress.show_busy(True)
    assert colour_at(progress, QPoint(10, 0)) == ground
    progress.show_busy(False)
    qtbot.wait(ThinProgress.PATIENCE + 50)
    assert colour_at(progress, QPoint(10, 0)) == ground
    progress.show_busy(True, 1, 2)
    qtbot.wait(ThinProgress.PATIENCE + 50)
    assert colour_at(progress, QPoint(10, 0)) == theme.current().accent
    assert colour_at(progress, QPoint(80, 0)) == ground
    assert progress.accessibleDescription() == "50%"


def test_segments_tell_the_users_choice_only(show, qtbot):
    segments = show(Segments("mode", [("a", "A", "first"), ("b", "B", "second")]), 200, 28)
    told = []
    segments.chosen.connect(told.append)
    segments.show_choice("b")
    assert segments.choice == "b" and told == []
    qtbot.mouseClick(segments.button("a"), Qt.MouseButton.LeftButton)
    assert told == ["a"]


def test_a_label_that_is_cut_off_says_all_in_its_tooltip(show):
    text = show(ElidedLabel("Multi-head attention of the decoder"), 60, 20)
    text.grab()
    assert text.toolTip() == "Multi-head attention of the decoder"
    text.resize(400, 20)
    text.grab()
    assert text.toolTip() == ""


def test_a_wrapped_label_asks_for_one_line_and_gets_what_it_needs(show):
    words = show(label("one two three four five six seven", wrap=True), 80, 100)
    assert words.minimumSizeHint().height() <= words.fontMetrics().height()
    assert words.heightForWidth(80) > 2 * words.fontMetrics().height()
    assert QRect(0, 0, 80, 100).contains(words.rect())
