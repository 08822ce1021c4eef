"""Safe arithmetic for parameters: "=4*dim" reads variables and computes; it never runs code and never runs away."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from simpleeval import InvalidExpression, SimpleEval

LIMIT = 2**63


class ExpressionError(ValueError):
    """An expression that cannot be computed; the text says why, as the end of a sentence."""


def is_expression(value: Any) -> TypeGuard[str]:
    """Whether a parameter's value is an expression: a text that begins with =."""
    return isinstance(value, str) and value.startswith("=")


def evaluate(text: str, variables: Mapping[str, Any]) -> int | float | bool | str:
    """The value of an expression, with or without its leading =.

    Arithmetic (+ - * / // % **), comparisons, `a if b else c`, and min, max, abs, round, ceil, floor, sqrt.

    Raises:
        ExpressionError: it cannot be read, names an unknown variable, or its numbers leave ±2⁶³.
    """
    source = text.removeprefix("=").strip()
    tree = _parse(source)
    known = [name for name in names(text) if name in variables]
    return _evaluate(source, tuple((name, type(variables[name]), variables[name]) for name in known), tree)


@lru_cache(4096)
def names(text: str) -> frozenset[str]:
    """The variables that an expression mentions; none for a text that cannot be read."""
    try:
        tree = _parse(text.removeprefix("=").strip())
    except ExpressionError:
        return frozenset()
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name)) - FUNCTIONS.keys()


def resolve(variables: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Variables whose values may be expressions of one another → (values, faults by name)."""
    values: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for start in variables:
        trail = {} if start in values or start in faults else {start: None}  # each variable depends on the next
        while trail:
            name = next(reversed(trail))
            raw = variables[name]
            wanted = sorted(names(raw) & variables.keys()) if is_expression(raw) else []
            open = next((other for other in wanted if other not in values and other not in faults), None)
            if open is not None and open not in trail:
                trail[open] = None
                continue
            if open is not None:
                faults[name] = f"it depends on itself through {open}"
            else:
                _settle(name, raw, values, faults)
            del trail[name]
    return values, faults


def waits(fault: str) -> bool:
    """Whether the fault of a variable is only that of another one."""
    return fault.startswith("the variable ")


def roots(values: Iterable[Any], variables: Mapping[str, Any]) -> frozenset[str]:
    """The variables with plain values that values hang on, through whatever expressions."""
    found: set[str] = set()
    seen: set[str] = set()
    stack = [name for value in values if is_expression(value) for name in names(value)]
    while stack:
        name = stack.pop()
        if name in seen or name not in variables:
            continue
        seen.add(name)
        if is_expression(variables[name]):
            stack.extend(names(variables[name]))
        else:
            found.add(name)
    return frozenset(found)


def _settle(name: str, raw: Any, values: dict[str, Any], faults: dict[str, str]) -> None:
    """Note the value of a variable whose own variables are known, or why it has none."""
    if not is_expression(raw):
        if isinstance(raw, int | float) and not -LIMIT < raw < LIMIT:
            faults[name] = "it must be smaller than 2⁶³"
        else:
            values[name] = raw
        return
    broken = sorted(names(raw) & faults.keys())
    if broken:
        faults[name] = f"the variable {broken[0]} cannot be computed"
        return
    try:
        values[name] = evaluate(raw, values)
    except ExpressionError as error:
        faults[name] = str(error)


def _bounded(value: Any) -> Any:
    if isinstance(value, int | float) and not -LIMIT < value < LIMIT:
        raise ExpressionError("its numbers grow beyond 2⁶³")
    return value


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > 64 or (base and abs(exponent) * math.log2(max(abs(base), 1)) > 63):
        raise ExpressionError("its numbers grow beyond 2⁶³")
    result = base**exponent
    if isinstance(result, complex):
        raise ExpressionError("a root of a negative number is no size")
    return result


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, str) or isinstance(right, str):
        raise ExpressionError("a text cannot be multiplied")
    return _bounded(left * right)


FUNCTIONS = {
    "min": min,
    "max": max,
    "abs": abs,
    "round": round,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
}
_OPERATORS = {
    ast.Add: lambda a, b: _bounded(a + b),
    ast.Sub: lambda a, b: _bounded(a - b),
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: lambda a, b: operator.mod(a, b) if not isinstance(a, str) else _refuse_format(),
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_NODES = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Load,
    ast.Constant, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


def _refuse_format() -> Any:
    raise ExpressionError("a text cannot be divided")


class _Reader(SimpleEval):
    """Arithmetic in which a text decides nothing: any text, "no" as well, would count as true."""

    def _eval_ifexp(self, node: ast.IfExp) -> Any:
        test = self._eval(node.test)
        if isinstance(test, str):
            raise ExpressionError(f"`{ast.unparse(node.test)}` is {test!r}, which is neither true nor false")
        return self._eval(node.body if test else node.orelse)


@lru_cache(4096)
def _parse(source: str) -> ast.expr:
    if not source:
        raise ExpressionError("it is empty")
    if len(source) > 500:
        raise ExpressionError("it is longer than 500 characters")
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"{source!r} is no arithmetic") from None
    for part in ast.walk(tree):
        if not isinstance(part, _NODES):
            raise ExpressionError(f"{source!r} uses more than arithmetic")
    return tree.body


@lru_cache(4096)
def _evaluate(source: str, variables: tuple[tuple[str, type, Any], ...], tree: ast.expr) -> Any:
    """The value; the types of the variables are there to tell True from 1, which the cache takes for equal."""
    known = {name: value for name, _, value in variables}
    reader = _Reader(operators=_OPERATORS, functions=FUNCTIONS, names={**known, "true": True, "false": False})
    try:
        value = _bounded(reader.eval(source, previously_parsed=tree))
    except ExpressionError:
        raise
    except ZeroDivisionError:
        raise ExpressionError(f"{source!r} divides by zero") from None
    except InvalidExpression as error:
        unknown = getattr(error, "name", None)
        reason = f"there is no variable {unknown!r}" if unknown else f"{source!r} cannot be computed"
        raise ExpressionError(reason) from None
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise ExpressionError(f"{source!r} cannot be computed") from None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int | float | bool | str):
        raise ExpressionError(f"{source!r} is no number, text or truth value")
    return value
