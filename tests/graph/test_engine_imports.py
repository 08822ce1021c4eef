"""A cancelled request leaves no package half imported."""

import time

import pytest

from graph.engine import Engine

LONG = 60.0


@pytest.fixture
def package(tmp_path):
    """A package whose import takes a while, after its inner module has been imported."""
    folder = tmp_path / "slow_to_import"
    folder.mkdir()
    (folder / "core.py").write_text("value = 3\n")
    (folder / "__init__.py").write_text(
        "import time\nimport slow_to_import.core\nfor _ in range(20):\n    time.sleep(0.01)\n"
    )
    return str(tmp_path)


def test_an_import_is_not_torn_by_a_cancellation(engine_jobs, package):
    with Engine(engine_jobs, spare=False) as engine:
        id = engine.submit("load", {}, folder=package, package="slow_to_import", seconds=5.0)
        until = time.monotonic() + LONG
        while not any(reading.kind == "progress" for reading in engine.poll()):
            assert time.monotonic() < until
            time.sleep(0.005)
        started = time.monotonic()
        engine.cancel(id)
        assert engine.wait(id, LONG).kind == "cancelled"
        reading = engine.wait(engine.submit("load", {}, folder=package, package="slow_to_import"), LONG)
        assert reading.kind == "result", reading.data
        assert reading.data["value"] == 3
        assert time.monotonic() - started < 4, "the cancelled request was not stopped after its import"
