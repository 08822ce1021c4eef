"""Where the code of a block comes from: definitions in its file and in those it draws on, and what their names mean."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import io
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from exporters.base import ExportError

if TYPE_CHECKING:
    from blocks.spec import Block

OURS = ("blocks", "graph", "exporters", "app")
Target: TypeAlias = tuple[str, str]
"""A definition: the module it stands in and its name there."""


@dataclass(frozen=True)
class Import:
    """A name that comes from torch or the standard library: `from source import name as bound`, or `import source`."""

    source: str
    name: str
    bound: str

    @property
    def line(self) -> str:
        """The statement."""
        text = f"from {self.source} import {self.name}" if self.name else f"import {self.source}"
        return text if self.bound in (self.name, self.source) else f"{text} as {self.bound}"


@dataclass(frozen=True)
class Source:
    """One module as text and tree; the trees are shared, so nobody may change them."""

    name: str
    lines: list[str]
    definitions: Mapping[str, ast.stmt]
    bindings: Mapping[str, Import | Target]
    comments: Mapping[int, str] = field(default_factory=dict)

    def meaning(self, name: str) -> Import | Target | None:
        """What a name of the module stands for; None for builtins and locals."""
        if name in self.definitions:
            return self.name, name
        bound = self.bindings.get(name)
        if isinstance(bound, tuple):
            return read(bound[0]).meaning(bound[1])
        if bound is None and not hasattr(builtins, name):
            return None
        return bound


@lru_cache(512)
def read(module: str) -> Source:
    """The source of a module that is or can be imported."""
    try:
        text = inspect.getsource(importlib.import_module(module))
    except (OSError, TypeError) as error:
        raise ExportError(f"The source of {module} is not there, so it cannot be copied: {error}.") from error
    tree = ast.parse(text)
    definitions: dict[str, ast.stmt] = {}
    bindings: dict[str, Import | Target] = {}
    for statement in _top_level(tree.body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.partition(".")[0]
                bindings[bound] = Import(alias.name, "", alias.asname or alias.name)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                bound, source = alias.asname or alias.name, statement.module or ""
                ours = source.partition(".")[0] in OURS
                bindings[bound] = (source, alias.name) if ours else Import(source, alias.name, bound)
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            definitions[statement.name] = statement
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            definitions[statement.targets[0].id] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            definitions[statement.target.id] = statement
    return Source(module, text.splitlines(), definitions, bindings, dict(_comments(text)))


def definition(target: Target) -> ast.stmt:
    """The statement that defines something."""
    return read(target[0]).definitions[target[1]]


def class_of(block: type[Block]) -> tuple[Target, dict[str, tuple[Target, ast.FunctionDef]]]:
    """A block's class, and its methods with those it inherits from classes that blocks share.

    Each method comes with the class it stands in, whose module gives its names their meaning.
    """
    from blocks.spec import Block

    methods: dict[str, tuple[Target, ast.FunctionDef]] = {}
    for cls in block.__mro__:
        if cls is Block:
            break
        target = (cls.__module__, cls.__name__)
        node = read(cls.__module__).definitions.get(cls.__name__)
        if not isinstance(node, ast.ClassDef):
            raise ExportError(f"The class {cls.__name__} is not written down at the top of its file.")
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                methods.setdefault(statement.name, (target, statement))
    return (block.__module__, block.__name__), methods


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those under `if TYPE_CHECKING:` included."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _top_level(statement.body)
        else:
            yield statement


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Line number → comment; one that shares its line with code is kept under the negative of the number."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line[: token.start[1]].isspace() or token.start[1] == 0
            yield (token.start[0] if alone else -token.start[0]), token.string
