"""Statistics of a tensor at the cost of a few passes over it; see `measure`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

SAMPLE = 1 << 15  # below this torch starts no threads
BINS = 64


def measure(x: Tensor, *, histogram: bool = True, exact: bool = False) -> dict[str, Any]:
    """Mean, spread, extremes, norm, share of zeros, count of NaN and Inf, histograms.

    Sums and extremes see every value; the share of zeros and the histograms come from at most 32,768 values, spread
    evenly, unless `exact`. NaN and Inf are found from the full sum and then counted in full; the other figures leave
    them out. `exponents` counts magnitudes by their power of two, from `low` on: values at or above 2^16 would
    overflow in float16.
    """
    data: dict[str, Any] = {"shape": list(x.shape), "dtype": str(x.dtype).removeprefix("torch.")}
    if x.numel() == 0:
        return data | dict.fromkeys(("mean", "std", "min", "max", "norm", "zeros"), None) | {"nan": 0, "inf": 0}
    flat = x.detach().reshape(-1)
    if not flat.is_floating_point():
        flat = flat.to("cpu", torch.float64)  # not every device has float64
    data |= _moments(flat)
    sample = _sample(flat, len(flat) if exact else SAMPLE)
    finite = sample[torch.isfinite(sample)] if data["nan"] or data["inf"] else sample
    data["zeros"] = float((finite == 0).sum()) / max(1, len(finite))
    if histogram:
        data["histogram"] = _histogram(finite, data["min"], data["max"])
        data["exponents"] = _exponents(finite)
    return data


def brief(x: Tensor) -> dict[str, Any]:
    """The few figures of an output of the model."""
    data = measure(x, histogram=False)
    return {name: data[name] for name in ("shape", "dtype", "mean", "std", "min", "max", "nan", "inf")}


def _moments(flat: Tensor) -> dict[str, Any]:
    wide = torch.float64 if flat.dtype == torch.float64 else torch.float32
    low, high = torch.aminmax(flat)
    figures = torch.stack(
        [flat.sum(dtype=wide), torch.linalg.vector_norm(flat, dtype=wide), low.to(wide), high.to(wide)]
    )
    total, norm, lowest, highest = figures.tolist()
    count = len(flat)
    nan = inf = 0
    if not math.isfinite(total) or not math.isfinite(norm):
        nan, inf = int(torch.isnan(flat).sum()), int(torch.isinf(flat).sum())
        kept = flat[torch.isfinite(flat)].to("cpu", torch.float64)
        count = len(kept)
        if count == 0:
            return {"mean": None, "std": None, "min": None, "max": None, "norm": None, "nan": nan, "inf": inf}
        total, norm = float(kept.sum()), float(torch.linalg.vector_norm(kept))
        lowest, highest = float(kept.min()), float(kept.max())
        flat = kept
    mean = total / count
    variance = max(0.0, norm * norm / count - mean * mean)
    if variance < 1e-2 * mean * mean:  # the difference of two large numbers: look again
        variance = float(torch.var(flat.to("cpu", torch.float64), correction=0)) if count > 1 else 0.0
    return {
        "mean": mean,
        "std": math.sqrt(variance),
        "min": lowest,
        "max": highest,
        "norm": norm,
        "nan": nan,
        "inf": inf,
    }


def _sample(flat: Tensor, most: int) -> Tensor:
    """Evenly spread values; the step shares no factor with the length, so it visits every feature."""
    step = -(-len(flat) // most)
    while step > 1 and math.gcd(step, len(flat)) > 1:
        step += 1
    sample = flat[::step]
    return sample.to("cpu", torch.float64 if flat.dtype == torch.float64 else torch.float32)


def _histogram(sample: Tensor, low: float | None, high: float | None) -> dict[str, Any]:
    if low is None or high is None or len(sample) == 0:
        return {"edges": np.linspace(-0.5, 0.5, BINS + 1, dtype=np.float32), "counts": np.zeros(BINS, np.int64)}
    if not high > low:
        low, high = low - 0.5, high + 0.5
    if not math.isfinite(high - low):  # the span itself overflows
        low, high = -3e38, 3e38
    counts = torch.histc(sample.double(), BINS, low, high)
    return {
        "edges": np.linspace(low, high, BINS + 1).astype(np.float32),
        "counts": counts.to(torch.int64).numpy(),
    }


def _exponents(sample: Tensor) -> dict[str, Any]:
    """How many magnitudes lie in [2^e, 2^(e+1)) for each e from `low` on; zeros and subnormals are left out."""
    bits = sample.float().contiguous().view(torch.int32)
    counts = torch.bincount((bits >> 23) & 255, minlength=256)[1:255]
    seen = torch.nonzero(counts).reshape(-1)
    if len(seen) == 0:
        return {"low": 0, "counts": np.zeros(0, np.int64)}
    first, last = int(seen[0]), int(seen[-1])
    return {"low": first + 1 - 127, "counts": counts[first : last + 1].numpy()}
