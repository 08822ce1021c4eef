"""The catalogue: plain torch modules that declare themselves, one block a file, found by being there."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blocks.spec import Block


@lru_cache(1)
def catalogue() -> Mapping[str, type[Block]]:
    """Every block by its name, in the order of the palette.

    Raises:
        TypeError: a block is declared wrongly, or two have one name.
    """
    from blocks.spec import CATEGORIES, Block

    found: dict[str, type[Block]] = {}
    for module_info in pkgutil.walk_packages(__path__, f"{__name__}."):
        if module_info.ispkg or module_info.name.count(".") < 2:
            continue
        module = importlib.import_module(module_info.name)
        for name, cls in inspect.getmembers(module, inspect.isclass):
            if not issubclass(cls, Block) or cls.__module__ != module_info.name or "category" not in vars(cls):
                continue
            if name in found:
                raise TypeError(f"two blocks are called {name}: {found[name].__module__} and {module_info.name}")
            found[name] = cls
    rank = {title: position for position, title in enumerate(CATEGORIES.values())}
    ordered = sorted(found.items(), key=lambda item: (rank[item[1].category], item[1].title))
    return MappingProxyType(dict(ordered))


@lru_cache(1)
def _old_names() -> Mapping[str, str]:
    old: dict[str, str] = {}
    for name, cls in catalogue().items():
        for before in cls.was:
            if before in catalogue() or before in old:
                raise TypeError(f"{name} was called {before}, but that name is taken")
            old[before] = name
    return old


def find(name: str) -> type[Block] | None:
    """The block of that name or former name, or None."""
    cls = catalogue().get(name)
    if cls is None and name in _old_names():
        cls = catalogue()[_old_names()[name]]
    return cls
