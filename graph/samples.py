"""What a run is fed: a typed text or table, a picture, a file, one value or random numbers, in the order of the plan.

A sample is a small mapping that lives with its source in the drawing:
`{"kind": "random", "seed": 0}`, `{"kind": "noise", "seed": 0}` (normal numbers), `{"kind": "image", "path": "..."}`,
`{"kind": "text", "text": "...", "tokenizer": "bytes"}` (or the path of a tokenizer.json), `{"kind": "file", "path":
"x.npy"}`, `{"kind": "table", "text": "..."}` (a row a line) or `{"kind": "value", "value": 10}`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from blocks.dimensions import Dim, evaluate
from graph.issues import Requirement
from graph.machine import available_memory, bytes_text
from graph.plan import Entry, Plan
from graph.sizes import SizeError, axis_names, complete_sizes
from graph.tokens import TokenError, read_text

KINDS = ("random", "noise", "text", "image", "file", "table", "value")
BYTES_PER_LABEL = 128


class SampleError(ValueError):
    """A sample that a source cannot be fed; one sentence."""


@dataclass(frozen=True)
class Inputs:
    """What a run is fed.

    Args:
        named: source id → tensor on the CPU, in the order of `forward`.
        labels: source id → what each token reads as, for token inputs.
        sizes: every axis.
        notes: what was cut, repeated or folded to fit, in sentences.
    """

    named: Mapping[str, Tensor]
    labels: Mapping[str, list[str]]
    sizes: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors in the order of `forward`."""
        return tuple(self.named.values())


@dataclass
class _Text:
    """A text in pieces, not yet as long as the run."""

    ids: list[int]
    labels: list[str]
    axis: str


def make_inputs(
    plan: Plan,
    sizes: Mapping[str, int] | None = None,
    *,
    seed: int = 0,
    samples: Mapping[str, Mapping[str, Any]] | None = None,
    folder: str | Path | None = None,
) -> Inputs:
    """Tensors for every source of a plan.

    A text, table or file says how long it is, unless `sizes` does: a longer text or table is then cut and a shorter
    one repeated.

    Args:
        plan: whose sources are to be fed.
        sizes: axis → size, as far as the user sets them.
        seed: moves all random samples; each source draws from a generator of its own.
        samples: source id → sample, in place of the drawing's own.
        folder: where relative paths of samples begin.

    Raises:
        SampleError, SizeError: something cannot be fed; nothing is allocated for it.
    """
    given = dict(sizes or {})
    ids = {entry.id for entry in plan.entries}
    for name in samples or {}:
        if name not in ids:
            raise SampleError(f"There is no input called {name}; the inputs are {', '.join(sorted(ids)) or 'none'}.")
    chosen = {entry.id: (samples or {}).get(entry.id) or entry.sample for entry in plan.entries}
    base = Path(folder) if folder is not None else Path()
    notes: list[str] = []
    texts: dict[str, _Text] = {}
    files: dict[str, Tensor] = {}
    implied: dict[str, int] = {}
    for entry in plan.entries:
        kind = _kind(entry, chosen[entry.id])
        if kind == "text":
            texts[entry.id] = _read_text(entry, chosen[entry.id], base, notes)
        elif kind == "file":
            files[entry.id] = _read_file(entry, chosen[entry.id], base)
            _imply(entry, files[entry.id], given, implied, "file")
        elif kind == "table":
            files[entry.id] = _read_table(entry, chosen[entry.id].get("text", ""), given, notes)
            _imply(entry, files[entry.id], given, implied, "table")
    for text in texts.values():
        if text.axis in axis_names(plan) and text.axis not in given:
            length = _fitting(plan, text.axis, len(text.ids))
            implied[text.axis] = min(length, implied.get(text.axis, length))
    whole = complete_sizes(plan, {**implied, **given})
    _refuse_what_does_not_fit(plan, whole)
    named: dict[str, Tensor] = {}
    labels: dict[str, list[str]] = {}
    for entry in plan.entries:
        shape = tuple(evaluate(size, whole) for size in entry.signal.shape)
        sample = chosen[entry.id]
        if entry.id in texts:
            named[entry.id], labels[entry.id] = _lay_out(entry, texts[entry.id], shape, notes)
        elif entry.id in files:
            named[entry.id] = files[entry.id]
        else:
            named[entry.id] = _make(entry, sample, shape, base, _generator(seed, sample, entry.id))
        if entry.signal.kind == "tokens" and entry.id not in labels:
            labels[entry.id] = [str(id) for id in named[entry.id].reshape(-1, shape[-1])[0].tolist()]
    return Inputs(named, labels, whole, tuple(notes))


