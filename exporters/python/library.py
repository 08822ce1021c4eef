"""The classes and functions that a model draws on, simplified for how it uses them, as text.

What a class owes to Blockwright alone (ports, shapes, titles, rules of parameters) is never reached from `__init__` and
`forward` and so stays behind.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from exporters.python import facts, writing
from exporters.python.facts import ANY, Fact
from exporters.python.folding import Folded, copied, fold, meaning_of, own_attribute
from exporters.python.pruning import drop_idle_calls, inline_dispatchers, prune
from exporters.python.signatures import default_values, parameters_of, plain_annotations
from exporters.python.sources import Import, Source, Target, class_of, definition, read

if TYPE_CHECKING:
    from blocks.spec import Block

MODEL = "Model"


@dataclass(frozen=True)
class Use:
    """All uses of one block in a drawing: what is known of its parameters and of its optional inputs."""

    block: type[Block]
    params: frozenset[tuple[str, Fact]]
    ports: frozenset[tuple[str, Fact]]


@dataclass(frozen=True)
class ClassText:
    """A block's class as it stands in the file: its name, and the default of each parameter that is left.

    A parameter without a default maps to `inspect.Parameter.empty`.
    """

    name: str
    defaults: Mapping[str, Any]


@dataclass(frozen=True)
class Library:
    """Everything the model's own classes need: imports, texts in order, and the blocks among them."""

    imports: frozenset[Import]
    texts: tuple[tuple[str, ...], ...]
    classes: Mapping[type[Block], ClassText]
    names: frozenset[str]


@lru_cache(64)
def library(uses: frozenset[Use]) -> Library:
    """The code behind these uses of blocks."""
    program = Program()
    for use in sorted(uses, key=lambda use: use.block.__name__):
        program.add_block(use.block, dict(use.params), dict(use.ports))
    program.run()
    drop_idle_calls(program)
    prune(program)
    inline_dispatchers(program)
    return _written(program)


@dataclass
class BlockClass:
    """A block among the code: its methods by name, with the class each stands in, and facts about its attributes."""

    block: type[Block]
    methods: Mapping[str, tuple[Target, ast.FunctionDef]]
    attributes: dict[str, Fact] = field(default_factory=dict)


