"""JSON of which nothing is known, read with suspicion: no twins, no endless numbers, no half characters."""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 200
"""How deep tables and lists may lie in each other: groups 24 deep take half of it, and what is read can be written."""


class FileError(ValueError):
    """A file that cannot be read or written; the text is one sentence for the user."""


def read_json(text: str) -> Any:
    """The plain values in a JSON text of which nothing is known: no twins, no endless numbers, no half characters.

    Raises:
        FileError: it is no JSON, or holds such things.
    """
    try:
        data = json.loads(
            text,
            object_pairs_hook=_no_twins,
            parse_constant=_no_constant,
            parse_int=_bounded_int,
            parse_float=_finite_float,
        )
        if "\\ud" in text.lower():  # escapes make halves of characters possible, which could not be saved again
            json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise FileError(f"it is no JSON: {error.msg.lower()} in line {error.lineno}, column {error.colno}.") from None
    except UnicodeEncodeError:
        raise FileError("it holds half a character.") from None
    except RecursionError:
        raise FileError("it is nested too deeply to be a drawing.") from None
    if _is_deep(data):
        raise FileError("it is nested too deeply to be a drawing.")
    return data


def _is_deep(data: Any) -> bool:
    layer = [data]
    for _ in range(DEEPEST + 1):
        layer = [
            value
            for one in layer
            for value in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            if isinstance(value, dict | list)
        ]
        if not layer:
            return False
    return True


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        seen: set[str] = set()
        twin = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise FileError(f"a table names {twin[:60]!r} twice.")
    return table


def _no_constant(name: str) -> Any:
    raise FileError(f"it holds {name}, which is no number of JSON.")


def _bounded_int(text: str) -> int:
    if len(text) > 19:
        raise FileError(f"it holds a number of {len(text)} digits.")
    return int(text)


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise FileError(f"it holds the number {text[:20]}, which is too large.")
    return value
