"""Weights on disk: safetensors whose keys follow the drawing, each tensor once, its other names in the metadata."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

ALIASES = "aliases"
SHOWN = 3
KINDS: Mapping[str, tuple[str, ...]] = {
    "real numbers": ("f", "bf"),
    "whole numbers": ("i", "u"),
    "truth values": ("bool",),
    "complex numbers": ("c",),
    "numbers of another kind": ("",),
}


class WeightsError(ValueError):
    """Weights that cannot be read, written or used here; one sentence."""


def tensors_of(model: nn.Module) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a model by their first path, and for every further path of one of them the first."""
    first: dict[int, str] = {}
    tensors: dict[str, Tensor] = {}
    aliases: dict[str, str] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) in first:
            aliases[name] = first[id(tensor)]
        else:
            first[id(tensor)] = name
            tensors[name] = tensor.detach()
    return tensors, aliases


def save_weights(model: nn.Module, path: str | Path) -> str:
    """Write a model's weights so that a crash leaves either the old file or the new one; returns its hash.

    Raises:
        WeightsError: the place cannot be written.
    """
    file = Path(path)
    tensors, aliases = tensors_of(model)
    stored = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        os.close(handle)
        save_file(stored, temporary, metadata={"format": "pt", ALIASES: json.dumps(aliases)})
        _settle_header(temporary)
        digest = file_hash(temporary)
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except (OSError, SafetensorError) as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise WeightsError(f"{file} cannot be written: {reason}.") from None
    return digest


def _settle_header(path: str) -> None:
    """Put the metadata in order; the library leaves it to chance, and equal weights should be equal files."""
    with open(path, "r+b") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
        if len(text) <= length:
            file.seek(8)
            file.write(text.ljust(length))


def file_hash(path: str | Path) -> str:
    """The blake2b hash by which a drawing recognises its weights."""
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as stream:
        while piece := stream.read(1 << 22):
            digest.update(piece)
    return digest.hexdigest()


def load_weights(model: nn.Module, path: str | Path, *, strict: bool = True) -> tuple[str, ...]:
    """Copy weights from a file into a model, cast to its types, tied ones through any of their names.

    Args:
        model: what receives them.
        path: a .safetensors file.
        strict: whether every tensor of either side must have its counterpart; else what fits is taken.

    Returns:
        What was left out, in sentences; nothing when strict.

    Raises:
        WeightsError: the file cannot be read or does not fit; the model is then as it was.
    """
    file = Path(path)
    tensors, aliases = tensors_of(model)
    try:
        with safe_open(file, framework="pt") as stored:
            faults, pairs = _match(stored, tensors, aliases)
            if faults and strict:
                raise WeightsError(f"{file.name} does not fit this drawing: {'; '.join(faults)}.")
            with torch.no_grad():
                for name, key in pairs.items():
                    tensors[name].copy_(stored.get_tensor(key))
    except FileNotFoundError:
        raise WeightsError(f"There is no file {file}.") from None
    except (OSError, SafetensorError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no safetensors file"
        raise WeightsError(f"{file.name} cannot be read: {reason}.") from None
    return tuple(f"{file.name}: {fault}." for fault in faults)


def holds_same(model: nn.Module, path: str | Path) -> bool:
    """Whether a file holds the very weights of a model, no more and no fewer, in the same types."""
    tensors, aliases = tensors_of(model)
    try:
        with safe_open(Path(path), framework="pt") as stored:
            faults, pairs = _match(stored, tensors, aliases)
            return not faults and all(_same(stored.get_tensor(key), tensors[name]) for name, key in pairs.items())
    except (OSError, SafetensorError):
        return False


def _same(one: Tensor, other: Tensor) -> bool:
    return one.dtype == other.dtype and torch.equal(one, other.cpu())


def _match(stored: Any, tensors: Mapping[str, Tensor], aliases: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """What does not fit, in clauses, and model tensor → key in the file for what does."""
    keys = set(stored.keys())
    meant = _aliases(stored.metadata())
    others: dict[str, list[str]] = {}
    for alias, name in aliases.items():
        others.setdefault(name, []).append(alias)
    pairs: dict[str, str] = {}
    missing: list[str] = []
    misshapen: list[str] = []
    used: set[str] = set()
    for name, tensor in tensors.items():
        names = [name, *others.get(name, ())]
        found = [key for key in dict.fromkeys(meant.get(n, n) for n in names) if key in keys]
        used.update(found)
        if not found:
            missing.append(name)
            continue
        there = stored.get_slice(found[0])
        shape = tuple(there.get_shape())
        if shape != tuple(tensor.shape):
            misshapen.append(f"{name} is {_spell(shape)} there and {_spell(tuple(tensor.shape))} here")
        elif _kind(there.get_dtype()) != _kind(_dtype(tensor)):
            misshapen.append(f"{name} holds {_kind(there.get_dtype())} there and {_kind(_dtype(tensor))} here")
        elif any(not torch.equal(stored.get_tensor(found[0]), stored.get_tensor(key)) for key in found[1:]):
            misshapen.append(f"{found[0]} and {found[1]} are one tensor here, but differ there")
        else:
            pairs[name] = found[0]
    extra = sorted(keys - used)
    faults = list(misshapen[:SHOWN])
    if len(misshapen) > SHOWN:
        faults.append(f"{len(misshapen) - SHOWN} more differ in shape or kind")
    if missing:
        faults.append(f"it lacks {_list(missing)}")
    if extra:
        faults.append(f"nothing here is called {_list(extra)}")
    return faults, pairs


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _kind(dtype: str) -> str:
    """What the numbers are; safetensors says F32, BF16, I64 where torch says float32, bfloat16, int64."""
    return next(kind for kind, beginnings in KINDS.items() if dtype.lower().startswith(beginnings))


def _aliases(metadata: Any) -> dict[str, str]:
    try:
        found = json.loads((metadata or {}).get(ALIASES, "{}"))
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {alias: name for alias, name in found.items() if isinstance(name, str)}


def _list(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _spell(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "a single number"
