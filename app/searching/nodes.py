"""Finding nodes of a drawing, through all levels: by title, block, shape or parameter. No Qt.

`norm` finds titles, blocks and ids; `768` and `batch × seq` find what sends or receives such a shape; `num_heads=12`,
`kernel_size>3`, `causal=yes` find parameters. Several of them together must all hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import blocks
from app.searching import search
from app.symbols import of_block
from graph.document import Document, Node, Path
from graph.issues import NodeReport, Report
from graph.judge import title_of
from graph.layout import spell_value

_TERM = re.compile(r"([A-Za-z_]\w*)\s*(==|>=|<=|!=|=|<|>|≥|≤|≠)\s*([^\s,;]+)")
_TIMES = re.compile(r"\s*[×*]\s*|\s+x\s+")
_SPACES = re.compile(r"[\s\u00a0\u2009\u202f]+")
_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "!=": lambda value, wanted: value != wanted,
    ">": lambda value, wanted: value > wanted,
    "<": lambda value, wanted: value < wanted,
    ">=": lambda value, wanted: value >= wanted,
    "<=": lambda value, wanted: value <= wanted,
}
_SIGNS = {"==": "=", "≥": ">=", "≤": "<=", "≠": "!="}
_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False, "none": None, "–": None}
SHAPE_FITS = 45.0
"""How well a shape fits, against the scores of titles: after those that begin so, before those that contain it."""


@dataclass(frozen=True)
class Found:
    """A node that fits.

    Args:
        path: where it is.
        title: what it is called.
        place: the titles of the groups that it is in, outermost first; empty on the top level.
        why: what fitted, where that is not the title: "num_heads 12", "batch × seq × 768".
        category, icon: the palette category of its block, and its icon.
        score: how well it fits.
    """

    path: Path
    title: str
    place: str
    why: str
    category: str
    icon: str
    score: float


@dataclass(frozen=True)
class _Term:
    name: str
    sign: str
    value: str


def find(document: Document, report: Report, query: str) -> list[Found]:
    """The nodes that fit, best first; those that fit alike as they come. All of them for an empty query."""
    terms, text = _read(query)
    found: list[Found] = []
    for path, node in document.walk():
        fits = _fits(node, report.node(path), terms, text)
        if fits is not None:
            score, why = fits
            block = blocks.find(node.block)
            category, icon = of_block(block)
            found.append(Found(path, title_of(node), _place(document, path), why, category, icon, score))
    return sorted(found, key=lambda one: -one.score)


def _read(query: str) -> tuple[list[_Term], str]:
    """The conditions on parameters, and the rest."""
    terms = [_Term(name.casefold(), _SIGNS.get(sign, sign), value) for name, sign, value in _TERM.findall(query)]
    return terms, " ".join(_TERM.sub(" ", query).strip(" ,;").split())


def _fits(node: Node, report: NodeReport | None, terms: list[_Term], text: str) -> tuple[float, str] | None:
    """How well a node fits and why, or None."""
    reasons: list[str] = []
    for term in terms:
        reason = _parameter(node, report, term)
        if reason is None:
            return None
        reasons.append(reason)
    if not text:
        return 1.0, ", ".join(reasons)
    block = blocks.find(node.block)
    names = [title_of(node), block.title if block is not None else node.block]
    score = search.best(text, names, [node.id, node.block])
    shape = _shape(report, text)
    if shape and score < SHAPE_FITS:
        return SHAPE_FITS, ", ".join([*reasons, shape])
    return (score, ", ".join(reasons)) if score > 0 else None


def _parameter(node: Node, report: NodeReport | None, term: _Term) -> str | None:
    """The parameter that meets a condition, in words, or None."""
    values = _values(node, report)
    exact = [name for name in values if name.casefold() == term.name]
    for name in exact or [name for name in values if term.name in name.casefold()]:
        for value in values[name][:1] if term.sign == "!=" else values[name]:
            if _meets(value, term):
                return f"{name} {spell_value(value)}"
    return None


def _values(node: Node, report: NodeReport | None) -> dict[str, list[Any]]:
    """Every parameter with what it is in a run and what is written there."""
    block = blocks.find(node.block)
    found: dict[str, list[Any]] = {}
    if block is not None:
        found = {param.name: [param.default] for param in block.params()}
    for name, value in node.params.items():
        found[name] = [] if isinstance(value, Mapping) else [value]
    if node.is_group:
        found["repeat"] = [node.repeat]
    for name, value in (report.params if report is not None else {}).items():
        found[name] = [value, *(old for old in found.get(name, ()) if isinstance(old, str) and old != value)]
    return found


def _meets(value: Any, term: _Term) -> bool:
    wanted = _value(term.value)
    if isinstance(value, int | float) and isinstance(wanted, int | float):
        if isinstance(value, bool) != isinstance(wanted, bool):
            return False
        return _TESTS[term.sign](value, wanted)
    if term.sign not in ("=", "!="):
        return False
    if value is None or wanted is None:
        return (value is wanted) == (term.sign == "=")
    if isinstance(value, list | tuple):
        is_same = any(str(part) == term.value for part in value)
    else:
        is_same = str(value).removeprefix("=").replace(" ", "").casefold() == term.value.casefold()
    return is_same == (term.sign == "=")


@lru_cache(256)
def _value(text: str) -> Any:
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text.replace("_", ""))
        except ValueError:
            continue
    return text


def _shape(report: NodeReport | None, text: str) -> str:
    """The shape of an output, or else of an input, that holds the sizes in a row; empty if none does."""
    wanted = [_SPACES.sub("", part).casefold() for part in _TIMES.split(text)]
    if not all(wanted) or (len(wanted) == 1 and len(wanted[0]) < 3 and not wanted[0].isdigit()):
        return ""
    for shape in _shapes(report):
        sizes = _sizes(shape)
        for start in range(len(sizes) - len(wanted) + 1):
            if all(_is_size(have, want) for have, want in zip(sizes[start:], wanted, strict=False)):
                return shape
    return ""


@lru_cache(4096)
def _sizes(shape: str) -> list[str]:
    return [_SPACES.sub("", part).casefold() for part in shape.split(" × ")]


_spelled = lru_cache(4096)(str)


def _is_size(have: str, want: str) -> bool:
    """Whether a size is meant: itself, or for a name its first letter, as on the canvas."""
    return have == want or (len(want) == 1 and want.isalpha() and have[:1] == want)


def _shapes(report: NodeReport | None) -> Iterator[str]:
    if report is not None:
        yield from map(_spelled, report.outputs.values())
        yield from (_spelled(signal) for signals in report.inputs.values() for signal in signals if signal is not None)


def _place(document: Document, path: Path) -> str:
    return " / ".join(title_of(document.node(path[:depth])) for depth in range(1, len(path)))
