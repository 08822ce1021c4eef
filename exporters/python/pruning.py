"""After folding: drop parameters and attributes that nothing reads, and functions that became one expression."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from exporters.python import facts
from exporters.python.facts import ANY
from exporters.python.folding import meaning_of, own_attribute
from exporters.python.signatures import (
    CallSite,
    default_values,
    parameters_of,
    remove_argument,
    remove_parameter,
)
from exporters.python.sources import Import, Target
from exporters.python.unread import drop_unread

if TYPE_CHECKING:
    from exporters.python.library import Program


def prune(program: Program) -> None:
    """Drop what nothing reads until everything left is read, then arguments that only repeat a default."""
    while _drop_attributes(program) or _drop_parameters(program):
        pass
    for folded in program.folded.values():
        for node in ast.walk(folded.node):
            if isinstance(node, ast.Call):
                node.keywords = [word for word in node.keywords if not _repeats_default(program, node, word)]


def drop_idle_calls(program: Program) -> None:
    """Drop calls of functions that have come to do nothing."""
    idle = {target for target, folded in program.folded.items() if "." not in target[1] and _idle(folded.node)}
    for folded in program.folded.values():
        calls = {id(site.node) for callee, site in folded.calls if callee in idle}
        folded.node.body = [
            statement
            for statement in folded.node.body
            if not (isinstance(statement, ast.Expr) and id(statement.value) in calls)
        ] or [ast.Pass()]


def _idle(node: ast.FunctionDef) -> bool:
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Return) and statement.value is None)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in node.body
    )


def _drop_attributes(program: Program) -> bool:
    """Drop `self.name = value` where nobody reads an attribute of that name and the value has no effect."""
    trees = [*(folded.node for folded in program.folded.values()), *program.whole.values()]
    read = {
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    dropped = False
    for target, folded in program.folded.items():
        if not target[1].endswith(".__init__"):
            continue
        kept = [statement for statement in folded.node.body if not _unread_attribute(statement, read)]
        if len(kept) < len(folded.node.body):
            folded.node.body = kept or [ast.Pass()]
            drop_unread(folded.node)
            dropped = True
    return dropped


def _unread_attribute(statement: ast.stmt, read: set[str]) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    name = own_attribute(statement.targets[0])
    return bool(name) and name not in read and not any(isinstance(node, ast.Call) for node in ast.walk(statement))


def _drop_parameters(program: Program) -> bool:
    dropped = False
    for target, folded in program.folded.items():
        if target in program.pinned:
            continue
        sites = list(_sites(program, target))
        if not all(site.clear for site in sites):
            continue
        skip = 1 if "." in target[1] else 0
        for name in parameters_of(folded.node)[skip:]:
            must_stay = target[1].endswith(".forward") and facts.single(program.known[target].get(name, ANY)) is None
            if must_stay or _reads_parameter(folded.node.body, name):
                continue
            remove_parameter(folded.node, name)
            for site in sites:
                remove_argument(site, name)
            dropped = True
    return dropped


def _sites(program: Program, target: Target) -> Iterator[CallSite]:
    for folded in program.folded.values():
        for callee, site in folded.calls:
            if program.function(callee) == target:
                yield site


def _reads_parameter(body: list[ast.stmt], name: str) -> bool:
    """Whether the value that comes in is read: a name that is always assigned before is no longer the parameter."""
    for statement in body:
        found = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
        if any(isinstance(node.ctx, ast.Load) for node in found):
            return True
        if found and isinstance(statement, ast.Assign):
            return False
    return False


def _repeats_default(program: Program, call: ast.Call, word: ast.keyword) -> bool:
    """Whether a keyword that folding settled gives just what the function takes anyway."""
    if not getattr(word, "settled", False) or not isinstance(word.value, ast.Constant) or word.arg is None:
        return False
    if word.arg == "cache" and word.value.value is None:  # a block inside a block, which lost the parameter too
        return True
    target = meaning_of(call.func)
    if isinstance(target, tuple):
        folded = program.folded.get(program.function(target))
        default = default_values(folded.node).get(word.arg) if folded else None
        return isinstance(default, ast.Constant) and facts.exactly(default.value) == facts.exactly(word.value.value)
    return facts.exactly(_torch_default(call.func, word.arg)) == facts.exactly(word.value.value)


def _torch_default(function: ast.expr, parameter: str) -> Any:
    """The default of a parameter of torch's, or nothing where that cannot be told."""
    path: list[str] = []
    while isinstance(function, ast.Attribute):
        path.insert(0, function.attr)
        function = function.value
    origin = meaning_of(function)
    if not isinstance(origin, Import):
        return inspect.Parameter.empty
    found: Any = importlib.import_module(origin.source)
    for name in filter(None, (origin.name, *path)):
        found = getattr(found, name, None)
    try:
        return inspect.signature(found).parameters[parameter].default
    except (TypeError, ValueError, KeyError):
        return inspect.Parameter.empty


def inline_dispatchers(program: Program) -> None:
    """Put the expression of a function that only chose between several in the place of its calls."""
    for target in [*program.folded]:
        template = _chosen(program, target)
        if template is None:
            continue
        replaced: dict[int, ast.expr] = {}
        for site in _sites(program, target):
            arguments = {
                name: given.value if isinstance(given, ast.keyword) else given for name, given in site.bound.items()
            }
            replaced[id(site.node)] = _Filled(arguments).visit(copy.deepcopy(template))
        swap = _Swap(replaced)
        for folded in program.folded.values():
            swap.visit(folded.node)
        del program.folded[target]


def _chosen(program: Program, target: Target) -> ast.expr | None:
    """The expression that a function has come down to, where it was a choice and can stand at every call."""
    folded = program.folded[target]
    if "." in target[1] or target in program.pinned:
        return None
    found = program.signature(target)
    assert found is not None
    rest = folded.node.body[1:] if ast.get_docstring(folded.node) else folded.node.body
    was = found[0].body[1:] if ast.get_docstring(found[0]) else found[0].body
    if len(rest) != 1 or len(was) == 1 or not isinstance(rest[0], ast.Return) or rest[0].value is None:
        return None
    names = parameters_of(folded.node)
    read = [node.id for node in ast.walk(rest[0]) if isinstance(node, ast.Name)]
    complete = all(site.clear and site.bound.keys() == set(names) for site in _sites(program, target))
    return rest[0].value if complete and all(read.count(name) <= 1 for name in names) else None


class _Filled(ast.NodeTransformer):
    """Put arguments in the place of parameters."""

    def __init__(self, arguments: dict[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        return self.arguments.get(node.id, node)


class _Swap(ast.NodeTransformer):
    """Put other expressions in the place of calls."""

    def __init__(self, replaced: dict[int, ast.expr]) -> None:
        self.replaced = replaced

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        found = self.replaced.get(id(node))
        return self.generic_visit(node if found is None else found)  # type: ignore[return-value]
