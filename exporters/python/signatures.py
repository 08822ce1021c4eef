"""Parameters and arguments of functions as trees: which receives what."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from exporters.python import facts
from exporters.python.facts import ANY, Fact


@dataclass
class CallSite:
    """A call of one of our own functions, classes or methods.

    Args:
        node: the call.
        bound: parameter → the argument it receives, as it stands in the call.
        known: parameter → what is known of what it receives, defaults included.
        clear: whether `bound` is all; stars hide what is given.
    """

    node: ast.Call
    bound: dict[str, ast.expr | ast.keyword]
    known: dict[str, Fact]
    clear: bool = True


def bind(function: ast.FunctionDef, call: ast.Call, fact_of: Callable[[ast.expr], Fact], *, skip: int = 0) -> CallSite:
    """Which argument each parameter receives; `skip` leading parameters (self) receive none."""
    every = parameters_of(function)[skip:]
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(k.arg is None for k in call.keywords):
        return CallSite(call, {}, dict.fromkeys(every, ANY), clear=False)
    count = len(every) - len(function.args.kwonlyargs)
    bound: dict[str, ast.expr | ast.keyword] = dict(zip(every[:count], call.args, strict=False))
    bound |= {keyword.arg: keyword for keyword in call.keywords if keyword.arg}
    known: dict[str, Fact] = {}
    defaults = default_values(function)
    for name in every:
        given = bound.get(name, defaults.get(name))
        known[name] = ANY if given is None else fact_of(given.value if isinstance(given, ast.keyword) else given)
    return CallSite(call, bound, known)


def parameters_of(function: ast.FunctionDef) -> list[str]:
    """Names of the parameters, stars left out: first those by position, then those by keyword."""
    arguments = function.args
    return [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def default_values(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Parameter → the expression of its default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    behind = positional[len(positional) - len(arguments.defaults) :]
    found = {arg.arg: default for arg, default in zip(behind, arguments.defaults, strict=True)}
    by_keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {arg.arg: default for arg, default in by_keyword if default is not None}


def remove_parameter(function: ast.FunctionDef, name: str) -> None:
    """Take a parameter out of a signature."""
    arguments = function.args
    for group in (arguments.posonlyargs, arguments.args):
        for place, arg in enumerate(group):
            if arg.arg == name:
                positional = [*arguments.posonlyargs, *arguments.args]
                from_end = len(positional) - positional.index(arg)
                if from_end <= len(arguments.defaults):
                    del arguments.defaults[len(arguments.defaults) - from_end]
                del group[place]
                return
    for place, arg in enumerate(arguments.kwonlyargs):
        if arg.arg == name:
            del arguments.kwonlyargs[place], arguments.kw_defaults[place]
            return


def remove_argument(site: CallSite, name: str) -> None:
    """Take what a parameter receives out of a call."""
    given = site.bound.pop(name, None)
    if isinstance(given, ast.keyword):
        site.node.keywords = [keyword for keyword in site.node.keywords if keyword is not given]
    elif given is not None:
        site.node.args = [arg for arg in site.node.args if arg is not given]


def plain_annotations(function: ast.FunctionDef, known: Mapping[str, Fact]) -> None:
    """`Annotated[int | None, Size(...)] = None` becomes `int | None = None`, and `int` where None is never given."""
    arguments = function.args
    never = {name for name, fact in known.items() if facts.is_none(fact) is False}
    for place, arg in enumerate(arguments.kwonlyargs):
        if arg.arg in never and _is_none(arguments.kw_defaults[place]):
            arguments.kw_defaults[place] = None
    behind = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    while behind and behind[0].arg in never and _is_none(arguments.defaults[0]):
        del behind[0], arguments.defaults[0]
    defaults = default_values(function)
    for arg in (*arguments.args, *arguments.kwonlyargs):
        annotation = arg.annotation
        if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
            inner = annotation.slice
            annotation = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
        if arg.arg in never and arg.arg not in defaults and isinstance(annotation, ast.BinOp):
            annotation = annotation.left if _is_none(annotation.right) else annotation
        arg.annotation = annotation


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
