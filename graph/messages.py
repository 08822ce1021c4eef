"""What the window and the engine's process say to each other: JSON with a version, arrays beside it in shared memory.

Nothing here can run code: plain values go as JSON, arrays as raw numbers whose type and shape the JSON gives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

VERSION = 1
ALIGNMENT = 64
PLACE = "$array"
NUMBERS = "biuf"


class MessageError(ValueError):
    """Something that cannot be said, or bytes that say nothing; one sentence."""


def encode(kind: str, /, **fields: Any) -> bytes:
    """A message of plain values."""
    return json.dumps({"version": VERSION, "type": kind, **fields}, separators=(",", ":")).encode()


def decode(data: bytes) -> dict[str, Any]:
    """A message as sent by `encode`.

    Raises:
        MessageError: it is none, or of another version.
    """
    try:
        message = json.loads(data)
    except ValueError:
        raise MessageError("A message is no JSON.") from None
    if not isinstance(message, dict) or message.get("version") != VERSION or not isinstance(message.get("type"), str):
        raise MessageError(f"A message is not of version {VERSION}.")
    return message


def pack(data: Any) -> tuple[Any, list[np.ndarray]]:
    """Plain values with a mark where an array was, and the arrays.

    Raises:
        MessageError: there is a value that is neither plain nor an array of numbers.
    """
    arrays: list[np.ndarray] = []
    return _pack(data, arrays, "data"), arrays


def unpack(plain: Any, arrays: Sequence[np.ndarray]) -> Any:
    """The opposite of `pack`."""
    if isinstance(plain, dict):
        if plain.keys() == {PLACE}:
            return arrays[plain[PLACE]]
        return {key: unpack(value, arrays) for key, value in plain.items()}
    if isinstance(plain, list):
        return [unpack(value, arrays) for value in plain]
    return plain


def lay_out(arrays: Sequence[np.ndarray]) -> tuple[list[dict[str, Any]], int]:
    """Where each array lies in a block of memory, and how long that is."""
    specs: list[dict[str, Any]] = []
    end = 0
    for array in arrays:
        specs.append({"dtype": array.dtype.str, "shape": list(array.shape), "offset": end})
        end += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    return specs, end


def write(arrays: Sequence[np.ndarray], specs: Sequence[Mapping[str, Any]], memory: memoryview) -> None:
    """Copy arrays into a block of memory."""
    for array, spec in zip(arrays, specs, strict=True):
        if array.size:
            place = np.frombuffer(memory, array.dtype, array.size, spec["offset"])
            place.reshape(array.shape)[...] = array
            del place


def read(specs: Sequence[Mapping[str, Any]], memory: memoryview | None) -> list[np.ndarray]:
    """Copies of the arrays in a block of memory.

    Raises:
        MessageError: they do not lie within it.
    """
    arrays: list[np.ndarray] = []
    for spec in specs:
        dtype, shape, offset = np.dtype(spec["dtype"]), tuple(spec["shape"]), spec["offset"]
        count = int(np.prod(shape, dtype=np.int64))
        if count == 0:
            arrays.append(np.zeros(shape, dtype))
            continue
        if dtype.kind not in NUMBERS or memory is None or not 0 <= offset <= len(memory) - count * dtype.itemsize:
            raise MessageError("An array does not lie within the memory that was given for it.")
        arrays.append(np.frombuffer(memory, dtype, count, offset).reshape(shape).copy())
    return arrays


def _pack(value: Any, arrays: list[np.ndarray], where: str) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in NUMBERS:
            raise MessageError(f"{where} is an array of {value.dtype}, which is no number.")
        arrays.append(np.ascontiguousarray(value) if value.ndim else value)
        return {PLACE: len(arrays) - 1}
    if isinstance(value, int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {_key(key, where): _pack(item, arrays, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_pack(item, arrays, f"{where}[{place}]") for place, item in enumerate(value)]
    raise MessageError(f"{where} is a {type(value).__name__}, which cannot be sent.")


def _key(key: Any, where: str) -> str:
    if not isinstance(key, str) or key == PLACE:
        raise MessageError(f"{where} has the key {key!r}, which cannot be sent.")
    return key
