from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QGuiApplication, QImage, QRegion
from PySide6.QtWidgets import QWidget

from app import theme
from app.equations import typeset
from app.widgets.equation import WAITING, EquationView, arrange

TWO = r"y = \frac{1}{1 + e^{-x}}, \quad x = \mathrm{logits} \\ z = 1"


@pytest.fixture
def view(qtbot):
    theme.apply("dark")
    made = EquationView()
    qtbot.addWidget(made)
    made.resize(300, 80)
    return made


def show(qtbot, view, latex):
    view.show_latex(latex)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(lambda: view.equation is not None, timeout=20_000)
    view.resize(view.width(), view.heightForWidth(view.width()))


def ink(view, ratio=1.0):
    """How much of it is painted, and in which colour where it is painted most."""
    image = QImage(view.size() * ratio, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    view.render(image, QPoint(), QRegion(), QWidget.RenderFlag(0))
    pixels = [QColor.fromRgba(image.pixel(x, y)) for y in range(image.height()) for x in range(image.width())]
    painted = [pixel for pixel in pixels if pixel.alpha() > 0]
    return painted, image


def test_it_is_not_waited_for(view, qtbot):
    started = time.perf_counter()
    view.show_latex(TWO + r"\\ q = 2")
    view.show()
    assert time.perf_counter() - started < 0.5  # a slow machine; setting it here would take longer with the import
    assert view.equation is None and view.heightForWidth(300) == WAITING
    qtbot.waitUntil(lambda: view.is_set, timeout=20_000)
    assert view.heightForWidth(300) > WAITING


def test_nothing_is_set_until_it_is_seen(view, qtbot):
    view.show_latex(r"w = 17")
    qtbot.wait(60)
    assert view.equation is None and not view._look.isActive()


@pytest.mark.parametrize("name", ("dark", "light"))
def test_it_is_painted_in_the_colour_of_text(view, qtbot, name):
    theme.apply(name)
    show(qtbot, view, TWO)
    painted, _ = ink(view)
    assert len(painted) > 300
    full = [pixel for pixel in painted if pixel.alpha() > 250]
    text = QColor(theme.current().text)
    assert full and all(abs(pixel.lightness() - text.lightness()) < 8 for pixel in full)
    theme.apply("dark")


def test_it_is_as_sharp_as_the_screen(view, qtbot):
    show(qtbot, view, TWO)
    edges = []
    for ratio in (1.0, 2.0):
        painted, _ = ink(view, ratio)
        edges.append(sum(pixel.alpha() < 250 for pixel in painted) / len(painted))
    assert edges[1] < 0.8 * edges[0], "at twice the pixels, fewer of them are grey"


def test_lines_are_broken_and_long_clauses_shrink():
    equation = typeset(TWO)
    wide, high = arrange(equation, 400)
    assert [placed.area.left() for placed in wide][0] == 0 < wide[1].area.left()
    narrow, higher = arrange(equation, 110)
    assert [placed.area.left() for placed in narrow] == [0, 0, 0] and higher > high
    tiny, _ = arrange(equation, 40)
    assert all(placed.area.right() <= 40.01 for placed in tiny)
    assert tiny[0].area.height() < narrow[0].area.height()


def test_clauses_of_a_line_stand_on_one_base_line():
    first, second, _ = arrange(typeset(TWO), 400)[0]
    assert first.area.top() + first.clause.above == pytest.approx(second.area.top() + second.clause.above)


def test_what_cannot_be_set_is_shown_as_it_is(view, qtbot, caplog):
    show(qtbot, view, r"\frac{oops}")
    assert not view.is_set and len(ink(view)[0]) > 50
    assert view.accessibleDescription() == r"\frac{oops}"
    caplog.clear()


def test_it_is_copied_as_latex(view, qtbot):
    show(qtbot, view, TWO)
    (action,) = view.actions()
    action.trigger()
    assert QGuiApplication.clipboard().text() == TWO
