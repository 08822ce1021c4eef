"""Equations are set as pictures, away from the window's thread."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from app import equations
from app.equations import Equation, Typesetter, clauses, typeset
from blocks import catalogue

SHOWN = {name: block.equation for name, block in catalogue().items() if block.equation}
WIDEST = 300
"""Pixels; in a panel of usual width such a clause shrinks by a sixth."""


@pytest.mark.parametrize("name", SHOWN)
def test_the_equation_of_every_block_can_be_set(name):
    found = typeset(SHOWN[name])
    assert [len(line) for line in found.lines] == [len(line) for line in clauses(SHOWN[name])]
    for line in found.lines:
        for clause in line:
            assert "<path" in clause.svg and "<symbol" not in clause.svg and "<text" not in clause.svg
            assert 0 < clause.width <= WIDEST and 0 < clause.above <= clause.height < 100


def test_lines_and_clauses():
    assert clauses(r"a = b, \quad c = d \\ e = f \\") == [["a = b,", "c = d"], ["e = f"]]


def test_names_keep_their_underscores_together():
    apart, together = typeset(r"\mathrm{num\_heads}"), typeset(r"\mathrm{numheads}")
    assert 0 < apart.lines[0][0].width - together.lines[0][0].width < 10


def wait_for(setter, latex):
    deadline = time.monotonic() + 20
    while (found := setter.find(latex)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def test_setting_is_done_in_a_thread_that_ends(monkeypatch):
    threads: list[str] = []
    monkeypatch.setattr(
        equations, "typeset", lambda latex: threads.append(threading.current_thread().name) or typeset(latex)
    )
    setter = Typesetter()
    assert setter.find("x = 1") is None
    assert wait_for(setter, "x = 1").lines
    assert wait_for(setter, "x = 1") is setter.find("x = 1")
    assert threads == ["typesetter"]
    deadline = time.monotonic() + 5
    while setter._thread is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert setter._thread is None


def test_the_newest_wish_comes_first(monkeypatch):
    order: list[str] = []
    gate = threading.Event()

    def slow(latex):
        gate.wait(5)
        order.append(latex)
        return Equation()

    monkeypatch.setattr(equations, "typeset", slow)
    setter = Typesetter()
    for latex in ("first", "second", "third", "second"):
        assert setter.find(latex) is None
        time.sleep(0.05)
    gate.set()
    for latex in ("first", "second", "third"):
        wait_for(setter, latex)
    assert order == ["first", "second", "third"]


def test_what_cannot_be_set_is_told_once(caplog):
    setter = Typesetter()
    assert wait_for(setter, r"\frac{a}") == Equation()
    assert wait_for(setter, r"\frac{a}") == Equation()
    assert [record.name for record in caplog.records] == ["app.equations"]
    caplog.clear()


def test_it_is_imported_without_warnings_and_without_qt():
    code = (
        "import sys; from app.equations import typeset; assert typeset('x').lines; "
        "assert not any(name.startswith('PySide6') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
