"""What an attention reading says, in words: labels of tokens, what a row looks at, the figures of a whole map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app import numbers
from app.widgets.bars import Bar
from app.widgets.figures import Figure

INVISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "": "∅"}
LONGEST = 12
SCALES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""What a full bar may stand for."""


def token_labels(labels: Sequence[str], count: int, block: int) -> list[str]:
    """A label for each row or column: its token, the tokens of its block, or its first number."""
    places = range(-(-count // block))
    if not labels:
        return [str(place * block) for place in places]
    return [_one([readable(text) for text in labels[place * block : (place + 1) * block]]) for place in places]


def looker(labels: Sequence[str], row: int, count: int, block: int) -> str:
    """The heading above what a row looks at."""
    if labels:
        return f"“{token_labels(labels, count, block)[row]}” looks at"
    first, last = row * block, min((row + 1) * block, count) - 1
    return f"Place {first} looks at" if first == last else f"Places {first} – {last} look at"


def readable(text: str) -> str:
    """A token that can be seen: a space is ␣, and one before or after a word is left out."""
    return INVISIBLE.get(text, text.strip() or "␣")


def looks_at(row: np.ndarray, labels: Sequence[str], most: int = 12) -> list[Bar]:
    """The keys that a query looks at, the largest weight first; the bars share a round scale."""
    order = np.argsort(-row, kind="stable")[:most]
    largest = float(row[order[0]]) if len(order) else 0.0
    scale = next((scale for scale in SCALES if scale >= largest), 1.0)
    return [Bar(labels[key], float(row[key]) / scale, f"{row[key]:.3f}") for key in order if row[key] > 0]


def whole_map(data: Mapping[str, Any], row: int = 0, column: int = 0) -> list[Figure]:
    """The figures of one map of a reading."""
    word = "token" if data.get("key_labels") else "place"

    def figure(name: str) -> float:
        values = data.get(name)
        return float("nan") if values is None else float(np.asarray(values)[row, column])

    entropy, first = figure("entropy") / math.log(2), figure("first")
    previous, distance = figure("previous"), figure("distance")
    figures = [Figure("entropy", f"{entropy:.2f} bit", "how spread the looks are, averaged over the queries")]
    if not math.isnan(first):
        figures.append(Figure(f"on the first {word}", numbers.percent(first), "share of the weight, on average"))
    if not math.isnan(previous):
        figures.append(Figure("on the previous", numbers.percent(previous), "share on the token just before"))
    if not math.isnan(distance):
        figures.append(Figure("mean distance", f"{distance:.1f}", "tokens from the query to what it looks at"))
    figures.append(Figure("kernel", str(data.get("kernel", "")), "what computed the attention in the run"))
    check = data.get("self_check")
    if check is not None:
        words = "largest difference between this map times the values and what the kernel gave"
        figures.append(Figure("self-check", f"{check:.1e}".replace("e-0", "e-"), words))
    return figures


def _one(parts: Sequence[str]) -> str:
    """The label of a block of tokens."""
    text = "".join(parts) if all(len(part) == 1 for part in parts) else " ".join(parts)
    return text if len(text) <= LONGEST or len(parts) == 1 else f"{text[: LONGEST - 1]}…"
