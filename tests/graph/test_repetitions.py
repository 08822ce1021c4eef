"""Repetitions within repetitions: they multiply, and have an end."""

from __future__ import annotations

from graph.validate import validate

RELU = ("r", "ReLU", {})


def test_repetitions_multiply_and_have_an_end(nested):
    assert validate(nested([64, 64], RELU)).valid
    issues = validate(nested([4096] * 5, RELU)).issues
    assert all("16,777,216 times" in issue.message for issue in issues)
    assert issues[0].path == ("outer", "middle")


def test_a_drawing_runs_so_many_blocks_and_no_more(nested):
    blocks = [(f"r{index}", "ReLU", {}) for index in range(50)]
    assert validate(nested([1000], *blocks)).valid
    (issue,) = validate(nested([4096], *blocks)).issues
    assert "at most 100,000" in issue.message