def _refuse_what_does_not_fit(plan: Plan, sizes: Mapping[str, int]) -> None:
    """Raise SizeError when the inputs alone would fill the memory."""
    needed = 0
    for entry in plan.entries:
        shape = [evaluate(size, sizes) for size in entry.signal.shape]
        needed += prod(shape) * {"float": 4, "bool": 1}.get(entry.signal.dtype, 8)
        if entry.signal.kind == "tokens":
            needed += shape[-1] * BYTES_PER_LABEL
    free = available_memory()
    if free is not None and needed > free:
        raise SizeError(
            f"At these sizes the inputs alone need {bytes_text(needed)}, but {bytes_text(free)} of memory are free: "
            f"a smaller {' or '.join(sorted(sizes))} would fit."
        )


def _kind(entry: Entry, sample: Mapping[str, Any]) -> str:
    kind = sample.get("kind", "random")
    if kind not in KINDS:
        raise SampleError(f"{entry.title} has a sample of kind {kind!r}; a sample is one of {', '.join(KINDS)}.")
    if kind == "text" and entry.signal.kind != "tokens":
        raise SampleError(f"{entry.title} takes {entry.signal}, not a text.")
    if kind == "image" and entry.signal.kind != "image":
        raise SampleError(f"{entry.title} takes {entry.signal}, not a picture.")
    if kind in ("noise", "table") and entry.signal.dtype != "float":
        raise SampleError(f"{entry.title} takes {entry.signal}, not {'noise' if kind == 'noise' else 'a table'}.")
    return kind


def _generator(seed: int, sample: Mapping[str, Any], id: str) -> torch.Generator:
    own = sample.get("seed", 0)
    digest = hashlib.blake2b(f"{seed}/{own}/{id}".encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)


def _path(entry: Entry, sample: Mapping[str, Any], base: Path) -> Path:
    path = sample.get("path")
    if not isinstance(path, str | Path) or not str(path):
        raise SampleError(f"{entry.title} is to be read from a file, but no file is chosen.")
    return base / path


def _read_text(entry: Entry, sample: Mapping[str, Any], base: Path, notes: list[str]) -> _Text:
    vocab = entry.signal.below or 256
    try:
        ids, labels, folded = read_text(sample.get("text", ""), sample.get("tokenizer", "bytes"), vocab, base)
    except TokenError as error:
        raise SampleError(f"{entry.title}: {error}") from None
    if folded:
        notes.append(f"{entry.title} knows {vocab} tokens only: {folded} bytes of the text were folded into them.")
    return _Text(ids, labels, str(entry.signal.shape[-1]))


