"""How engines begin and end: closed, killed, replaced, unable to start; each test has one of its own."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from graph.engine import Engine

HERE = Path(__file__).parent
LONG = 60.0
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no descriptors to wait for and no SIGKILL")


@pytest.fixture
def doomed(engine_jobs):
    with Engine(engine_jobs, spare=False) as engine:
        yield engine


def first(engine, id, kind):
    """Wait for a reading of a kind; what else comes is dropped."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        for reading in engine.poll():
            if reading.request == id and reading.kind == kind:
                return reading
        time.sleep(0.002)
    raise AssertionError(f"no {kind} came")


@posix
def test_what_cannot_be_interrupted_is_killed_and_the_spare_takes_over(engine_jobs):
    others = set(multiprocessing.active_children())
    with Engine(engine_jobs, spare=True) as engine:
        pid = engine.wait(engine.submit("echo", {}), LONG).data["pid"]
        until = time.monotonic() + LONG
        while not (engine._spare and engine._spare.ready) and time.monotonic() < until:
            engine.poll()
            time.sleep(0.01)
        id = engine.submit("deaf", {}, seconds=60)
        first(engine, id, "progress")
        begun = time.perf_counter()
        engine.cancel(id)
        assert [reading.kind for reading in engine.poll()] == ["cancelled"]
        reading = engine.wait(engine.submit("echo", {}), LONG)
        assert time.perf_counter() - begun < 5.0
        assert reading.kind == "result" and reading.data["pid"] != pid
        assert [r for r in engine.poll() if r.request == id] == []
    assert set(multiprocessing.active_children()) <= others


def test_where_shared_memory_is_small_a_file_serves(doomed, monkeypatch, tmp_path):
    monkeypatch.setattr("graph.slots._has_room", lambda size: False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    reading = doomed.wait(doomed.submit("big", {}, bytes=4_000_000), LONG)
    assert reading.data["array"][-1] == 999_999
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [4 * 2**20]
    doomed.close()
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_cannot_start_says_so_and_tries_again():
    with Engine({"echo": "no_such_module:echo"}, spare=False) as engine:
        for _ in range(2):
            reading = engine.wait(engine.submit("echo", {}), LONG)
            assert reading.kind == "died"
            assert engine.state == "dead"


def test_a_device_that_is_not_there_is_named(engine_jobs):
    with Engine(engine_jobs, device="cuda:99", spare=False) as engine:
        reading = engine.wait(engine.submit("echo", {}), LONG)
        assert reading.data["message"] == "This machine has no device cuda:99."


def test_what_is_asked_must_be_plain_and_known(doomed):
    with pytest.raises(KeyError):
        doomed.submit("nothing", {})
    with pytest.raises(ValueError, match="goes through a file"):
        doomed.submit("echo", {}, array=np.zeros(3))
    doomed.close()
    with pytest.raises(RuntimeError):
        doomed.submit("echo", {})
    doomed.close()


def test_closing_ends_what_is_open(engine_jobs):
    engine = Engine(engine_jobs, spare=False)
    assert engine.state == "dead"
    engine.start()
    assert engine.state == "starting"
    ids = [engine.submit("sleep", {}, seconds=100), engine.submit("echo", {})]
    engine.close()
    ends = {reading.request: reading for reading in engine.poll()}
    assert [(ends[id].kind, ends[id].data) for id in ids] == [("cancelled", {"reason": "closed"})] * 2
    assert engine.state == "dead"


@posix
def test_the_worker_ends_with_the_window_and_leaves_nothing(tmp_path):
    """A window that is killed outright: its worker goes, and nothing is said about leaks."""
    script = tmp_path / "window.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys, time
        sys.path[:0] = [{str(HERE / "jobs")!r}, {str(HERE.parent.parent)!r}]
        from graph.engine import Engine
        if __name__ == "__main__":
            engine = Engine({{"big": "engine_jobs:big", "sleep": "engine_jobs:sleep"}}, spare=False)
            engine.start()
            print(engine.wait(engine.submit("big", {{}}, bytes=4_000_000)).data["pid"], flush=True)
            if sys.argv[1] == "killed":
                engine.submit("sleep", {{}}, seconds=100)
                time.sleep(100)
            engine.close()
        """)
    )
    for way in ("closed", "killed"):
        process = subprocess.Popen(
            [sys.executable, "-W", "error", script, way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        if way == "killed":
            process.kill()
        _, said = process.communicate(timeout=LONG)
        if way == "closed":
            assert said == "" and process.returncode == 0
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                os.kill(worker, 0)
            except ProcessLookupError:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the worker lives on")
