"""Blocks that are one expression: an addition becomes `a + b` in `forward`, a ReLU a call of the function.

Such a block has no tensors, so no key of the state_dict is lost with its module.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from exporters.python import facts, writing
from exporters.python.facts import SOME, Fact
from exporters.python.folding import fold, meaning_of, own_attribute
from exporters.python.lowering import is_lowered, lowered
from exporters.python.native import native
from exporters.python.sources import Import, class_of, read
from graph.parameters import buffer_shapes, parameter_shapes

if TYPE_CHECKING:
    from blocks.spec import Block
    from graph.plan import BlockStep


def is_expression(step: BlockStep) -> bool:
    """Whether a block needs no module of its own."""
    return native(step) is None and (is_lowered(step) or _template(*_key(step)) is not None)


def expression(step: BlockStep, values: Sequence[str], rank: int) -> tuple[str, frozenset[Import]]:
    """What stands in `forward` in place of a call.

    Args:
        step: the call of a block that is an expression.
        values: the names of what comes in, in the order of its arguments.
        rank: how many axes the first of them has.
    """
    if is_lowered(step):
        return lowered(step, values, rank)
    found = _template(*_key(step))
    assert found is not None
    return writing.code(_filled(found[0], step, values)), found[1]


def _key(step: BlockStep) -> tuple[type[Block], tuple[tuple[str, Any], ...], tuple[str, ...]]:
    return step.block, tuple(step.params.items()), tuple(argument.port for argument in step.arguments)


@lru_cache(1024)
def _template(
    block: type[Block], params: tuple[tuple[str, Any], ...], wired: tuple[str, ...]
) -> tuple[ast.expr, frozenset[Import]] | None:
    """The one expression that `forward` comes down to when every parameter is known, or None."""
    given = dict(params)
    if parameter_shapes(block, given) or buffer_shapes(block, given) or len(block.ports(given)[1]) != 1:
        return None
    _, methods = class_of(block)
    attributes: dict[str, Fact] = {}
    if "__init__" in methods:
        target, init = methods["__init__"]
        known = {name: facts.fact([value], exact=True) for name, value in given.items()}
        attributes = fold(init, read(target[0]), known, exact=True).stored
    target, forward = methods["forward"]
    known = {
        name: SOME if name in wired else facts.fact([None])
        for name, port in block.ports(given)[0].items()
        if not port.many
    }
    folded = fold(forward, read(target[0]), known, attributes=attributes, exact=True)
    _, body = writing.docstring(folded.node.body)
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    imports: set[Import] = set()
    for node in ast.walk(body[0]):
        meaning = meaning_of(node)
        if isinstance(meaning, tuple) or own_attribute(node) not in (None, "training"):
            return None
        if isinstance(meaning, Import):
            imports.add(meaning)
    return body[0].value, frozenset(imports)


def _filled(body: ast.expr, step: BlockStep, values: Sequence[str]) -> ast.expr:
    arguments: dict[str, ast.expr] = {}
    place = 0
    for argument in step.arguments:
        names = [ast.Name(name) for name in values[place : place + len(argument.values)]]
        arguments[argument.port] = ast.Tuple(list(names), ast.Load()) if argument.many else names[0]
        place += len(argument.values)
    return _Filled(arguments).visit(copy.deepcopy(body))


class _Filled(ast.NodeTransformer):
    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        return self.arguments.get(node.id, node)
