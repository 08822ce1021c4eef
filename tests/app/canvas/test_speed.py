"""What a picture costs, counted in painted nodes rather than timed; and that what is kept equals what is painted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QPainter, QPixmap, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.canvas import sprites
from app.canvas.curves import coarser, curves, finer, forward, turn
from app.canvas.sprites import Sprite, Sprites
from benchmarks import __main__ as benchmarks_main
from benchmarks import canvas as benchmark
from benchmarks.canvas import network
from graph.commands import Move


def still(canvas) -> None:
    """Paint until nothing more is to come."""
    canvas.repaint()
    for _ in range(2000):
        QTest.qWait(1)
        QApplication.sendPostedEvents()
        QApplication.processEvents()  # what the timer has asked for may still have to be painted
        if not canvas._later.isActive() and canvas.labels.is_complete:
            return
    raise AssertionError("it paints for ever")


class Pictures(QObject):
    """Notes what is painted of a widget."""

    def __init__(self, widget) -> None:
        super().__init__(widget)
        self.regions = []
        widget.installEventFilter(self)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.regions.append(QRegion(event.region()))
        return False


def pixels(canvas) -> np.ndarray:
    return as_array(canvas.grab().toImage())


def as_array(image) -> np.ndarray:
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).astype(int)


def at_zoom(canvas, zoom: float) -> None:
    left, top, right, bottom = canvas.geometry_of.bounds()
    canvas.camera.zoom = zoom
    canvas.camera.x = round(canvas.width() / 2 - (left + right) / 2 * zoom)
    canvas.camera.y = round(canvas.height() / 2 - (top + bottom) / 2 * zoom)
    canvas.view_changed()
    still(canvas)


@pytest.fixture
def large(show):
    canvas = show(network(300))
    at_zoom(canvas, 1.0)
    return canvas


def test_only_what_is_in_sight_is_painted(large):
    large.repaint()
    assert 0 < large.painted <= 40
    large.fit_all()
    large.repaint()
    assert large.painted == len(large.geometry_of.ids)


def test_panning_paints_a_strip(large):
    large.repaint()
    whole = large.painted
    large.scroll_view(0, -9)
    QApplication.processEvents()
    assert 0 < large.painted <= whole / 2


def test_a_drag_paints_its_surroundings(large, hand_on):
    hand = hand_on(large)
    area = large.camera.rect_to_scene(large.rect().toRectF())
    short = {
        id: large.touched_area([id])
        for id in large.geometry_of.nodes_in(*area)
        if large.geometry_of.bounds([id])[0] > area[0] + 60
    }
    id = min(short, key=lambda id: short[id][2] - short[id][0] + short[id][3] - short[id][1])
    large.repaint()
    whole = large.painted
    hand.press(id)
    free = Qt.KeyboardModifier.ControlModifier  # what lines up may stay where it is
    hand.move(hand.at(id) + QPoint(20, 8), free)
    still(large)
    pictures = Pictures(large)
    painted = []
    for step in range(1, 6):
        hand.move(hand.at(id) + QPoint(20 + 4 * step, 8), free)
        QApplication.processEvents()
        painted.append(large.painted)
    assert pictures.regions
    assert not any(region == QRegion(large.rect()) for region in pictures.regions), "detours are no reason to"
    assert 0 < max(painted) < whole
    hand.release(hand.at(id) + QPoint(24, 8), free)


def shown(canvas) -> np.ndarray:
    """What is on the screen, however little of it was painted last."""
    return as_array(canvas.screen().grabWindow(canvas.winId()).toImage())


def test_a_shape_that_goes_to_another_wire_during_a_drag_leaves_nothing_behind(branched, hand_on, qtbot):
    branched.session.do(Move((), {"second": (640.0, -200.0)}))
    still(branched)
    hand, geometry = hand_on(branched), branched.geometry_of
    grip, free = hand.at("sum"), Qt.KeyboardModifier.ControlModifier
    hand.press(grip)
    hand.move(grip + QPoint(8, 0), free)
    still(branched)
    pictures = Pictures(branched)
    labelled = []
    for step in range(1, 9):
        hand.move(grip + QPoint(8 + 40 * step, 0), free)
        QApplication.processEvents()
        labelled.append({geometry.wires[row].target for row in geometry.label_rows(-1e4, -1e4, 1e4, 1e4)})
        assert pictures.regions and not any(region == QRegion(branched.rect()) for region in pictures.regions)
        qtbot.waitUntil(lambda: np.abs(shown(branched) - pixels(branched)).max() < 40)
        pictures.regions.clear()
    assert "second" in labelled[0] and "sum" in labelled[-1], "the widest wire has it"
    assert "sum" not in labelled[0] and "second" not in labelled[-1]


def test_a_rubber_band_paints_what_it_gains(large, hand_on):
    hand = hand_on(large)
    large.fit_all()
    still(large)
    large.repaint()
    whole = large.painted
    hand.press(QPoint(4, 60))
    hand.move(QPoint(600, 400))
    QApplication.processEvents()
    hand.move(QPoint(612, 408))
    QApplication.processEvents()
    assert 0 < large.painted < whole / 3
    assert len(large.looks.selected) > whole / 4
    for corner in (QPoint(612, 408), QPoint(500, 300), QPoint(640, 200)):
        hand.move(corner)
        QApplication.processEvents()
        before = shown(large)
        large.repaint()
        differs = np.abs(shown(large) - before).max(axis=2) > 40
        assert differs.mean() < 0.0005, "but for wires that meet at the edge of what was painted"
    hand.release(QPoint(500, 300))


@pytest.mark.parametrize("zoom", [0.56, 0.8, 1.0, 1.7])
def test_kept_pictures_equal_fresh_ones(show, zoom, monkeypatch):
    canvas = show(network(60))
    canvas.session.select(["n3", "n7"])
    at_zoom(canvas, zoom)
    kept = pixels(canvas)
    assert canvas._near.sprites.is_kept
    monkeypatch.setattr(sprites, "LARGEST_SCALE", 0.0)
    differs = np.abs(kept - pixels(canvas)).max(axis=2) > 4
    assert differs.mean() < 0.001, "but for a letter that was about to be rounded the other way"


def test_what_is_kept_follows_every_change(show):
    canvas = show("gpt")
    at_zoom(canvas, 0.8)
    session = canvas.session
    before = pixels(canvas)
    for change in (
        lambda: session.select(["decoder"]),
        lambda: canvas.edit_row("final_norm", 0),
        lambda: session.enter(("decoder",)),
    ):
        change()
        still(canvas)
        after = pixels(canvas)
        assert after.shape == before.shape
        assert (after != before).any()
        canvas._near.sprites._made_for = ()  # forget all
        canvas.repaint()
        canvas.repaint()
        assert (pixels(canvas) == after).all()
        before = after


def test_pages_are_filled_one_after_another_and_used_again(qapp):
    kept, screen = Sprites(), QPixmap(100, 100)
    painter = QPainter(screen)

    def red(own: QPainter) -> None:
        own.fillRect(0, 0, 100, 100, Qt.GlobalColor.red)

    def all_of(count: int) -> list[Sprite]:
        return [Sprite(n, None, (0.0, 0.0), (0.0, 0.0, 240.0, 240.0), red) for n in range(count)]

    kept.begin(painter, 1.0)
    kept.begin(painter, 1.0)
    kept.stamp_all(painter, all_of(65))
    assert len(kept._pages) == 2
    kept.stamp_all(painter, all_of(300))
    pages = len(kept._pages)
    kept.begin(painter, 1.0)
    assert not kept._held
    kept.stamp_all(painter, all_of(65))
    assert len(kept._pages) == pages
    painter.end()
    assert screen.toImage().pixelColor(50, 50) == Qt.GlobalColor.red


def test_during_a_zoom_only_what_comes_several_times_is_kept(qapp):
    kept, screen = Sprites(), QPixmap(100, 100)
    painter = QPainter(screen)
    drawn: list[str] = []

    def things(*names: str) -> list[Sprite]:
        area = (0.0, 0.0, 9.0, 9.0)
        return [Sprite(name, None, (0.0, 0.0), area, lambda _, name=name: drawn.append(name)) for name in names]

    kept.begin(painter, 0.9)
    kept.stamp_all(painter, things("one", "two", "two", "two"))
    assert sorted(drawn) == ["one", "two"]
    kept.begin(painter, 0.8)
    kept.stamp_all(painter, things("one", "two", "two", "two"))
    assert sorted(drawn) == ["one", "one", "two", "two"]
    kept.begin(painter, 0.8)
    kept.stamp_all(painter, things("one", "two", "two", "two"))
    kept.stamp_all(painter, things("one", "two", "two", "two"))
    assert sorted(drawn) == ["one", "one", "one", "two", "two"]
    painter.end()


def test_nodes_that_look_alike_share_a_picture(large):
    sprites = large._near.sprites
    large.repaint()
    assert 0 < len(sprites._held) < large.painted


def test_more_points_come_closer_to_the_curve():
    ends = np.array([(0.0, 0.0)]), np.array([(180.0, 140.0)])
    line = finer(curves(*ends)[0])
    t = np.linspace(0, 1, 4001)[:, None]
    corners = np.array([(0, 0), (90, 0), (90, 140), (180, 140)], float)
    true = (
        (1 - t) ** 3 * corners[0]
        + 3 * (1 - t) ** 2 * t * corners[1]
        + 3 * (1 - t) * t**2 * corners[2]
        + t**3 * corners[3]
    )
    far = [np.hypot(*(true - point).T).min() for point in line]
    assert max(far) < 0.25
    around = turn((0.0, 0.0), (0.0, 60.0), 60.0)
    assert len(finer(around)) == 2 * len(around) - 1


def test_more_points_leave_straight_stretches_straight():
    bend = turn((400.0, 0.0), (300.0, 80.0), 60.0)
    line = finer(np.concatenate([[(0.0, 0.0)], bend]))
    assert np.allclose(line[:2, 1], 0.0)
    assert np.allclose(finer(np.array([(0.0, 0.0), (9.0, 3.0)])), [(0.0, 0.0), (9.0, 3.0)])


def test_fewer_points_leave_upright_stretches_upright():
    line = forward((0.0, 0.0), (60.0, 900.0))
    upright = line[(line[:, 0] == 30.0)]
    assert len(upright) == 2 and upright[1, 1] - upright[0, 1] > 800.0
    fewer = coarser(line, 1.2)
    assert len(fewer) < len(line) / 2
    assert (fewer[fewer[:, 0] == 30.0] == upright).all()


def test_a_zoom_paints_once_more_when_it_is_done(show):
    canvas = show("gpt")
    still(canvas)
    canvas.zoom_at(QPointF(300, 200), 1.07)
    QApplication.processEvents()
    assert not canvas._near.sprites.is_kept
    still(canvas)
    assert canvas._near.sprites.is_kept


@pytest.mark.exhaustive
def test_the_benchmark_measures_what_it_says(qapp, monkeypatch, capsys):
    monkeypatch.setattr(benchmark.run, "__defaults__", ((300,),))
    monkeypatch.setattr(benchmark, "OPENINGS", 1)
    assert benchmarks_main.main(["canvas", "--json"]) == 0
    rows = {row["what"]: row for row in json.loads(capsys.readouterr().out)}
    gestures = {f"{what} {view}" for what in ("pan", "zoom", "drag", "rubber_band") for view in ("near", "whole")}
    assert gestures | {"open", "wire edit"} <= rows.keys()
    for row in rows.values():
        assert row["nodes"] == 300
        assert 0 < row["median_ms"] <= row["p95_ms"]
        assert row["painted"] > 0 or row["what"] == "pan whole", "what is kept as a picture is only moved"
    assert rows["zoom near"]["painted"] < rows["zoom whole"]["painted"]
