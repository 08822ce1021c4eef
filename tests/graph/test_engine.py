"""The engine with real processes: results, cancellation, death, and nothing left behind."""

import multiprocessing
import os
import random
import select
import signal
import sys
import threading
import time

import numpy as np
import pytest

from graph.engine import Engine
from graph.files import document_to_data

LONG = 60.0
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no descriptors to wait for and no SIGKILL")


@pytest.fixture(scope="module")
def engine(engine_jobs):
    """One for all tests that leave its process alive: torch takes seconds to import."""
    others = set(multiprocessing.active_children())
    with Engine(engine_jobs, spare=False) as engine:
        yield engine
    assert set(multiprocessing.active_children()) <= others
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("engine")] == []


def first(engine, id, kind):
    """Wait for a reading of a kind; what else comes is dropped."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        for reading in engine.poll():
            if reading.request == id and reading.kind == kind:
                return reading
        time.sleep(0.002)
    raise AssertionError(f"no {kind} came")


def test_a_request_comes_back_with_its_revision_and_plain_values(engine):
    id = engine.submit("echo", {"title": "é", "n": [1, None, True, 0.5]}, 7, sizes={"batch": 2})
    reading = engine.wait(id, LONG)
    assert (reading.kind, reading.revision, reading.job) == ("result", 7, "echo")
    assert reading.data["document"] == {"title": "é", "n": [1, None, True, 0.5]}
    assert reading.data["options"] == {"sizes": {"batch": 2}}
    assert reading.data["pid"] != os.getpid()
    assert engine.state == "ready" and engine.device_name


def test_a_drawing_runs_and_is_looked_into(engine, tiny):
    data = document_to_data(tiny("gpt"))
    reading = engine.wait(engine.submit("run", data, 1), LONG)
    assert reading.kind == "result", reading.data
    assert reading.data["attention_kernel"] == "flash"
    assert reading.data["outputs"]["logits"]["shape"] == [1, 32, 61]
    counts = reading.data["activations"]["decoder.2/attn"]["histogram"]["counts"]
    assert isinstance(counts, np.ndarray) and counts.sum() == 32 * 32
    maps = engine.wait(engine.submit("attention", data, 1, node="decoder/attn"), LONG)
    assert maps.data["maps"].shape == (3, 4, 32, 32)
    part = engine.wait(engine.submit("inspect", data, 1, node="decoder.1/mlp"), LONG)
    assert part.data["image"].dtype == np.uint8 and part.data["values"].shape == (32, 32)
    needed = engine.wait(engine.submit("estimate", data, 1), LONG)
    assert needed.data["parameters_unique"] == reading.data["parameters"]


def test_progress_is_reported_while_it_runs(engine):
    id = engine.submit("count", {}, steps=40)
    readings = []
    while not readings or not readings[-1].is_last:
        readings += [reading for reading in engine.poll() if reading.request == id]
        time.sleep(0.002)
    done = [reading.data["done"] for reading in readings if reading.kind == "progress"]
    assert len(done) >= 3 and done == sorted(done)
    assert readings[0].data == {"done": 0, "total": 40, "text": "step 0", "place": "", "passed": []}
    assert readings[-1].data["steps"] == 40


def test_what_runs_long_is_named_though_it_came_soon_after_others(engine):
    places = [f"decoder.{layer}/{id}" for layer in range(50) for id in ("norm", "attn")]
    id = engine.submit("walk", {}, places=places, seconds=0.4)
    readings = []
    while not readings or not readings[-1].is_last:
        readings += [reading for reading in engine.poll() if reading.request == id]
        time.sleep(0.002)
    told = [reading.data for reading in readings if reading.kind == "progress"]
    assert told[-1]["place"] == "decoder.49/attn", "a thread says what is left unsaid"
    assert [place for data in told for place in data["passed"]] == places[:-1], "each is named once, when it has ended"
    assert len(told) <= 4, "and the pipe is not flooded"


def test_cancel_in_mid_run_answers_at_once_and_the_process_goes_on(engine):
    pid = engine.wait(engine.submit("echo", {}), LONG).data["pid"]
    id = engine.submit("count", {}, steps=3000)
    first(engine, id, "progress")
    assert engine.state == "running"
    begun = time.perf_counter()
    engine.cancel(id)
    answers = [reading for reading in engine.poll() if reading.is_last]
    assert time.perf_counter() - begun < 0.1
    assert [(answer.request, answer.kind, answer.data) for answer in answers] == [
        (id, "cancelled", {"reason": "asked"})
    ]
    again = engine.wait(engine.submit("count", {}, steps=1), LONG)
    assert again.kind == "result" and again.data["pid"] == pid
    assert time.perf_counter() - begun < 5.0
    with pytest.raises(KeyError):
        engine.wait(id, 1.0)


def test_cancel_reaches_a_process_that_sleeps(engine):
    pid = engine.wait(engine.submit("echo", {}), LONG).data["pid"]
    id = engine.submit("sleep", {}, seconds=300)
    time.sleep(0.2)
    engine.cancel(id)
    begun = time.perf_counter()
    assert engine.wait(engine.submit("echo", {}), LONG).data["pid"] == pid
    assert time.perf_counter() - begun < 5.0


def test_cancel_right_after_the_request(engine):
    pid = engine.wait(engine.submit("echo", {}), LONG).data["pid"]
    for _ in range(20):
        engine.cancel(engine.submit("sleep", {}, seconds=300))
        assert engine.wait(engine.submit("echo", {}), LONG).data["pid"] == pid


def test_cancel_in_the_middle_of_a_model(engine, tiny):
    data = document_to_data(tiny("gpt", layers=200, dim=64, context=512))
    id = engine.submit("run", data, sizes={"seq": 512, "batch": 8})
    first(engine, id, "progress")
    time.sleep(0.3)
    engine.cancel(id)
    small = document_to_data(tiny("gpt"))
    assert engine.wait(engine.submit("run", small), LONG).kind == "result"


@pytest.mark.exhaustive
def test_cancel_at_any_moment_leaves_a_sound_model(engine, tiny):
    """Wherever the interruption strikes, while building, running, measuring or drawing maps, the next run is right."""
    data = document_to_data(tiny("gpt", layers=6))
    other = document_to_data(tiny("diffusion_unet"))
    expected = engine.wait(engine.submit("run", data), LONG).data["outputs"]["logits"]
    chance = random.Random(0)
    for turn in range(60):
        job, drawing, options = chance.choice(
            [
                ("run", data, {}),
                ("run", other, {}),
                ("run", data, {"seed": turn}),
                ("attention", data, {"node": "decoder/attn"}),
                ("inspect", data, {"node": "decoder.3/mlp"}),
            ]
        )
        id = engine.submit(job, drawing, **options)
        until = time.monotonic() + chance.random() * 0.25
        while time.monotonic() < until:
            engine.poll()
            time.sleep(0.001)
        engine.cancel(id)
        if turn % 5 == 4:
            reading = engine.wait(engine.submit("run", data), LONG)
            assert reading.kind == "result", reading.data
            assert reading.data["outputs"]["logits"] == expected
            assert reading.data["attention_kernel"] == "flash"


@posix
def test_a_killed_process_is_noticed_and_the_next_run_works(engine, tiny):
    pid = engine.wait(engine.submit("echo", {}), LONG).data["pid"]
    id = engine.submit("count", {}, steps=3000)
    waiting = engine.submit("echo", {"next": True})
    first(engine, id, "progress")
    os.kill(pid, signal.SIGKILL)
    reading = engine.wait(id, LONG)
    assert reading.kind == "died"
    assert "SIGKILL" in reading.data["message"] and "the drawing is as it was" in reading.data["message"]
    after = engine.wait(waiting, LONG)
    assert after.kind == "result" and after.data["pid"] != pid
    run = engine.wait(engine.submit("run", document_to_data(tiny("unet"))), LONG)
    assert run.kind == "result"


def test_a_process_that_ends_itself_is_replaced(engine):
    assert (
        engine.wait(engine.submit("die", {}, code=3), LONG)
        .data["message"]
        .startswith("The engine's process was ended with code 3")
    )
    assert engine.wait(engine.submit("echo", {}), LONG).kind == "result"


def test_the_newest_request_of_a_job_wins(engine):
    engine.wait(engine.submit("echo", {}), LONG)
    running = engine.submit("count", {}, 1, steps=3000)
    first(engine, running, "progress")
    queued = engine.submit("count", {}, 2, steps=3000)
    newest = engine.submit("count", {}, 3, steps=2)
    other = engine.submit("echo", {}, 3)
    ends = {}
    while newest not in ends or other not in ends:
        for reading in engine.poll():
            if reading.is_last:
                assert reading.request not in ends
                ends[reading.request] = reading
        time.sleep(0.002)
    assert ends[running].kind == ends[queued].kind == "cancelled"
    assert ends[running].data == ends[queued].data == {"reason": "superseded"}
    assert (ends[newest].kind, ends[newest].revision) == ("result", 3)
    assert ends[other].kind == "result"


def test_an_answer_that_is_not_wanted_any_more_is_dropped(engine):
    engine.wait(engine.submit("echo", {}), LONG)
    id = engine.submit("echo", {})
    time.sleep(0.3)  # the answer lies in the pipe by now
    engine.cancel(id)
    assert [reading.kind for reading in engine.poll()] == ["cancelled"]
    assert engine.wait(engine.submit("echo", {}), LONG).kind == "result"


def test_arrays_of_64_megabytes(engine):
    engine.wait(engine.submit("big", {}, bytes=64_000_000), LONG)
    begun = time.perf_counter()
    reading = engine.wait(engine.submit("big", {}, bytes=64_000_000), LONG)
    assert time.perf_counter() - begun < 5.0
    array = reading.data["array"]
    assert array.dtype == np.float32 and len(array) == 16_000_000
    assert np.array_equal(array, np.arange(16_000_000, dtype=np.float32))
    assert reading.data["nested"][0]["flags"].tolist() == [True, False]
    small = engine.wait(engine.submit("big", {}, bytes=400), LONG)
    assert len(small.data["array"]) == 100 and len(array) == 16_000_000
    array[0] = 5.0  # it is the window's own


def test_no_room_for_arrays_is_an_error_and_no_end(engine, monkeypatch):
    def full(size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("graph.slots.Slot.create", full)
    reading = engine.wait(engine.submit("big", {}, bytes=200_000_000), LONG)
    assert reading.kind == "error" and reading.data["fault"]
    assert engine.wait(engine.submit("echo", {}), LONG).kind == "result"


def test_faults_of_users_and_slips_of_ours_are_told_apart(engine):
    theirs = engine.wait(engine.submit("fault", {}, ours=True), LONG)
    assert theirs.kind == "error"
    assert theirs.data["message"] == "This cannot be." and theirs.data["fault"] is True
    ours = engine.wait(engine.submit("fault", {}), LONG)
    assert ours.data["message"] == "a slip of ours" and ours.data["fault"] is False
    assert ours.data["type"] == "ZeroDivisionError" and "engine_jobs.py" in ours.data["trace"]
    odd = engine.wait(engine.submit("unsendable", {}), LONG)
    assert "data.set is a set" in odd.data["message"]


def test_two_engines_at_once(engine, engine_jobs):
    with Engine(engine_jobs, spare=False) as other:
        a, b = engine.submit("count", {}, steps=20), other.submit("count", {}, steps=20)
        one, two = engine.wait(a, LONG), other.wait(b, LONG)
        assert one.data["steps"] == two.data["steps"] == 20
        assert one.data["pid"] != two.data["pid"]
        other.cancel(other.submit("count", {}, steps=3000))
        assert engine.wait(engine.submit("echo", {}), LONG).kind == "result"


def test_wait_leaves_the_readings_of_others(engine):
    quick = engine.submit("echo", {})
    slow = engine.submit("count", {}, steps=3)
    engine.wait(slow, LONG)
    assert [(r.request, r.kind) for r in engine.poll() if r.request == quick] == [(quick, "result")]
    sleeper = engine.submit("sleep", {}, seconds=30)
    with pytest.raises(TimeoutError):
        engine.wait(sleeper, 0.2)
    engine.cancel(sleeper)
    assert [r.request for r in engine.poll() if r.is_last] == [sleeper]


@posix
def test_the_descriptor_wakes_an_event_loop(engine):
    """As QSocketNotifier uses it: nothing is polled unless the descriptor is readable."""

    def next_readings():
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            readable, _, _ = select.select([engine.fileno()], [], [], 1.0)
            if readable:
                readings = engine.poll()
                if readings:
                    return readings
        raise AssertionError("nothing came")

    descriptor = engine.fileno()
    id = engine.submit("echo", {})
    assert [(r.request, r.kind) for r in next_readings()] == [(id, "result")]
    engine.poll()
    assert select.select([engine.fileno()], [], [], 0.05)[0] == []  # quiet when there is nothing
    slow = engine.submit("sleep", {}, seconds=100)
    engine.cancel(slow)
    assert select.select([engine.fileno()], [], [], 0.1)[0] != []
    assert [r.kind for r in next_readings()] == ["cancelled"]
    pid = engine._worker.pid
    killed = engine.submit("sleep", {}, seconds=100)
    while engine._running is None or engine._running.id != killed:
        engine.poll()
    os.kill(pid, signal.SIGKILL)
    begun = time.perf_counter()
    assert [(r.request, r.kind) for r in next_readings()] == [(killed, "died")]
    assert time.perf_counter() - begun < 1.0
    assert engine.wait(engine.submit("echo", {}), LONG).kind == "result"
    assert engine.fileno() == descriptor
