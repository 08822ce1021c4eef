from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from app.widgets.columns import Column, Columns


@pytest.fixture
def parts(qtbot):
    parts = [QLabel(name) for name in ("first", "second", "third")]
    columns = Columns(
        (Column(parts[0], width=120), Column(parts[1], 1, height=200), Column(parts[2], 1, height=200)), (8, 8, 8, 8)
    )
    qtbot.addWidget(columns)
    columns.resize(900, 200)
    columns.show()
    return columns, parts


def test_parts_stand_side_by_side_and_one_below_the_other_where_it_is_narrow(parts, qtbot):
    columns, (first, second, third) = parts
    assert (first.width(), first.y(), second.y(), third.y()) == (120, 8, 8, 8)
    assert second.x() > first.geometry().right() and third.x() > second.geometry().right()
    assert not columns.verticalScrollBar().isVisible()
    with qtbot.waitSignal(columns.turned):
        columns.resize(320, 300)
    qtbot.waitUntil(lambda: third.y() > second.geometry().bottom() >= 200)
    assert {part.x() for part in (first, second, third)} == {8}
    assert first.width() == second.width() > 280
    qtbot.waitUntil(columns.verticalScrollBar().isVisible)
    with qtbot.waitSignal(columns.turned):
        columns.resize(900, 200)
    qtbot.waitUntil(lambda: (first.width(), second.y()) == (120, 8))
    assert second.height() == 184


def test_the_width_of_a_part_may_change_also_while_they_are_stacked(parts, qtbot):
    columns, (first, _, _) = parts
    columns.set_width(first, 200)
    qtbot.waitUntil(lambda: first.width() == 200)
    columns.resize(320, 300)
    columns.set_width(first, 240)
    qtbot.waitUntil(lambda: first.width() > 280)
    columns.resize(900, 200)
    qtbot.waitUntil(lambda: first.width() == 240)


def test_low_parts_stay_side_by_side_where_that_is_asked_for(qtbot):
    columns = Columns((Column(QLabel("a")), Column(QLabel("b"))), (0, 0, 0, 0), narrow=400, tall=250)
    qtbot.addWidget(columns)
    columns.resize(300, 200)
    columns.show()
    assert not columns.is_stacked
    columns.resize(300, 260)
    assert columns.is_stacked


def test_parts_side_by_side_scroll_where_they_are_higher_than_the_room(qtbot):
    high = QLabel("high")
    high.setMinimumHeight(180)
    columns = Columns((Column(QLabel("a"), 1), Column(high, 1)), (0, 0, 0, 0))
    qtbot.addWidget(columns)
    columns.resize(900, 120)
    columns.show()
    qtbot.waitUntil(columns.verticalScrollBar().isVisible)
    assert not columns.is_stacked
    columns.ensureWidgetVisible(high, 0, 0)
    assert columns.verticalScrollBar().maximum() == 60
    columns.resize(900, 200)
    qtbot.waitUntil(lambda: not columns.verticalScrollBar().isVisible())
