"""Where panels lie, as data: whatever is done, every panel has one place, and what is written is read again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from app.docking.layout import READINGS, SIDES, Float, Layout, Middle, Part, Split, Tabs, default, share
from app.docking.remembering import LAYOUT_VERSION, from_text, to_text

PANELS = ["palette", "outline", "properties", *READINGS]


def shape(part: Part) -> Any:
    """A part without its sizes: lists are side by side, tuples one above the other."""
    if isinstance(part, Middle):
        return "canvas"
    if isinstance(part, Tabs):
        return " ".join(part.panels)
    return (tuple if part.upright else list)(shape(child) for child in part.parts)


def check(layout: Layout) -> None:
    """What always holds."""
    assert sorted(layout.names) == sorted(PANELS), "a panel is lost, or there twice"
    parts = list(layout.parts())
    assert sum(isinstance(part, Middle) for part, _ in parts) == 1
    for part, parent in parts:
        if isinstance(part, Split):
            assert len(part.parts) > 1
            assert parent is None or parent.upright != part.upright, "a split in one of the same kind"
        elif isinstance(part, Tabs):
            assert part.panels, "an empty place"
    afloat = [name for one in layout.floats for name in one.panels]
    assert len(set(afloat)) == len(afloat)
    assert all(one.panels for one in layout.floats)


@pytest.fixture
def layout() -> Layout:
    return default(1600, 1000)


def test_at_first(layout: Layout) -> None:
    check(layout)
    assert shape(layout.root) == [("palette", "outline"), (["canvas", "properties"], " ".join(READINGS))]


def test_moving_to_a_side_goes_below_what_is_there(layout: Layout) -> None:
    layout.put_at(["outline"], "right")
    assert shape(layout.root)[1][0] == ["canvas", ("properties", "outline")]
    layout.put_at(["memory"], "left")
    assert shape(layout.root)[0] == ("palette", "memory")
    layout.put_at(["properties"], "below")
    assert shape(layout.root)[1][-1].split()[-1] == "properties"
    check(layout)


def test_moving_where_nothing_is_makes_a_side(layout: Layout) -> None:
    for name in PANELS:
        layout.put_at([name], "right")
    check(layout)
    assert shape(layout.root) == ["canvas", tuple(PANELS)]
    layout.put_at(["memory"], "below")
    assert shape(layout.root)[-1] == "memory"
    layout.put_at(["memory"], "below")
    assert shape(layout.root)[-1] == "memory", "it is there already"
    layout.put_at(["palette"], "left")
    assert shape(layout.root)[0] == "palette"
    check(layout)


def test_among_tabs_and_out_again(layout: Layout) -> None:
    goal = layout.home("memory")
    assert goal is not None
    layout.put_with(["outline"], goal, 1)
    assert goal.panels[:3] == ["attention_maps", "outline", "activations"]
    assert goal.front == "outline"
    layout.put_with(["attention_maps"], goal, 3)
    assert goal.panels[:3] == ["outline", "activations", "attention_maps"]
    layout.put_beside(["outline"], goal, "right", 200, 1300)
    home = layout.home("outline")
    assert home is not None
    assert (home.size, goal.size) == (200, 1100)
    check(layout)


def test_what_floats_or_is_closed_keeps_its_place(layout: Layout) -> None:
    before = shape(layout.root)
    layout.float(["memory", "code"], (10, 20, 300, 200))
    layout.float(["code"], (10, 20, 300, 200))
    assert [one.panels for one in layout.floats] == [["memory"], ["code"]]
    layout.put_with(["outline"], layout.floats[0])
    assert layout.floats[0].panels == ["memory", "outline"]
    layout.dock(["memory", "outline", "code"])
    assert layout.floats == []
    assert shape(layout.root) == before
    check(layout)


def test_onto_itself_changes_nothing(layout: Layout) -> None:
    home = layout.home("properties")
    assert home is not None
    before = to_text(layout)
    layout.put_beside(["properties"], home, "left", 100, 300)
    layout.put_with(["properties"], home)
    home.front = ""
    assert to_text(layout) == before


def test_a_panel_that_is_new_finds_a_place(layout: Layout) -> None:
    layout.add("weights", ["code", "memory"], "below")
    assert layout.home("weights") is layout.home("code")
    layout.add("notes", ["nowhere"], "left")
    assert shape(layout.root)[0] == "notes"
    text = to_text(layout)
    layout.add("notes", ["code"], "below")
    assert to_text(layout) == text


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_done(seed: int) -> None:
    luck, layout = random.Random(seed), default(1600, 1000)
    for _ in range(150):
        names = luck.sample(PANELS, luck.choice((1, 1, 1, 2, 3)))
        goals: list[Callable[[], object]] = [
            lambda: layout.put_at(names, luck.choice(SIDES)),  # noqa: B023
            lambda: layout.put_with(names, luck.choice(layout.tabs()), luck.choice((None, 0, 1, 5))),  # noqa: B023
            lambda: layout.put_beside(names, luck.choice(list(layout.parts()))[0], luck.choice(SIDES), 90, 400),  # noqa: B023
            lambda: layout.float(names, (luck.randrange(900), 50, 300, 200)),  # noqa: B023
            lambda: layout.dock(names),  # noqa: B023
            lambda: layout.closed.symmetric_difference_update(names),  # noqa: B023
            lambda: layout.put_with(names, luck.choice(layout.floats)) if layout.floats else None,  # noqa: B023
        ]
        luck.choice(goals)()
        check(layout)
    again = from_text(to_text(layout))
    assert again is not None
    assert to_text(again) == to_text(layout)


def test_lengths_are_shared_out_to_the_pixel() -> None:
    assert share(1000, [(200, 100, False), (0, 300, True), (300, 200, False)]) == [200, 500, 300]
    assert share(700, [(200, 100, False), (0, 300, True), (300, 200, False)]) == [160, 300, 240]
    assert share(640, [(200, 100, False), (0, 300, True), (300, 200, False)]) == [136, 300, 204]
    assert share(620, [(200, 100, False), (0, 300, True), (300, 200, False)]) == [120, 300, 200]
    assert share(601, [(100, 50, False), (200, 50, False)])[0] in range(175, 205)
    luck = random.Random(1)
    for _ in range(500):
        parts = [(luck.randrange(600), luck.randrange(200), False) for _ in range(luck.randrange(1, 6))]
        if luck.random() < 0.5:
            parts[luck.randrange(len(parts))] = (0, 200, True)
        length = luck.randrange(0, 2400)
        sizes = share(length, parts)
        assert sum(sizes) == length
        assert min(sizes) >= 0
        if length >= sum(least for _, least, _ in parts):
            assert all(size >= least for size, (_, least, _) in zip(sizes, parts, strict=True))
        assert share(length, [(size, *rest) for size, (_, *rest) in zip(sizes, parts, strict=True)]) == sizes, "at rest"


def broken() -> dict[str, Any]:
    """What nobody would have written, by what is wrong with it."""

    def changed(**changes: Any) -> str:
        return json.dumps(json.loads(to_text(default(1600, 1000))) | changes)

    middle, tabs = {"size": 1, "middle": True}, {"size": 1, "panels": ["a"], "front": ""}
    deep: Any = middle
    for depth in range(40):
        inner = {"size": 1, "panels": [f"p{depth}"], "front": ""}
        deep = {"size": 1, "upright": bool(depth % 2), "parts": [deep, inner]}
    window = {"panels": ["memory"], "front": "", "rect": [0, 0, 10, 10]}
    return {
        "no text": "", "no json": "{", "a list": "[]", "older": changed(version=LAYOUT_VERSION - 1),
        "newer": changed(version=LAYOUT_VERSION + 1), "no root": changed(root=None), "no canvas": changed(root=tabs),
        "two canvases": changed(root={"size": 1, "upright": True, "parts": [middle, middle]}),
        "twice": changed(root={"size": 1, "upright": True, "parts": [middle, tabs, tabs]}),
        "alone": changed(root={"size": 1, "upright": True, "parts": [middle]}), "deep": changed(root=deep),
        "a size of letters": changed(root={"size": "1", "middle": True}),
        "a huge size": changed(root={"size": 10**12, "middle": True}), "closed": changed(closed="memory"),
        "no rect": changed(floats=[window | {"rect": [1, 2]}]),
        "a flat window": changed(floats=[window | {"rect": [0, 0, 0, 9]}]),
        "floats twice": changed(floats=[window, window]),
        "floats from nowhere": changed(floats=[window | {"panels": ["x"]}]),
        "an empty window": changed(floats=[window | {"panels": []}]), "nested": "[" * 100_000,
    }  # fmt: skip


@pytest.mark.parametrize("what", broken())
def test_what_is_damaged_is_refused(what: str) -> None:
    assert from_text(broken()[what]) is None


def test_panels_of_another_program_are_kept() -> None:
    layout = default(1600, 1000)
    layout.add("of_a_later_program", ["memory"], "below")
    layout.floats.append(Float(["of_a_later_program"], (0, 0, 300, 200)))
    again = from_text(to_text(layout))
    assert again is not None
    assert again.home("of_a_later_program") is not None


def test_a_smaller_window_is_shared_out_as_the_larger_was_and_back(layout: Layout) -> None:
    sizes = lambda: [part.size for part, split in layout.parts() if split is not None]  # noqa: E731
    assert layout.extent == (1600, 1000)
    before = sizes()
    layout.fit(1500, 960)
    assert sizes() == before, "a little less is no other window"
    assert layout.extent == (1500, 960)
    layout.extent = (1600, 1000)
    layout.fit(800, 500)
    home = {name: layout.home(name) for name in ("properties", "memory")}
    assert [home[name].size for name in home] == [158, 138]  # type: ignore[union-attr]
    assert layout.root.parts[0].size == 108  # type: ignore[union-attr]
    layout.fit(3200, 2000)
    assert [home[name].size for name in home] == [316, 276], "no more than at first"  # type: ignore[union-attr]
    home["memory"].size = 700  # type: ignore[union-attr]
    layout.extent = (0, 0)
    layout.fit(800, 500)
    assert home["memory"].size == 700, "nobody knows what it was meant for"  # type: ignore[union-attr]


def test_in_a_low_window_palette_and_outline_are_tabs() -> None:
    low = default(960, 512)
    check(low)
    assert shape(low.root) == ["palette outline", (["canvas", "properties"], " ".join(READINGS))]


def test_the_size_of_the_window_is_remembered_and_need_not_be(layout: Layout) -> None:
    again = from_text(to_text(layout))
    assert again is not None
    assert again.extent == (1600, 1000)
    data = json.loads(to_text(layout))
    del data["extent"]
    older = from_text(json.dumps(data))
    assert older is not None
    assert older.extent == (0, 0)
    for wrong in ([1600], "large", [1600, "high"], [1, 2, 3], None):
        assert from_text(json.dumps(data | {"extent": wrong})) is None
