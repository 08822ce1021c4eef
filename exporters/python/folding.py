"""Simplify one function under what is known of its arguments: branches that are never taken go, constants are put in.

A model with no rotary positions gets an attention class without them. Nothing is guessed: where a test is not certain
it stays, and the exported file is run and compared in any case.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from exporters.python import facts
from exporters.python.facts import ANY, SOME, Fact
from exporters.python.signatures import CallSite, bind
from exporters.python.sources import Import, Source, Target
from exporters.python.unread import drop_unread

Statement = TypeVar("Statement", bound=ast.stmt)
Signature: TypeAlias = Callable[[Target], tuple[ast.FunctionDef, int] | None]
FINAL = ast.Return | ast.Raise | ast.Continue | ast.Break
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
CONVERSIONS = {"float": float, "int": int, "bool": bool}


@dataclass
class Folded:
    """A simplified function.

    Args:
        node: its code.
        calls: calls of our own functions, classes and methods.
        mentions: our own definitions that it names in any other way.
        stored: what is known of each attribute that it gives to `self`.
        escaped: our own classes of which an instance goes where its calls are not seen.
    """

    node: ast.FunctionDef
    calls: list[tuple[Target, CallSite]] = field(default_factory=list)
    mentions: set[Target] = field(default_factory=set)
    stored: dict[str, Fact] = field(default_factory=dict)
    escaped: set[Target] = field(default_factory=set)


def fold(
    function: ast.FunctionDef,
    source: Source,
    known: Mapping[str, Fact],
    *,
    attributes: Mapping[str, Fact] | None = None,
    methods: Mapping[str, Target] | None = None,
    signature: Signature = lambda target: None,
    is_class: Callable[[Target], bool] = lambda target: False,
    exact: bool = False,
) -> Folded:
    """Simplify a function.

    Args:
        function: it is not changed.
        source: the module that gives its names their meaning.
        known: facts about its parameters; one that is absent can be anything.
        attributes: facts about attributes of `self`.
        methods: methods of `self` that may be called.
        signature: the function behind one of our own names, and how many leading parameters a call does not give.
        is_class: whether one of our own names is a class whose instances are followed.
        exact: whether numbers are put in as well.
    """
    node = copied(function, source)
    folder = _Folder(dict(known), attributes or {}, methods or {}, signature, is_class, exact)
    node.body = folder.block(node.body) or [ast.Pass()]
    drop_unread(node)
    loose = {target for target, site in folder.calls if is_class(target) and id(site.node) not in folder.held}
    return Folded(node, folder.calls, folder.mentions, folder.stored, folder.escaped | loose)


def copied(function: Statement, source: Source) -> Statement:
    """A copy that may be changed, whose names know what they stand for and whose statements know what they were."""
    for statement in ast.walk(function):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "before"):
            setattr(statement, "before", header(statement))  # noqa: B010 - trees carry no such field
    node = copy.deepcopy(function)
    setattr(node, "size", sum(1 for _ in ast.walk(node)))  # noqa: B010
    inside = node.body if isinstance(node, ast.FunctionDef) else []
    local = {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)} | set(assigned(inside))
    for name in ast.walk(node):
        if isinstance(name, ast.Name) and name.id not in local:
            setattr(name, "meaning", source.meaning(name.id))  # noqa: B010
    return node


def meaning_of(node: ast.AST) -> Import | Target | None:
    """What a name stands for, as `copied` found it."""
    return getattr(node, "meaning", None)


def header(statement: ast.stmt) -> str:
    """A statement without the statements in it, for comparison."""
    parts = [
        ast.dump(value) if isinstance(value, ast.AST) else repr(value)
        for name, field_value in ast.iter_fields(statement)
        if name not in ("body", "orelse", "finalbody", "handlers")
        for value in (field_value if isinstance(field_value, list) else [field_value])
    ]
    return " ".join(parts)


def assigned(statements: list[ast.stmt]) -> Iterator[str]:
    """Every name that statements assign."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def own_attribute(node: ast.AST) -> str | None:
    """`attr` of the expression `self.attr`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return None


class _Folder:
    def __init__(
        self,
        env: dict[str, Fact],
        attributes: Mapping[str, Fact],
        methods: Mapping[str, Target],
        signature: Signature,
        is_class: Callable[[Target], bool],
        exact: bool,
    ) -> None:
        self.env = env  # parameters, locals, and attributes as "self.name"
        self.attributes = attributes
        self.methods = methods
        self.signature = signature
        self.is_class = is_class
        self.exact = exact
        self.stored: dict[str, Fact] = {}
        self.calls: list[tuple[Target, CallSite]] = []
        self.mentions: set[Target] = set()
        self.escaped: set[Target] = set()
        self.held: set[int] = set()  # calls that make what an attribute of `self` holds

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        kept: list[ast.stmt] = []
        for statement in statements:
            kept.extend(self.statement(statement))
            if kept and isinstance(kept[-1], FINAL):
                break
        return kept

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.If():
                return self._if(node)
            case ast.Assign():
                return self._assign(node)
            case ast.For() | ast.While():
                if isinstance(node, ast.For):
                    node.iter = self.expression(node.iter)
                self._forget(assigned([node]))
                if isinstance(node, ast.While):
                    node.test = self.expression(node.test)
                node.body = self.block(node.body) or [ast.Pass()]
                self._forget(assigned([node]))
                node.orelse = self.block(node.orelse)
            case ast.With():
                for item in node.items:
                    item.context_expr = self.expression(item.context_expr)
                self._forget(assigned([node]))
                node.body = self.block(node.body) or [ast.Pass()]
            case ast.Return() | ast.Expr() | ast.Raise() | ast.Assert() | ast.Delete() | ast.AugAssign():
                self._children(node)
                self._forget(assigned([node]))
            case ast.AnnAssign():
                node.value = self.expression(node.value) if node.value else None
                attribute = own_attribute(node.target)
                if attribute and node.value:
                    self.stored[attribute] = self.env[f"self.{attribute}"] = ANY
                self._forget(assigned([node]))
            case ast.Pass() | ast.Continue() | ast.Break():
                pass
            case _:  # try, match, a function inside: left alone, and whatever it assigns can be anything
                self._forget(assigned([node]))
                self._note_names(node)
        return [node]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        node.test = self.expression(node.test)
        certain = facts.truth(self.fact(node.test))
        if certain is not None:
            return self.block(node.body if certain else node.orelse)
        before = dict(self.env)
        node.body = self.block(node.body) or [ast.Pass()]
        after_body, self.env = self.env, before
        node.orelse = self.block(node.orelse)
        if node.orelse and isinstance(node.orelse[-1], FINAL):
            self.env = after_body
        elif not isinstance(node.body[-1], FINAL):
            names = after_body.keys() | self.env.keys()
            self.env = {name: after_body.get(name, ANY) | self.env.get(name, ANY) for name in names}
        return [node]

    def _assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.expression(node.value)
        targets = list(assigned([node]))
        self._forget(targets)
        for target in node.targets:
            for child in ast.iter_child_nodes(target):
                if isinstance(child, ast.expr) and not isinstance(child, ast.Name):
                    self.expression(child)
        for target in node.targets:
            for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                attribute = own_attribute(part)
                if attribute:
                    if part is target:
                        self.held |= {id(node.value), *map(id, ast.iter_child_nodes(node.value))}
                    self.env[f"self.{attribute}"] = found = self.fact(node.value) if part is target else ANY
                    self.stored[attribute] = self.stored.get(attribute, frozenset()) | found
        if len(targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, ast.Name) and node.value.id == targets[0]:
                return []
            self.env[targets[0]] = self.fact(node.value)
        return [node]

    def _forget(self, names: Any) -> None:
        for name in names:
            self.env[name] = ANY

    def _children(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self.expression(value))
            elif isinstance(value, list):
                value[:] = [self.expression(item) if isinstance(item, ast.expr) else item for item in value]

    def expression(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Name(ctx=ast.Load()):
                constant = facts.single(self.env.get(node.id, ANY))
                if constant is not None:
                    return constant
                self._note_names(node)
            case ast.Attribute() if own_attribute(node):
                if node.attr in self.methods:
                    self.mentions.add(self.methods[node.attr])
                constant = facts.single(self.fact(node))
                if constant is not None and isinstance(node.ctx, ast.Load):
                    return constant
                self.escaped.update(facts.classes(self.fact(node)))
            case ast.Attribute(attr="is_meta"):
                return ast.Constant(False)  # the file makes a model that runs
            case ast.BoolOp():
                return self._bool(node)
            case ast.UnaryOp(op=ast.Not()):
                node.operand = self.expression(node.operand)
                certain = facts.truth(self.fact(node.operand))
                return node if certain is None else ast.Constant(not certain)
            case ast.IfExp():
                node.test = self.expression(node.test)
                certain = facts.truth(self.fact(node.test))
                if certain is not None:
                    return self.expression(node.body if certain else node.orelse)
                node.body, node.orelse = self.expression(node.body), self.expression(node.orelse)
            case ast.Compare():
                if not (own_attribute(node.left) and isinstance(node.ops[0], ast.Is | ast.IsNot)):
                    self._children(node)  # else it is only asked whether it is there
                certain = self._compare(node)
                return node if certain is None else ast.Constant(certain)
            case ast.Call():
                return self._call(node)
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._inner_scope(node)
            case _:
                self._children(node)
        return node

    def _bool(self, node: ast.BoolOp) -> ast.expr:
        ends_with = isinstance(node.op, ast.Or)
        kept: list[ast.expr] = []
        for place, value in enumerate(node.values):
            value = self.expression(value)
            certain = facts.truth(self.fact(value))
            last = place == len(node.values) - 1
            if certain is None or certain == ends_with or last:
                kept.append(value)
            if certain == ends_with:
                break
        node.values = kept
        return kept[0] if len(kept) == 1 else node

    def _compare(self, node: ast.Compare) -> bool | None:
        if len(node.ops) != 1:
            return None
        left, operator, right = self.fact(node.left), node.ops[0], facts.single(self.fact(node.comparators[0]))
        if right is None:
            return None
        if isinstance(operator, ast.Is | ast.IsNot) and right.value is None:
            certain = facts.is_none(left)
        elif isinstance(operator, ast.Eq | ast.NotEq):
            certain = facts.equals(left, right.value)
        else:
            return None
        negated = isinstance(operator, ast.IsNot | ast.NotEq)
        return certain if certain is None else certain != negated

    def _call(self, node: ast.Call) -> ast.expr:
        before = [ast.dump(keyword.value) for keyword in node.keywords]
        node.args = [self.expression(arg) for arg in node.args]
        for keyword, was in zip(node.keywords, before, strict=True):
            keyword.value = self.expression(keyword.value)
            if isinstance(keyword.value, ast.Constant) and ast.dump(keyword.value) != was:
                setattr(keyword, "settled", True)  # noqa: B010 - it may turn out to be the default
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if self.exact and name in CONVERSIONS and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            return ast.Constant(CONVERSIONS[name](node.args[0].value))  # type: ignore[arg-type]
        target = meaning_of(node.func)
        method = own_attribute(node.func)
        if method is not None and method in self.methods:
            self._record(self.methods[method], node)
        elif isinstance(target, tuple):
            self._record(target, node)
        elif inner := self._of_instance(node.func):
            for called in inner:
                self._record(called, node)
        elif not isinstance(node.func, ast.Name):
            node.func = self.expression(node.func)
        return node

    def _of_instance(self, function: ast.expr) -> list[Target]:
        """The methods behind `self.attribute(...)` and `self.attribute.method(...)` where the attribute is ours."""
        if own_attribute(function):
            owner, name = function, "forward"
        elif isinstance(function, ast.Attribute) and own_attribute(function.value):
            owner, name = function.value, function.attr
        else:
            return []
        found = [(module, f"{cls}.{name}") for module, cls in facts.classes(self.fact(owner))]
        return found if all(self.signature(method) for method in found) else []

    def _record(self, target: Target, node: ast.Call) -> None:
        found = self.signature(target)
        if found is None:
            self.mentions.add(target)
        else:
            self.calls.append((target, bind(found[0], node, self.fact, skip=found[1])))

    def _inner_scope(self, node: ast.expr) -> None:
        outside = dict(self.env)
        bound = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        bound |= {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)}
        self._forget(bound)
        if isinstance(node, ast.Lambda):
            node.body = self.expression(node.body)
        elif isinstance(node, COMPREHENSIONS):
            for generator in node.generators:
                generator.iter = self.expression(generator.iter)
                generator.ifs = [self.expression(test) for test in generator.ifs]
            self._children(node)
        self.env = outside

    def _note_names(self, node: ast.AST) -> None:
        for name in ast.walk(node):
            target = meaning_of(name)
            if isinstance(target, tuple):
                self.mentions.add(target)

    def fact(self, node: ast.expr) -> Fact:
        """What is known of an expression that has been simplified."""
        match node:
            case ast.Constant():
                return frozenset((facts.atom(node.value, exact=self.exact),))
            case ast.Name():
                return self.env.get(node.id, ANY)
            case ast.Attribute() if own_attribute(node):
                return self.env.get(f"self.{node.attr}", self.attributes.get(node.attr, ANY))
            case ast.IfExp():
                return self.fact(node.body) | self.fact(node.orelse)
            case ast.BoolOp():
                return frozenset().union(*map(self.fact, node.values))
            case ast.BinOp() | ast.Tuple() | ast.List() | ast.Dict() | ast.JoinedStr():
                return SOME
            case ast.Call():
                target = meaning_of(node.func)
                if isinstance(target, tuple) and self.is_class(target):
                    return frozenset((facts.made(target),))
                root = node.func
                while isinstance(root, ast.Attribute):
                    root = root.value
                of_torch = isinstance(found := meaning_of(root), Import) and found.source.startswith("torch")
                return SOME if of_torch else ANY
        return ANY
