from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from app import theme
from app.access.voice import VOICE
from app.widgets.axes import PlainAxis, ShareAxis, _round_step
from app.widgets.histogram import Histogram


@pytest.fixture
def histogram(qtbot):
    theme.apply("dark")
    made = Histogram("values")
    qtbot.addWidget(made)
    made.resize(216, 140)
    made.show()
    qtbot.waitExposed(made)
    made.show_counts(np.linspace(-1, 1, 65), np.array([1, *[0] * 30, 900, 98, *[0] * 30, 1]), (-16, np.arange(34)))
    QApplication.processEvents()
    return made


def colours_of(histogram):
    image = histogram.plot.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def turn(plot, at, delta):
    none = Qt.MouseButton.NoButton
    event = QWheelEvent(
        QPointF(at), plot.viewport().mapToGlobal(QPointF(at)), QPoint(), QPoint(0, delta), none,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(plot.viewport(), event)


def test_the_bin_under_the_pointer_is_told(histogram, qtbot):
    assert histogram.accessibleDescription() == "from −1.00 to 1.00"
    assert histogram.words.text() == "values"
    qtbot.mouseMove(histogram.plot.viewport(), histogram.plot.point_of(32))
    assert histogram.bin == 32
    assert histogram.words.text() == "9.8 %  0 – 0.0312"
    assert histogram.words.toolTip() == "98 of 1\u2009000"
    assert theme.current().text in colours_of(histogram)
    qtbot.mouseMove(histogram.plot.viewport(), QPoint(2, 40))  # on the axis
    assert histogram.bin == -1 and histogram.words.text() == "values"


def test_keys_go_through_the_bins(histogram, qtbot):
    said = []
    VOICE.said.connect(said.append)
    histogram.plot.setFocus()
    assert histogram.bin == 31, "it begins at the highest"
    assert theme.current().accent in colours_of(histogram), "where the keys are is seen"
    qtbot.keyClick(histogram.plot, Qt.Key.Key_Right)
    assert histogram.words.text() == "9.8 %  0 – 0.0312"
    assert said[-1] == "0 – 0.0312: 9.8 %, 98 of 1\u2009000"
    qtbot.keyClick(histogram.plot, Qt.Key.Key_Home)
    assert histogram.bin == 0
    qtbot.keyClick(histogram.plot, Qt.Key.Key_Left)
    assert histogram.bin == 0
    qtbot.keyClick(histogram.plot, Qt.Key.Key_End)
    VOICE.said.disconnect(said.append)
    assert histogram.bin == 63
    histogram.plot.clearFocus()
    assert histogram.bin == -1


def test_a_lone_value_does_not_vanish(histogram, qtbot):
    at = histogram.plot.point_of(63)
    image = histogram.plot.grab().toImage()
    hue = theme.current().kind("features").name()
    assert any(image.pixelColor(at + QPoint(0, step)).name() == hue for step in (-1, 0, 1))


def test_a_logarithmic_scale(histogram, qtbot):
    plain = histogram.plot._heights / histogram.plot._heights.max()
    qtbot.mouseClick(histogram.logarithmic, Qt.MouseButton.LeftButton)
    heights = histogram.plot._heights - histogram.plot._base
    assert heights[63] / heights.max() > 0.05 > plain[63]
    assert heights[1] == 0
    assert histogram.plot._up.tickStrings([-2.0, 0.0], 1, 1) == ["1 %", "100 %"]
    qtbot.mouseClick(histogram.logarithmic, Qt.MouseButton.LeftButton)
    assert histogram.plot._base == 0


def test_magnitudes_by_power_of_two(histogram, qtbot):
    assert histogram.powers.isVisible()
    qtbot.mouseClick(histogram.powers, Qt.MouseButton.LeftButton)
    assert histogram.words.text() == "magnitudes 2ⁿ"
    assert len(histogram.counts) == 34 and histogram.edges[0] == -16
    shown = colours_of(histogram)
    assert {theme.current().error, theme.current().warning} <= shown  # 2^16 and more; below 2^-14
    qtbot.mouseMove(histogram.plot.viewport(), histogram.plot.point_of(15))
    assert histogram.words.text().endswith("2^−1 – 2^0")
    histogram.show_counts(np.array([0.0, 1.0]), np.array([1]))
    assert not histogram.powers.isVisible() and len(histogram.counts) == 1
    assert histogram.words.text() == "100 %  0 – 1.00"


def test_wheel_and_double_click(histogram, qtbot):
    plot = histogram.plot
    at = plot.point_of(32)
    for _ in range(30):
        turn(plot, at, 120)
    seen = plot.sight.viewRect()
    assert seen.width() == pytest.approx(4 * 2 / 64)
    assert seen.height() == plot.sight.whole.height()
    assert histogram.bin == 32
    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert not plot.sight.is_zoomed


def test_the_wheel_over_an_axis_does_no_harm(histogram):
    turn(histogram.plot, QPoint(4, 40), 120)
    assert not histogram.plot.sight.is_zoomed


@pytest.mark.parametrize(
    ("low", "high"), [(1e8, 1e8 + 0.5), (-3e38, 3e38), (1e-38, 2e-38), (0.0, 1e-44), (-1e-9, 1e30)]
)
def test_extremes_can_be_shown(histogram, low, high):
    for logarithmic in (False, True):
        histogram.logarithmic.setChecked(logarithmic)
        histogram.show_counts(np.linspace(low, high, 65).astype(np.float32), np.arange(64))
        histogram.grab()
        assert (np.diff(histogram.edges) > 0).all()


def test_nothing_counted_is_an_empty_plot(histogram, qtbot):
    histogram.show_counts(np.linspace(-0.5, 0.5, 65), np.zeros(64), (0, np.zeros(0)))
    qtbot.mouseMove(histogram.plot.viewport(), histogram.plot.point_of(10))
    assert histogram.bin == -1
    histogram.logarithmic.setChecked(True)
    assert theme.current().kind("features").name() not in colours_of(histogram)


def test_the_theme_is_followed(histogram):
    theme.apply("light")
    QApplication.processEvents()
    assert theme.LIGHT.kind("features").name() in colours_of(histogram)
    assert histogram.plot._across.textPen().color().name() == theme.LIGHT.faint
    theme.apply("dark")


def test_axes_speak_as_the_program_does(qapp):
    across, up = PlainAxis("bottom"), ShareAxis("left")
    assert across.tickStrings([-0.5, 0.0], 1, 0.5) == ["−0.5", "0"]
    across.whole_numbers = True
    assert across.tickValues(-3, 3, 200) == [(1.0, [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0])]
    assert up.tickValues(0, 0.108, 60) == [(0.1, [0.0, 0.1])]
    up.logarithmic = True
    assert up.tickValues(-4.3, -0.1, 200) == [(1.0, [-4.0, -3.0, -2.0, -1.0])]
    assert [_round_step(least) for least in (0.11, 0.2, 3.0, 7.0)] == [0.2, 0.2, 5.0, 10.0]
    assert up.tickStrings([-2.0], 1, 1) == ["1 %"] and _round_step(0) == 0


def test_nothing_of_it_stays(qtbot):
    histogram = Histogram("values")
    histogram.show_counts(np.linspace(0, 1, 5), np.arange(4))
    histogram.show()
    qtbot.waitExposed(histogram)
    histogram.close()
    left = [weakref.ref(part) for part in (histogram, histogram.plot, histogram.plot.sight)]
    histogram.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del histogram
    gc.collect()
    assert [reference() for reference in left] == [None, None, None]
