"""Where nodes stand while the engine runs, told from the calls that it names."""

from __future__ import annotations

import pytest

from app.live import Live, plain


@pytest.fixture
def live():
    live = Live()
    live.begin()
    return live


def states(live, *paths):
    return [live.state(tuple(path.split("/"))) for path in paths]


def test_before_the_first_call_nothing_is_known(live):
    assert states(live, "a") == [""]
    live.follow("", ())
    assert states(live, "a") == [""], "the model is being built"
    live.follow("a", ())
    live.end()
    assert states(live, "a") == [""]


def test_calls_that_have_ended_are_done_and_the_rest_waits(live):
    live.follow("b", ["a"])
    assert states(live, "a", "b", "c") == ["done", "running", "waiting"]
    live.follow("c", ["b"])
    assert states(live, "a", "b", "c") == ["done", "done", "running"]


def test_a_group_runs_while_something_in_it_does(live):
    live.follow("decoder.3/attn", ["first", "decoder.0/norm", "decoder.0/attn", "decoder.2/attn", "decoder.3/norm"])
    assert states(live, "first", "decoder", "last") == ["done", "running", "waiting"]
    assert live.round(("decoder",)) == 4
    assert states(live, "decoder/norm", "decoder/attn", "decoder/mlp") == ["done", "running", "waiting"]
    live.follow("decoder.4/norm", ["decoder.3/attn", "decoder.3/mlp"])
    assert states(live, "decoder/norm", "decoder/attn", "decoder/mlp") == ["running", "waiting", "waiting"], (
        "of several rounds the one that runs counts"
    )
    live.follow("last", ["decoder.11/mlp"])
    assert states(live, "decoder", "decoder/norm", "decoder/mlp") == ["done", "done", "done"]
    assert live.round(("decoder",)) is None


def test_the_node_of_a_level_that_runs(live):
    assert live.running_at(()) is None
    live.follow("a.1/b.0/x", ())
    assert [live.running_at(at) for at in ((), ("a",), ("a", "b"), ("a", "b", "x"), ("c",))] == [
        "a",
        "b",
        "x",
        None,
        None,
    ]
    live.end()
    assert live.running_at(()) is None


def test_groups_within_groups(live):
    live.follow("a.1/b.0/x", ["a.0/b.0/x", "a.0/b.1/x", "a.0/y", "a.1/z"])
    assert states(live, "a", "a/b", "a/b/x", "a/z", "a/y") == ["running", "running", "running", "done", "waiting"]
    live.follow("a.1/y", ["a.1/b.0/x", "a.1/b.1/x"])
    assert states(live, "a/b", "a/b/x", "a/y") == ["done", "done", "running"]


def test_timings_are_shares_of_the_top_level(live):
    live.end({"a": 30.0, "b": 10.0, "b/c": 10.0}, ("drawing",))
    assert (live.total, live.share(("a",)), live.share(("b", "c")), live.took(("b", "c"))) == (40.0, 0.75, 0.25, 10.0)
    assert live.took(("nobody",)) is None and live.share(("nobody",)) == 0.0
    live.begin()
    live.end()
    assert live.total == 40.0, "a run that failed leaves what was known"


def test_the_path_of_an_address():
    assert plain("a.1/b.0/x") == ("a", "b", "x")
