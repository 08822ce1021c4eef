"""The page that says where each item of the chapter lives is what its generator writes, and names no false place."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "coverage.py"


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("coverage_page", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date():
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = SCRIPT.with_suffix(".md").read_text(encoding="utf-8")
    assert "missing" not in page.lower()


@pytest.mark.parametrize(
    "place",
    [
        "block:Gelu",
        "template:gtp",
        "template:gpt/huge",
        "panel:nothing",
        "code:graph/plan.py::Plans",
        "test:tests/no.py::a",
    ],
)
def test_a_place_that_does_not_exist_is_refused(coverage, place):
    with pytest.raises(coverage.Missing):
        coverage._linked(place)


def test_every_numbered_item_of_the_chapter_is_listed():
    parts = tomllib.loads(SCRIPT.with_suffix(".toml").read_text(encoding="utf-8"))["part"]
    listed = [item for part in parts for item, _, _ in part["items"]]
    counts = {
        "Definition": 22,
        "Theorem": 1,
        "Proposition": 2,
        "Algorithm": 3,
        "Remark": 18,
        "Example": 1,
        "Exercise": 14,
    }
    wanted = [f"{kind} {number}" for kind, count in counts.items() for number in range(1, count + 1)]
    assert sorted(wanted) == sorted(item for item in listed if item.partition(" ")[2].isdecimal())
    assert len([item for item in listed if item.startswith("Table 1")]) == 5
    assert next(len(part["items"]) for part in parts if "table 2" in part["title"]) == 8
