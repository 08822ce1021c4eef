"""Translations of torch operators that the converter lacks or gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def table(opset: int) -> dict[Any, Callable[..., Any]]:
    """Operator → how it is said at an opset."""
    return {}
