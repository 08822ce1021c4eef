"""Finding things by a few letters: words first, then letters in order. No Qt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

Item = TypeVar("Item")

_SAME, _START, _WORD_START, _INSIDE, _INITIALS, _LETTERS = 100.0, 80.0, 60.0, 40.0, 50.0, 20.0
_SYNONYM, _ASIDE, _SPREAD, _LATER = 0.9, 0.4, 0.8, 0.05
_PACKAGE = re.compile(r"^\s*(?:\w+\.)+(?=\w)")


@lru_cache(8192)
def score(query: str, text: str) -> float:
    """How well a text fits what was typed: 0 not at all, 100 exactly.

    >>> score("conv", "Conv 2d") > score("conv", "Masked conv") > score("conv", "Cross-attention over") == 0
    True
    """
    query, text = _plain(_PACKAGE.sub("", query)), _plain(text)  # nn.Linear, torch.cat
    if not query:
        return 1.0
    if query.replace(" ", "") == text.replace(" ", ""):
        return _SAME
    shorter = 10.0 * len(query) / max(len(text), 1)  # of two that fit, the shorter one
    if text.startswith(query):
        return _START + shorter
    words = text.split()
    if f" {query}" in f" {text}":
        return _WORD_START + shorter
    parts = query.split()
    begun = [next((place for place, word in enumerate(words) if word.startswith(part)), -1) for part in parts]
    if len(parts) > 1 and min(begun) >= 0:
        return _WORD_START + shorter - (1 if begun == sorted(begun) else 5)
    initials = "".join(word[0] for word in words)
    if len(query) > 1 and initials.startswith(query.replace(" ", "")):
        return _INITIALS + shorter
    if query in text:
        return _INSIDE + shorter
    return _in_order(query.replace(" ", ""), text)


def best(query: str, titles: Sequence[str], synonyms: Sequence[str] = (), asides: Sequence[str] = ()) -> float:
    """The best score over titles, synonyms (a little less) and asides, such as a summary (much less).

    What is called by the same word as another comes first where the word is among its first synonyms.
    """
    by_title = [score(query, title) for title in titles]
    found = list(by_title)
    by_synonym = [(_SYNONYM * score(query, synonym), place) for place, synonym in enumerate(synonyms)]
    found += [value - _LATER * place for value, place in by_synonym if value > _LATER * place]
    found += [_ASIDE * value for aside in asides if (value := score(query, aside)) >= _WORD_START]
    parts = _plain(query).split()
    if len(parts) > 1:  # "deconvolution 2d": one word is in the title, the other is a synonym
        each = [max((score(part, text) for text in (*titles, *synonyms)), default=0.0) for part in parts]
        if min(each) >= _WORD_START:
            found.append(_SPREAD * min(each))
    return max(found, default=0.0) + 0.01 * max(by_title, default=0.0)  # of two with one synonym, the better title


def ranked(query: str, items: Iterable[Item], rate: Callable[[str, Item], float]) -> list[Item]:
    """The items that fit, best first; those of one score keep their order."""
    rated = [(rate(query, item), item) for item in items]
    rated = [pair for pair in rated if pair[0] > 0]
    return [item for _, item in sorted(rated, key=lambda pair: -pair[0])]


def _in_order(query: str, text: str) -> float:
    """All letters, in order, the first at the start of a word; far-scattered ones do not count."""
    if len(query) < 2:
        return 0.0
    best_span: int | None = None
    for start, letter in enumerate(text):
        if letter != query[0] or (start and text[start - 1] != " "):
            continue
        place = start
        for wanted in query[1:]:
            place = text.find(wanted, place + 1)
            if place < 0:
                break
        else:
            span = place - start + 1
            best_span = span if best_span is None else min(best_span, span)
    if best_span is None or best_span > 4 * len(query):
        return 0.0
    return _LETTERS * len(query) / best_span


@lru_cache(32768)
def _plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
