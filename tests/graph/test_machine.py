import pytest
import torch

from graph import machine
from graph.machine import available_memory, bytes_text


def test_bytes_as_people_say_them():
    said = {0: "0 B", 512: "512 B", 1536: "1.5 KiB", 2**20: "1 MiB", int(1.25 * 2**30): "1.25 GiB", 2**37: "128 GiB"}
    assert {count: bytes_text(count) for count in said} == said
    assert bytes_text(3 * 2**40) == "3 TiB" and bytes_text(5000 * 2**40) == "5,000 TiB"


def test_memory_that_is_left_is_less_than_there_is():
    free = available_memory()
    assert free is None or 2**24 < free < 2**50
    assert available_memory(torch.device("cpu")) is None or available_memory("cpu") > 0


def test_a_container_may_have_less_than_its_machine(monkeypatch):
    files = {
        "/proc/meminfo": "MemTotal: 100 kB\nMemAvailable:   64000 kB\n",
        "/sys/fs/cgroup/memory.max": "30000000\n",
        "/sys/fs/cgroup/memory.current": "10000000\n",
    }
    monkeypatch.setattr(machine, "_read", lambda path: files.get(str(path), ""))
    assert machine._linux() == 20_000_000
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert machine._linux() == 64_000 * 1024
    files.clear()
    assert machine._linux() is None


def test_devices_that_are_not_there():
    from graph.room import RunError, pick_device

    assert pick_device("cpu") == torch.device("cpu")
    for name in ("cuda:99", "warp", "meta"):
        with pytest.raises(RunError, match=name):
            pick_device(name)
