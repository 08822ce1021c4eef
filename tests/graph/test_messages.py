import json
from pathlib import PurePosixPath

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from graph import messages
from graph.messages import MessageError
from graph.slots import Slot

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text().filter(lambda key: key != messages.PLACE), inner),
)
numbers = arrays_of.arrays(
    st.sampled_from(["<f4", "<f8", "u1", "<i8", "?", "<f2"]), arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0)
)


@given(plain)
def test_plain_values_come_back_as_they_went(value):
    packed, arrays = messages.pack({"data": value})
    assert arrays == []
    message = messages.decode(messages.encode("result", data=packed, kind=1))
    assert messages.unpack(message["data"], []) == {"data": value} and message["kind"] == 1


@given(st.lists(numbers, max_size=4))
def test_arrays_come_back_to_the_bit_with_memory_of_their_own(given_arrays):
    packed, arrays = messages.pack({"nested": [{"a": array} for array in given_arrays]})
    specs, size = messages.lay_out(arrays)
    assert all(spec["offset"] % 64 == 0 for spec in specs)
    memory = bytearray(size)
    messages.write(arrays, specs, memoryview(memory))
    specs = json.loads(json.dumps(specs))
    found = messages.unpack(json.loads(json.dumps(packed)), messages.read(specs, memoryview(memory)))
    memory[:] = bytes(size)
    for before, after in zip(given_arrays, (item["a"] for item in found["nested"]), strict=True):
        assert after.dtype == before.dtype and after.shape == before.shape
        assert after.tobytes() == before.tobytes()


def test_numbers_of_numpy_and_paths_are_plain():
    packed, arrays = messages.pack({"a": np.float32(0.5), "b": np.int64(3), "c": PurePosixPath("x/y"), "d": (1, 2)})
    assert packed == {"a": 0.5, "b": 3, "c": "x/y", "d": [1, 2]} and arrays == []


@pytest.mark.parametrize(
    "value,words",
    (
        ({"a": {1: 2}}, "data.a has the key 1"),
        ({"a": [object()]}, r"data.a\[0\] is a object"),
        ({"a": np.array([object()])}, "data.a is an array of object"),
        ({messages.PLACE: 0}, "has the key"),
    ),
)
def test_what_cannot_be_sent_is_named(value, words):
    with pytest.raises(MessageError, match=words):
        messages.pack(value)


@pytest.mark.parametrize("data", (b"", b"{", b"[]", b'{"version": 2, "type": "x"}', b'{"version": 1}', b"\xff\xfe"))
def test_bytes_that_are_no_message_are_refused(data):
    with pytest.raises(MessageError):
        messages.decode(data)


@pytest.mark.parametrize(
    "spec",
    (
        {"dtype": "<f4", "shape": [5], "offset": 0},
        {"dtype": "<f4", "shape": [1], "offset": 16},
        {"dtype": "<f4", "shape": [1], "offset": -4},
        {"dtype": "O", "shape": [1], "offset": 0},
        {"dtype": "<f4", "shape": [2**40, 2**40], "offset": 0},
    ),
)
def test_arrays_outside_of_their_memory_are_refused(spec):
    with pytest.raises((MessageError, ValueError)):
        messages.read([spec], memoryview(bytearray(16)))
    with pytest.raises((MessageError, ValueError)):
        messages.read([spec], None)


@pytest.mark.parametrize("kind", ("memory", "file"))
def test_a_slot_is_seen_from_both_sides_and_goes_with_its_owner(kind, monkeypatch, tmp_path):
    monkeypatch.setattr("graph.slots._has_room", lambda size: kind == "memory")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    slot = Slot.create(5000)
    assert slot.kind == kind and len(slot.memory) >= 5000
    slot.memory[:3] = b"abc"
    if kind == "file":
        other = Slot.attach(slot.kind, slot.name, slot.size)
        assert bytes(other.memory[:3]) == b"abc"
        other.memory[4] = 7
        other.close()
        assert slot.memory[4] == 7
    slot.close()
    slot.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        Slot.attach(slot.kind, slot.name, slot.size)


def test_shared_memory_that_is_too_small_is_not_used(monkeypatch):
    from graph import slots

    assert slots._has_room(1000)
    assert not slots.SHARED.is_dir() or not slots._has_room(2**60)
    monkeypatch.setattr("graph.slots.SHARED", slots.SHARED / "none")
    assert slots._has_room(2**60)
