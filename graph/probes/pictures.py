"""A part of a tensor as a picture of bytes, with the values behind it: a slice, or a grid of channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

GAP = 1
MOST_TILES = 1024


class PictureError(ValueError):
    """A part of a tensor that is not there; one sentence."""


def value(x: Tensor, index: Sequence[int]) -> dict[str, Any]:
    """One number, exactly."""
    where = _index(x, index, x.dim())
    return {"value": float(x[where]), "index": list(where), "shape": list(x.shape)}


def slice_picture(x: Tensor, index: Sequence[int] | None, limit: int) -> dict[str, Any]:
    """The last two axes at given leading indices (the first of each where none are given)."""
    leading = max(0, x.dim() - 2)
    where = _index(x, index or (), leading)
    part = x[where]
    part = part.reshape(1, -1) if part.dim() < 2 else part
    values, block = shrink(_plain(part), limit)
    return {**picture(values), "block": block, "index": list(where), "shape": list(x.shape)}


def channel_picture(x: Tensor, index: Sequence[int] | None, limit: int) -> dict[str, Any]:
    """All channels of one sample side by side: the third axis from the end, tile by tile."""
    if x.dim() < 3:
        return slice_picture(x, index, limit)
    where = _index(x, index or (), x.dim() - 3)
    tiles = x[where][:MOST_TILES]
    count, height, width = tiles.shape
    columns = max(1, round((count * height / max(1, width)) ** 0.5))
    rows = -(-count // columns)
    side = max(1, limit // max(rows, columns))
    small, block = shrink(_plain(tiles), side)
    shown = small.cpu().numpy()
    filler = float(np.nanmin(shown)) if np.isfinite(shown).any() else 0.0
    sheet = tile(shown, (rows, columns), filler)
    height, width = shown.shape[-2:]
    return {
        **picture(torch.from_numpy(sheet)),
        "block": block,
        "index": list(where),
        "shape": list(x.shape),
        "tile": [height, width],
        "grid": [rows, columns],
    }


def tile(tiles: np.ndarray, grid: tuple[int, int], filler: float) -> np.ndarray:
    """Pictures (n, height, width) on one sheet, row by row, with a gap between."""
    rows, columns = grid
    height, width = tiles.shape[-2:]
    sheet = np.full((rows * (height + GAP) - GAP, columns * (width + GAP) - GAP), filler, dtype=tiles.dtype)
    for place, picture_of_one in enumerate(tiles):
        row, column = divmod(place, columns)
        top, left = row * (height + GAP), column * (width + GAP)
        sheet[top : top + height, left : left + width] = picture_of_one
    return sheet


def picture(values: Tensor) -> dict[str, Any]:
    """Values and their bytes: 0 stands for `low`, 255 for `high`; `bad` marks NaN and Inf where there are any."""
    plain = values.cpu().numpy()
    fine = np.isfinite(plain)
    low, high = (float(plain[fine].min()), float(plain[fine].max())) if fine.any() else (0.0, 0.0)
    span = high - low if high > low else 1.0
    scaled = np.where(fine, (plain.astype(np.float64) - low) / span * 255.0, 0.0)
    data: dict[str, Any] = {
        "image": np.rint(scaled).astype(np.uint8),
        "values": plain.astype(np.float32),
        "low": low,
        "high": high,
    }
    if not fine.all():
        data["bad"] = (~fine).astype(np.uint8)
    return data


def shrink(x: Tensor, limit: int) -> tuple[Tensor, list[int]]:
    """Means of blocks of the last two axes, so that neither is longer than `limit`; and the block's size."""
    height, width = x.shape[-2:]
    block = [max(1, -(-height // limit)), max(1, -(-width // limit))]
    if block == [1, 1]:
        return x, block
    flat = x.reshape(-1, 1, height, width)
    small = functional.avg_pool2d(flat, block, ceil_mode=True, count_include_pad=False)
    return small.reshape(*x.shape[:-2], *small.shape[-2:]), block


def _plain(x: Tensor) -> Tensor:
    return x.detach().to(torch.float32)


def _index(x: Tensor, index: Sequence[int], wanted: int) -> tuple[int, ...]:
    given = tuple(int(place) for place in index)[:wanted]
    where = given + (0,) * (wanted - len(given))
    for place, size in zip(where, x.shape, strict=False):
        if not 0 <= place < size:
            raise PictureError(f"There is no place {place} on an axis of {size}.")
    return where