class Program:
    """Functions, methods and other definitions, folded until nothing new is learnt about their arguments.

    A method is called (module, "Class.method").
    """

    def __init__(self) -> None:
        self.known: dict[Target, dict[str, Fact]] = {}
        self.folded: dict[Target, Folded] = {}
        self.classes: dict[Target, BlockClass] = {}
        self.whole: dict[Target, ast.stmt] = {}
        self.pinned: set[Target] = set()
        self._queue: list[Target] = []

    def add_block(self, block: type[Block], params: Mapping[str, Fact], ports: Mapping[str, Fact]) -> None:
        """Ask for a block's class, given facts about its parameters and inputs."""
        self._add_class(block, params)
        self._call_forward(class_of(block)[0], ports)

    def _add_class(self, block: type[Block], params: Mapping[str, Fact]) -> None:
        target, methods = class_of(block)
        if target not in self.classes:
            self.classes[target] = BlockClass(block, methods)
        if "__init__" in methods:
            self._demand(_method(target, "__init__"), params)

    def _call_forward(self, target: Target, ports: Mapping[str, Fact]) -> None:
        if "forward" in self.classes[target].methods:
            whole = {**ports, "cache": facts.fact([None])}  # decoding is no part of the file
            self._demand(_method(target, "forward"), whole)

    def _open(self, target: Target) -> None:
        """Let a block be called in any way."""
        block = self.classes[target].block
        ports, _ = block.ports({param.name: param.default for param in block.params()})
        self._call_forward(target, dict.fromkeys(ports, ANY))

    def run(self) -> None:
        """Fold until no call tells anything new."""
        while self._queue:
            target = self._queue.pop()
            folded = self.folded[target] = self._fold(target)
            for callee, site in folded.calls:
                if self._is_block(callee):
                    self._add_inner_block(callee, site.known)
                else:
                    self._demand(callee, site.known)
            for escaped in folded.escaped:
                self._open(escaped)
            for mentioned in folded.mentions:
                self._mention(mentioned)

    def signature(self, target: Target) -> tuple[ast.FunctionDef, int] | None:
        """The function behind a name, and how many leading parameters a call of it does not give."""
        if "." in target[1]:
            owner, method = target[1].split(".")
            found = self.classes[target[0], owner].methods.get(method)
            return (found[1], 1) if found else None
        statement = definition(target)
        if isinstance(statement, ast.FunctionDef):
            return statement, 0
        if self._is_block(target):
            init = class_of(_object(target))[1].get("__init__")
            return (init[1], 1) if init else None
        return None

    def source(self, target: Target) -> Source:
        """The module that gives the names in a function or method their meaning."""
        if "." in target[1]:
            owner, method = target[1].split(".")
            return read(self.classes[target[0], owner].methods[method][0][0])
        return read(target[0])

    def function(self, callee: Target) -> Target:
        """The function that a call runs: of a class, its `__init__`."""
        return _method(callee, "__init__") if callee in self.classes else callee

    def _fold(self, target: Target) -> Folded:
        found = self.signature(target)
        assert found is not None
        known = self.known[target]
        if "." not in target[1]:
            return fold(found[0], self.source(target), known, signature=self.signature, is_class=self._is_block)
        owner, method = target[1].split(".")
        cls = self.classes[target[0], owner]
        methods = {name: _method((target[0], owner), name) for name in cls.methods}
        attributes = {} if method == "__init__" else cls.attributes
        folded = fold(
            found[0],
            self.source(target),
            known,
            attributes=attributes,
            methods=methods,
            signature=self.signature,
            is_class=self._is_block,
        )
        self._learn(target, cls, folded)
        return folded

    def _learn(self, target: Target, cls: BlockClass, folded: Folded) -> None:
        """Take over what a method stores in `self`; the other methods are folded again when that is news."""
        start = target[1].endswith(".__init__")
        stored = folded.stored if start else dict.fromkeys(folded.stored, ANY)
        joined = {name: cls.attributes.get(name, frozenset()) | known for name, known in stored.items()}
        if all(cls.attributes.get(name) == known for name, known in joined.items()):
            return
        cls.attributes.update(joined)
        for known in joined.values():
            if not facts.classes(known):  # it may be something else as well, so its calls are not looked into
                folded.escaped.update(value for kind, _, value in known if kind == "made")
        owner = target[1].split(".")[0]
        self._queue += [
            other
            for other in self.folded
            if other[0] == target[0] and other[1].startswith(f"{owner}.") and not other[1].endswith(".__init__")
        ]

    def _demand(self, target: Target, known: Mapping[str, Fact]) -> None:
        before = self.known.get(target)
        joined = {name: (before or {}).get(name, frozenset()) | fact for name, fact in known.items()}
        if before != joined:
            self.known[target] = joined
            if target[1].endswith(".__init__"):
                self._queue.append(target)
            else:
                self._queue.insert(0, target)

    def _mention(self, target: Target) -> None:
        """Ask for something that is used in ways not looked into: it must work for everything."""
        if self._is_block(target):
            self._add_inner_block(target, {})
            return
        found = self.signature(target)
        if found is not None:
            self.pinned.add(target)
            self._demand(target, dict.fromkeys(parameters_of(found[0])[found[1] :], ANY))
            return
        if target in self.whole:
            return
        statement = copied(definition(target), read(target[0]))
        self.whole[target] = statement
        for node in ast.walk(statement):
            meaning = meaning_of(node)
            if isinstance(meaning, tuple) and meaning != target:
                self._mention(meaning)

    def _add_inner_block(self, target: Target, known: Mapping[str, Fact]) -> None:
        """A block that another block builds; the calls of it tell how it is used."""
        block = _object(target)
        self._add_class(block, known or dict.fromkeys((param.name for param in block.params()), ANY))
        if not known:
            self.pinned.add(_method(target, "__init__"))
            self._open(target)

    def _is_block(self, target: Target) -> bool:
        from blocks.spec import Block

        if "." in target[1] or not isinstance(definition(target), ast.ClassDef):
            return False
        cls = _object(target)
        return isinstance(cls, type) and issubclass(cls, Block)


def _method(target: Target, name: str) -> Target:
    return target[0], f"{target[1]}.{name}"


def _object(target: Target) -> Any:
    return getattr(importlib.import_module(target[0]), target[1])


