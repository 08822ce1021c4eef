"""Form widgets, one rule of a parameter each, found by being there."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.editors.base import Editor
    from blocks.spec import Param


@lru_cache(1)
def editor_classes() -> dict[type, type[Editor]]:
    """Rule → the editor for it."""
    from app.editors.base import Editor

    found: dict[type, type[Editor]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for cls in vars(module).values():
            if isinstance(cls, type) and issubclass(cls, Editor) and cls.__module__ == module.__name__:
                for rule in cls.rules:
                    if rule in found:
                        raise TypeError(f"{cls.__name__} and {found[rule].__name__} both edit {rule.__name__}")
                    found[rule] = cls
    return found


def editor_for(param: Param) -> Editor:
    """A new editor for a parameter; a rule that nobody knows, or one of its subclasses, is edited as a text."""
    from app.editors.text import TextEditor

    classes = editor_classes()
    cls = next((classes[rule] for rule in type(param.rule).__mro__ if rule in classes), TextEditor)
    return cls(param)
