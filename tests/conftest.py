"""What all tests share: no screen, and a part of the long tests that rotates from day to day."""

from __future__ import annotations

import datetime
import os
import zlib

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("BLOCKWRIGHT_PART", str(datetime.date.today().toordinal()))  # parallel workers inherit it

PARTS = 20


def _part() -> int:
    """Today's part of the long tests, or the one that BLOCKWRIGHT_PART names."""
    return int(os.environ["BLOCKWRIGHT_PART"]) % PARTS


def pytest_report_header() -> str:
    return f"long tests: part {_part()} of {PARTS} (BLOCKWRIGHT_PART={_part()} repeats it; -m exhaustive runs all)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.markexpr or config.option.keyword or any("::" in argument for argument in config.args):
        return
    skipped, kept = [], []
    for item in items:
        waits = item.get_closest_marker("exhaustive") and zlib.crc32(item.nodeid.encode()) % PARTS != _part()
        (skipped if waits else kept).append(item)
    if skipped:
        config.hook.pytest_deselected(items=skipped)
        items[:] = kept


@pytest.fixture(autouse=True)
def _needs_gpu(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("no CUDA device here")