def _written(program: Program) -> Library:
    for target, folded in program.folded.items():
        plain_annotations(folded.node, program.known[target])
    needed = _needed(program)
    names = _names(program, needed)
    imports = {"nn": Import("torch", "nn", "nn")}
    for tree in (_tree(program, target) for target in needed):
        for found in _resolved(tree, names):
            known = imports.setdefault(found.bound, found)
            if known != found:
                raise TypeError(f"two block files use the name {found.bound} for different things")
    loose = sorted((target for target in needed if "." not in target[1]), key=_place)
    texts = [tuple(_definition_text(program, target, names)) for target in loose]
    texts += [tuple(_class_text(program, target, cls, names)) for target, cls in program.classes.items()]
    classes = {
        cls.block: ClassText(names[target], _defaults(program, target)) for target, cls in program.classes.items()
    }
    return Library(frozenset(imports.values()), tuple(texts), classes, frozenset((*names.values(), *imports, MODEL)))


def _tree(program: Program, target: Target) -> ast.stmt:
    return program.folded[target].node if target in program.folded else program.whole[target]


def _needed(program: Program) -> list[Target]:
    """Methods of the blocks, and what they name directly or through others."""
    needed = [target for target in program.folded if "." in target[1]]
    for target in needed:  # grows while it is walked
        for node in ast.walk(_tree(program, target)):
            meaning = meaning_of(node)
            if isinstance(meaning, tuple) and meaning not in program.classes and meaning not in needed:
                needed.append(meaning)
    return needed


def _names(program: Program, needed: list[Target]) -> dict[Target, str]:
    """What each definition is called in the file: its own name, with a number where two have the same."""
    loose = sorted((target for target in needed if "." not in target[1]), key=_place)
    names: dict[Target, str] = {}
    taken = {MODEL, "nn", "torch", "Tensor"}
    for target in (*program.classes, *loose):
        name, count = target[1], 1
        while name in taken:
            count += 1
            name = f"{target[1]}_{count}" if target[1][0].islower() or target[1][0] == "_" else f"{target[1]}{count}"
        names[target] = name
        taken.add(name)
    return names


def _resolved(tree: ast.AST, names: Mapping[Target, str]) -> Iterator[Import]:
    """Give names that mean our definitions their names in the file, and yield the imports that the rest needs."""
    for node in ast.walk(tree):
        meaning = meaning_of(node)
        if isinstance(meaning, Import):
            yield meaning
        elif isinstance(meaning, tuple) and isinstance(node, ast.Name):
            node.id = names[meaning]


def _place(target: Target) -> tuple[int, str, int]:
    """Functions that files share come first, each file in its own order."""
    return (target[0] != "blocks.functional", target[0], definition(target).lineno)


def _definition_text(program: Program, target: Target, names: Mapping[Target, str]) -> list[str]:
    source = read(target[0])
    if target in program.folded:
        node = program.folded[target].node
        node.name = names[target]
        return writing.function(node, source)
    node = program.whole[target]
    if isinstance(node, ast.ClassDef):
        node.name = names[target]
        return writing.plain_class(node, source)
    return writing.body([node], source, "")


def _class_text(program: Program, target: Target, cls: BlockClass, names: Mapping[Target, str]) -> list[str]:
    lines = [f"class {names[target]}(nn.Module):", f'    """{writing.one_line(cls.block.summary())}"""']
    read_attributes: set[str] = set()
    methods: list[list[str]] = []
    for name in cls.methods:
        folded = program.folded.get(_method(target, name))
        if folded is None:
            continue
        read_attributes |= {found for node in ast.walk(folded.node) if (found := own_attribute(node))}
        if name == "__init__" and _does_nothing(folded.node):
            continue
        methods.append(writing.function(folded.node, program.source(_method(target, name)), "    "))
    statement = definition(target)
    assert isinstance(statement, ast.ClassDef)
    constants = [
        child
        for child in statement.body
        if isinstance(child, ast.Assign)
        and isinstance(child.targets[0], ast.Name)
        and child.targets[0].id in read_attributes
    ]
    if constants:
        lines += ["", *writing.body(constants, read(target[0]), "    ")]
    for method in methods:
        lines += ["", *method]
    return lines


def _does_nothing(init: ast.FunctionDef) -> bool:
    """Whether it only calls that of nn.Module."""
    _, rest = writing.docstring(init.body)
    return [ast.unparse(statement) for statement in rest] in ([], ["pass"], ["super().__init__()"])


def _defaults(program: Program, target: Target) -> dict[str, Any]:
    folded = program.folded.get(_method(target, "__init__"))
    if folded is None:
        return {}
    given = default_values(folded.node)
    cls = program.classes[target].block
    declared = {param.name: param.default for param in cls.params()}
    return {
        name: declared[name] if name in given else inspect.Parameter.empty
        for name in parameters_of(folded.node)
        if name in declared
    }
