"""How long nodes take: rounds are added, groups are what is in them, and all of it is no more than the whole."""

from __future__ import annotations

import pytest

from graph.probes.timing import by_node
from graph.running import Workbench
from graph.samples import make_inputs


def test_rounds_are_added_and_groups_are_what_is_in_them():
    taken = {
        "in": 1.0,
        "a.0/b.0/x": 2.0,
        "a.0/b.1/x": 3.0,
        "a.0/y": 4.0,
        "a.1/b.0/x": 5.0,
        "a.1/b.1/x": 6.0,
        "a.1/y": 7.0,
    }
    groups = {"a.0/b.0": 90.0, "a.0/b.1": 90.0, "a.0": 300.0, "a.1": 300.0}
    found = by_node(taken | groups, taken)
    assert found == {"in": 1.0, "a": 27.0, "a/b": 16.0, "a/b/x": 16.0, "a/y": 11.0}
    assert found["a"] == found["a/b"] + found["a/y"]


def test_what_was_not_timed_has_no_time():
    assert by_node({"a": 1.0}, ["a", "b"]) == {"a": 1.0}
    assert by_node({}, ["a"]) == {}


@pytest.fixture
def bench():
    return Workbench("cpu")


@pytest.mark.parametrize("name", ["gpt", "unet", "lstm_lm"])
def test_a_level_adds_up_and_the_whole_is_no_less(name, bench, tiny):
    document = tiny(name)
    bench.prepare_document(document)
    data = bench.run(make_inputs(bench.plan)).data
    timings = data["timings"]
    top = sum(taken for path, taken in timings.items() if "/" not in path)
    for path, taken in timings.items():
        inside = [one for other, one in timings.items() if other.rpartition("/")[0] == path]
        assert not inside or taken == pytest.approx(sum(inside))
        assert taken > 0
    assert 0 < top <= data["seconds"] * 1e3
    named = {"/".join(path) for path, node in document.walk() if not node.is_dot}
    assert timings.keys() <= named, "paths are those of the drawing, without rounds"


def test_all_rounds_of_a_block_count(bench, tiny):
    bench.prepare_document(tiny("gpt"))
    data = bench.run(make_inputs(bench.plan)).data
    each = [reading["milliseconds"] for address, reading in data["activations"].items()
            if address.startswith("decoder.") and address.endswith("/attn")]  # fmt: skip
    assert len(each) == 3
    assert data["timings"]["decoder/attn"] == pytest.approx(sum(each))
