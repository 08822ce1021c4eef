"""Panels around the canvas, one a file, found by being there."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.panels.base import Panel


def panel_classes() -> list[type[Panel]]:
    """Every panel, in the order of its tab."""
    from app.panels.base import Panel

    found: list[type[Panel]] = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found += [
            cls
            for cls in vars(module).values()
            if isinstance(cls, type) and issubclass(cls, Panel) and cls.__module__ == module.__name__ and cls.title
        ]
    return sorted(found, key=lambda cls: (cls.side, cls.rank))