def _lay_out(entry: Entry, text: _Text, shape: tuple[int, ...], notes: list[str]) -> tuple[Tensor, list[str]]:
    """The text as long as the run, once for each sample of the batch."""
    length, has = shape[-1], len(text.ids)
    if length < has:
        notes.append(f"{entry.title} was cut from {has} to {length} tokens.")
    elif length > has:
        notes.append(f"{entry.title} has {has} tokens and was repeated to fill {length}.")
    turns = -(-length // has)
    ids = (text.ids * turns)[:length]
    return torch.tensor(ids, dtype=torch.int64).expand(shape).clone(), (text.labels * turns)[:length]


def _read_file(entry: Entry, sample: Mapping[str, Any], base: Path) -> Tensor:
    import numpy as np

    path = _path(entry, sample, base)
    try:
        # Mapped first, so that a header that claims more than the file holds allocates nothing.
        stored = np.load(path, mmap_mode="r", allow_pickle=False)
        if not isinstance(stored, np.ndarray):
            stored.close()
            raise SampleError(f"{path.name} is an archive; {entry.title} takes a single array (.npy).")
        array = np.array(stored)
    except (OSError, ValueError, EOFError) as error:
        if isinstance(error, SampleError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no .npy file of numbers"
        raise SampleError(f"{path.name} cannot be read: {reason}.") from None
    wanted = entry.signal.dtype
    if array.dtype.kind not in {"float": "fiub", "integer": "iu", "bool": "b"}.get(wanted, "fiub"):
        raise SampleError(f"{path.name} holds {array.dtype}, but {entry.title} takes {wanted} numbers.")
    target = {"float": np.float32, "integer": np.int64, "bool": np.bool_}.get(wanted, np.float32)
    tensor = torch.from_numpy(np.ascontiguousarray(array, dtype=target))
    if wanted == "integer" and tensor.numel():
        _check_bound(entry, int(tensor.min()), int(tensor.max()))
    return tensor


def _check_bound(entry: Entry, low: int, high: int) -> None:
    below = entry.signal.below
    if below is not None and not 0 <= low <= high < below:
        what = "tokens" if entry.signal.kind == "tokens" else "whole numbers"
        raise SampleError(
            f"{entry.title} takes {what} from 0 to {below - 1}, but {low if low < 0 else high} is among them."
        )


def _read_table(entry: Entry, text: Any, given: Mapping[str, int], notes: list[str]) -> Tensor:
    """The numbers of a typed table: a row a line, with spaces or commas between; as many rows as are asked for."""
    rows: list[list[float]] = []
    for line in str(text).splitlines():
        try:
            row = [float(word) for word in line.replace(",", " ").split()]
        except ValueError as error:
            word = str(error).rpartition(": ")[2]
            raise SampleError(f"{entry.title} is fed a table in which {word} is no number.") from None
        if row:
            rows.append(row)
    if not rows:
        raise SampleError(f"{entry.title} is fed a table, but nothing is typed into it.")
    if len({len(row) for row in rows}) > 1:
        raise SampleError(f"{entry.title} is fed a table whose rows differ in length.")
    length = given.get(str(entry.signal.shape[0]), len(rows))
    if length < len(rows):
        notes.append(f"{entry.title} was cut from {len(rows)} to {length} rows.")
    elif length > len(rows):
        notes.append(f"{entry.title} has {len(rows)} rows and was repeated to fill {length}.")
    return torch.tensor((rows * -(-length // len(rows)))[:length])


def _imply(entry: Entry, tensor: Tensor, given: Mapping[str, int], implied: dict[str, int], what: str) -> None:
    """What the shape of a file or table says about sizes."""
    shape = tuple(tensor.shape)
    needed = f"{entry.title} takes {entry.signal}"
    if len(shape) != len(entry.signal.shape):
        raise SampleError(f"{needed}, but the {what} holds {' × '.join(map(str, shape)) or 'a single number'}.")
    for size, wanted in zip(shape, entry.signal.shape, strict=True):
        name = str(wanted)
        known = wanted if isinstance(wanted, int) else given.get(name, implied.get(name))
        if known is not None and known != size:
            raise SampleError(
                f"{needed}, but the {what} holds {' × '.join(map(str, shape))}: {name} would have to be {known}."
                if isinstance(wanted, Dim)
                else f"{needed}, but the {what} holds {' × '.join(map(str, shape))}."
            )
        if isinstance(wanted, Dim):
            implied[name] = size


def _fitting(plan: Plan, axis: str, length: int) -> int:
    """The largest size up to `length` that goes with what is required of this axis alone."""
    alone: list[Requirement] = [r for r in plan.requirements if str(r.size) == axis]
    for size in range(length, 0, -1):
        if not any(r.fault({axis: size}) for r in alone):
            return size
    fault = next(text for r in alone if (text := r.fault({axis: length})))
    raise SizeError(fault[:1].upper() + fault[1:])


def _make(
    entry: Entry, sample: Mapping[str, Any], shape: tuple[int, ...], base: Path, generator: torch.Generator
) -> Tensor:
    kind = sample.get("kind", "random")
    signal = entry.signal
    if kind == "image":
        return _read_image(entry, _path(entry, sample, base), shape)
    if kind == "value":
        return _constant(entry, sample.get("value"), shape)
    if kind == "noise":
        return torch.randn(shape, generator=generator)
    if signal.dtype == "integer":
        return torch.randint(signal.below or 2, shape, generator=generator)
    if signal.dtype == "bool":
        return _random_mask(shape, generator) if "kind" in sample else torch.ones(shape, dtype=torch.bool)
    if signal.kind == "image":
        return torch.rand(shape, generator=generator)
    if signal.kind == "number":
        return torch.randint(signal.below or 1000, shape, generator=generator).float()
    return torch.randn(shape, generator=generator)


def _random_mask(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Three of four may be seen, the first always: a query that may see nothing would have no answer."""
    mask = torch.rand(shape, generator=generator) < 0.75
    mask[..., :1] = True
    return mask


def _constant(entry: Entry, value: Any, shape: tuple[int, ...]) -> Tensor:
    dtype = {"float": torch.float32, "integer": torch.int64, "bool": torch.bool}.get(entry.signal.dtype, torch.float32)
    if not isinstance(value, int | float) or (dtype == torch.int64 and not float(value).is_integer()):
        raise SampleError(f"{entry.title} is to be fed {value!r}, which is no {entry.signal.dtype} number.")
    if dtype == torch.int64:
        _check_bound(entry, int(value), int(value))
    return torch.full(shape, value, dtype=dtype)


def _read_image(entry: Entry, path: Path, shape: tuple[int, ...]) -> Tensor:
    """A picture, cut to the middle and scaled; values from 0 to 1."""
    import numpy as np
    from PIL import Image, ImageOps, UnidentifiedImageError

    batch, channels, height, width = shape
    mode = {1: "L", 3: "RGB", 4: "RGBA"}.get(channels)
    if mode is None:
        raise SampleError(f"A picture has 1, 3 or 4 channels, but {entry.title} takes {channels}.")
    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > (Image.MAX_IMAGE_PIXELS or 2**28):
                raise SampleError(f"{path.name} is too large: {picture.width} × {picture.height} pixels.")
            upright = _eight_bits(ImageOps.exif_transpose(picture)).convert(mode)
            fitted = ImageOps.fit(upright, (width, height), Image.Resampling.BILINEAR)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, SampleError):
            raise
        known = isinstance(error, OSError) and error.strerror and not isinstance(error, UnidentifiedImageError)
        reason = error.strerror if known else "it is no picture that can be read"  # type: ignore[union-attr]
        raise SampleError(f"{path.name} cannot be read: {reason}.") from None
    grid = np.asarray(fitted, dtype=np.float32).reshape(height, width, channels) / 255.0
    one = torch.from_numpy(np.ascontiguousarray(grid.transpose(2, 0, 1)))
    return one.expand(batch, channels, height, width).clone()


def _eight_bits(picture: Any) -> Any:
    """A picture of 16 bits, as microscopes and scanners make them, in 8; Pillow would cut off all above 255."""
    if not picture.mode.startswith("I"):
        return picture
    import numpy as np
    from PIL import Image

    return Image.fromarray((np.asarray(picture).clip(0, 65535) / 257.0).round().astype(np.uint8))
