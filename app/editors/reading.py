"""What people type, read as the value of a parameter, and values as people would type them. No Qt."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from blocks.rules import Choice
from blocks.spec import Param
from graph import expressions

_SPACES = re.compile(r"(?<=\d)[ _,\u2009\u202f\u00a0](?=\d{3}(\D|$))")
_WORD = re.compile(r"[A-Za-z_]\w*")
_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


class Unreadable(ValueError):
    """A text that is no value of the parameter; one sentence says why."""


def read(text: str, param: Param, variables: Mapping[str, Any]) -> Any:
    """The value that a text stands for: plain, None for an optional one left empty, or an "=expression".

    Arithmetic that mentions a variable is an expression without its = too.

    Raises:
        Unreadable: it stands for none, or for one that will not do.
    """
    words = text.strip()
    if not words and param.optional:
        return None
    if not words and param.type is not str:
        raise Unreadable("It must be set.")
    if words.startswith("="):
        return _expression(words, param, variables)
    if param.type is str:
        return _checked(words if words else text, param)
    value = _plain(words, param)
    if isinstance(value, str) and expressions.names(words) & variables.keys():
        return _expression(f"={words}", param, variables)
    return _checked(value, param)


def computed(raw: str, param: Param, variables: Mapping[str, Any]) -> Any:
    """The value of an expression for a parameter.

    Raises:
        Unreadable: it has none, or one that will not do.
    """
    try:
        value = expressions.evaluate(raw, variables)
    except expressions.ExpressionError as error:
        raise Unreadable(_sentence(str(error))) from None
    return _checked(value, param)


def nearest(text: str, param: Param, variables: Mapping[str, Any]) -> Any:
    """The value nearest to a text that will not do, or None: within the limits, or of the words that are meant."""
    words = text.strip()
    tries: list[Any] = []
    if words.startswith("=") or expressions.names(words):
        known = [*variables, *(getattr(param.rule, "options", ()))]
        mended = _WORD.sub(lambda found: next(iter(get_close_matches(found[0], known, 1, 0.7)), found[0]), words)
        tries.append(mended)
    if isinstance(param.rule, Choice):
        tries += get_close_matches(words.lower(), param.rule.options, 1, 0.5)
    value = _plain(words, param) if words else param.default
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        low, high = getattr(param.rule, "low", None), getattr(param.rule, "high", None)
        inside = value if low is None else max(low, value)
        inside = inside if high is None else min(high, inside)
        tries += [round(inside)] if param.type is int else [inside]
    for wanted in (spell(one) for one in tries):
        try:
            return read(wanted, param, variables)
        except Unreadable:
            continue
    return None


def spell(value: Any) -> str:
    """A value as one would type it; None is nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def _expression(text: str, param: Param, variables: Mapping[str, Any]) -> str:
    computed(text, param, variables)
    return text


def _plain(text: str, param: Param) -> Any:
    digits = _SPACES.sub("", text)
    if param.type is bool:
        return _WORDS.get(text.lower(), text)
    for kind in (int, float):
        try:
            value = kind(digits)
        except ValueError:
            continue
        return int(value) if param.type is int and isinstance(value, float) and value.is_integer() else value
    return text


def _checked(value: Any, param: Param) -> Any:
    if param.type is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    fault = param.fault(value)
    if fault:
        raise Unreadable(f"It {fault}.")
    return value


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
