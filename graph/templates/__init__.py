"""Ready architectures, one a file: a name, variables to turn, and a function that draws the document."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from graph import expressions
from graph.commands import SetDocument
from graph.document import Document


class TemplateError(ValueError):
    """A template that cannot be drawn as asked; one sentence."""


@dataclass(frozen=True)
class Variable:
    """Something to turn.

    Args:
        default: a number, a truth value, an expression of other variables, or one of the `options`.
        doc: what it counts.
        structural: whether it decides which nodes there are, so that it is fixed once the drawing is made.
        low, high: bounds of a structural number.
        options: the words that a structural variable can be.
    """

    default: Any
    doc: str
    structural: bool = False
    low: int = 1
    high: int = 64
    options: tuple[str, ...] = ()

    def fault(self, value: Any) -> str:
        """Why a structural variable cannot have a value, as the end of a sentence; empty where it can."""
        if isinstance(self.default, bool):
            return "" if isinstance(value, bool) else "must be true or false"
        if self.options:
            return "" if value in self.options else f"must be one of {', '.join(self.options)}"
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and self.low <= value <= self.high:
            return ""
        return f"must be a whole number from {self.low} to {self.high}"


FAMILIES = ("Language", "Vision", "Generation", "Basics")
"""What architectures are for, in the order in which they are shown."""


@dataclass(frozen=True)
class Template:
    """An architecture that can be drawn at any size.

    `draw` receives the structural variables by name and gives a document; the others become its variables. The first of
    the presets is `tiny`, which runs in milliseconds; the others are published sizes. Within its `family`, one of low
    `rank` comes first.
    """

    name: str
    title: str
    summary: str
    variables: Mapping[str, Variable]
    draw: Callable[..., Document]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rank: int = 100
    family: str = "Basics"

    def build(self, values: Mapping[str, Any] | None = None) -> Document:
        """The drawing, with some variables set.

        Raises:
            TemplateError: a variable is unknown, or a structural one is out of bounds.
        """
        values = dict(values or {})
        unknown = sorted(values.keys() - self.variables.keys())
        if unknown:
            known = ", ".join(self.variables) or "none"
            raise TemplateError(f"The template {self.name} has no variable {unknown[0]!r}; it has {known}.")
        structural: dict[str, Any] = {}
        for name, variable in self.variables.items():
            if not variable.structural:
                continue
            value = values.get(name, variable.default)
            if fault := variable.fault(value):
                raise TemplateError(f"{name} {fault}, not {value!r}.")
            structural[name] = value
        document = self.draw(**structural)
        document.variables = MappingProxyType(
            {n: values.get(n, v.default) for n, v in self.variables.items() if not v.structural}
        )
        SetDocument("template", MappingProxyType({"name": self.name, **structural})).apply(document)
        return document

    def as_data(self) -> dict[str, Any]:
        """The template for `--json`."""
        return {
            "name": self.name,
            "title": self.title,
            "summary": self.summary,
            "family": self.family,
            "variables": {name: variable.default for name, variable in self.variables.items()},
            "presets": {name: dict(preset) for name, preset in self.presets.items()},
        }


@lru_cache(1)
def all_templates() -> Mapping[str, Template]:
    """Every template by its name."""
    found: dict[str, Template] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        template = getattr(module, "TEMPLATE", None)
        if template is None:
            continue
        if template.name in found:
            raise TypeError(f"two templates are called {template.name}")
        found[template.name] = template
    ordered = sorted(
        found.values(), key=lambda template: (FAMILIES.index(template.family), template.rank, template.title)
    )
    return MappingProxyType({template.name: template for template in ordered})


def find(name: str) -> Template:
    """The template of that name.

    Raises:
        TemplateError: there is none.
    """
    template = all_templates().get(name)
    if template is None:
        raise TemplateError(f"There is no template {name!r}; there are {', '.join(all_templates())}.")
    return template


def read_value(text: str) -> Any:
    """The value of `-D name=value` on a command line: a number, a truth value, an expression (=…), or a text.

    What no drawing can hold as a number (nan, inf, more than 19 digits) stays the text that it is.
    """
    word = text.strip()
    if word.lower() in ("true", "yes", "on"):
        return True
    if word.lower() in ("false", "no", "off"):
        return False
    for kind in (int, float):
        try:
            value = kind(word)
        except ValueError:
            continue
        if abs(value) < expressions.LIMIT:
            return value
    return word if expressions.is_expression(word) else text
