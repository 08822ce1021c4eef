"""Code as people write it: trees back to text, with the comments of the original and lines that are not too long."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import Any

from exporters.python.folding import header
from exporters.python.sources import Source

WIDTH = 120
STEP = "    "
OPENING, CLOSING = "([{", ")]}"


def code(node: ast.AST) -> str:
    """An expression or statement on one line, strings in double quotes, floats as people write them."""
    text = ast.unparse(node)
    if "'" not in text and "e-0" not in text:
        return text
    pieces: list[str] = []
    at = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        new = token.string
        if token.type == tokenize.STRING:
            new = requoted(new)
        elif token.type == tokenize.NUMBER:
            new = re.sub(r"e-0+", "e-", new)
        if new != token.string:
            start, end = token.start[1], token.end[1]
            pieces += [text[at:start], new]
            at = end
    return "".join(pieces) + text[at:]


def literal(value: Any) -> str:
    """A plain value as code."""
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    return code(ast.Constant(value))


def requoted(text: str) -> str:
    """A string literal in double quotes, unless that would need more escapes."""
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text and "\\" not in text else text


def laid_out(text: str, indent: str, *, comment: str = "") -> list[str]:
    """A statement as lines of bearable length: whole, or what is in its last brackets further in.

    A comment stands behind it, or above where there is no room.
    """
    tail = f"  {comment}" if comment else ""
    if len(indent) + len(text) + len(tail) <= WIDTH:
        return [indent + text + tail]
    if comment:
        return [indent + comment, *laid_out(text, indent)]
    split = _last_brackets(text)
    if split is None:
        return [indent + text]
    head, inside, end = split
    inner = indent + STEP
    parts = _parts(inside)
    clauses = _clauses(inside)
    if len(inner) + len(inside) <= WIDTH and not inside.endswith(","):
        middle = [inner + inside]
    elif len(clauses) > 1:
        middle = [line for clause in clauses for line in laid_out(clause, inner)]
    else:
        middle = [line for part in parts for line in laid_out(f"{part},", inner)]
    return [indent + head, *middle, indent + end]


def signature(node: ast.FunctionDef, indent: str) -> list[str]:
    """The `def` line, or lines."""
    parts = list(_parameters(node.args))
    returns = f" -> {code(node.returns)}" if node.returns else ""
    start, end = f"{indent}def {node.name}(", f"){returns}:"
    whole = f"{start}{', '.join(parts)}{end}"
    if len(whole) <= WIDTH:
        return [whole]
    inner = indent + STEP
    joined = inner + ", ".join(parts)
    if len(joined) <= WIDTH:
        return [start, joined, indent + end]
    return [start, *(f"{inner}{part}," for part in parts), indent + end]


def function(node: ast.FunctionDef, source: Source, indent: str = "") -> list[str]:
    """A function as lines; of its docstring the first line stays."""
    lines = [*(f"{indent}@{code(decorator)}" for decorator in node.decorator_list), *signature(node, indent)]
    text, rest = docstring(node.body)
    if text and node.name not in ("__init__", "forward"):
        if shortened(node):  # what comes behind a semicolon is often about what is gone
            text = text.partition(";")[0].removesuffix(".") + "."
        lines.append(f'{indent}{STEP}"""{text}"""')
    if rest and isinstance(rest[-1], ast.Return) and rest[-1].value is None:
        rest = rest[:-1]
    return lines + body(rest or ([] if text and len(lines) > 1 else [ast.Pass()]), source, indent + STEP)


def plain_class(node: ast.ClassDef, source: Source) -> list[str]:
    """A class that is no block, as it stands, with a short docstring."""
    bases = ", ".join(code(base) for base in (*node.bases, *node.keywords))
    lines = [*(f"@{code(decorator)}" for decorator in node.decorator_list)]
    lines.append(f"class {node.name}({bases}):" if bases else f"class {node.name}:")
    text, rest = docstring(node.body)
    lines += [f'{STEP}"""{text}"""'] if text else []
    for statement in rest:
        if isinstance(statement, ast.FunctionDef):
            lines += ["", *function(statement, source, STEP)]
        else:
            lines += ([""] if lines[-1].endswith('"""') else []) + body([statement], source, STEP)
    return lines


def one_line(text: str) -> str:
    """Any text as the inside of a docstring of one line: no control signs, nothing that ends the docstring."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    shown = " ".join(shown.split()).replace("\\", "\\\\").replace('"""', "'''")
    return f"{shown[:-1]}'" if shown.endswith('"') else shown


def shortened(node: ast.FunctionDef) -> bool:
    """Whether folding took statements out of a function."""
    return getattr(node, "size", 0) > sum(1 for _ in ast.walk(node))


def docstring(statements: Sequence[ast.stmt]) -> tuple[str, list[ast.stmt]]:
    """The first line of a docstring, or "", and the statements behind it."""
    first = statements[0] if statements else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return one_line(inspect.cleandoc(first.value.value).partition("\n")[0]), list(statements[1:])
    return "", list(statements)


def body(statements: Sequence[ast.stmt], source: Source, indent: str) -> list[str]:
    """Statements as lines, with the comments that stood above and behind them."""
    lines: list[str] = []
    original = source.lines
    for statement in statements:
        first = getattr(statement, "lineno", 0)
        above: list[str] = []
        while first - 1 - len(above) in source.comments:
            above.insert(0, source.comments[first - 1 - len(above)])
        gap = first - 2 - len(above)
        if lines and 0 <= gap < len(original) and not original[gap].strip():
            lines.append("")
        lines += [indent + comment for comment in above]
        lines += _statement(statement, source, indent)
    return lines


def _statement(node: ast.stmt, source: Source, indent: str) -> list[str]:
    intact = getattr(node, "before", None) == header(node)
    match node:
        case ast.If():
            lines = _opening(node, f"if {code(node.test)}:", node.test, source, indent)
            lines += body(node.body, source, indent + STEP)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                nested = _statement(node.orelse[0], source, indent)
                return [*lines, f"{indent}el{nested[0].strip()}", *nested[1:]]
            return lines + _else(node.orelse, source, indent)
        case ast.For():
            opening = f"for {code(node.target).strip('()')} in {code(node.iter)}:"
            lines = _opening(node, opening, node.iter, source, indent) + body(node.body, source, indent + STEP)
            return lines + _else(node.orelse, source, indent)
        case ast.While():
            lines = _opening(node, f"while {code(node.test)}:", node.test, source, indent)
            return lines + body(node.body, source, indent + STEP) + _else(node.orelse, source, indent)
        case ast.With():
            items = ", ".join(code(item) for item in node.items)
            lines = _opening(node, f"with {items}:", node.items[-1].context_expr, source, indent)
            return lines + body(node.body, source, indent + STEP)
    if intact and hasattr(node, "lineno"):
        return _original(node, source, indent)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr | ast.Raise):
        return [indent + line for line in ast.unparse(node).splitlines()]
    comment = source.comments.get(-(node.end_lineno or 0), "") if hasattr(node, "lineno") else ""
    return laid_out(code(node), indent, comment=comment)


def _opening(node: ast.stmt, text: str, last: ast.expr, source: Source, indent: str) -> list[str]:
    comment = source.comments.get(-(getattr(last, "end_lineno", None) or 0), "")
    return laid_out(text, indent, comment=comment)


def _else(statements: list[ast.stmt], source: Source, indent: str) -> list[str]:
    return [f"{indent}else:", *body(statements, source, indent + STEP)] if statements else []


def _original(node: ast.stmt, source: Source, indent: str) -> list[str]:
    """The lines of a statement as they were, moved to another indentation."""
    lines = source.lines[node.lineno - 1 : node.end_lineno]
    start = node.col_offset
    moved = [indent + lines[0][start:]]
    moved += [indent + line[start:] if line[:start].isspace() or not line else line for line in lines[1:]]
    joined = " ".join(line.strip() for line in moved)
    if len(moved) > 1 and not re.search(r",\s*[\])}]", joined) and len(indent) + len(code(node)) <= WIDTH:
        return [indent + code(node)]
    return moved


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for arg, default in zip(positional, defaults, strict=True):
        yield _parameter(arg, default)
        if arguments.posonlyargs and arg is arguments.posonlyargs[-1]:
            yield "/"
    if arguments.vararg:
        yield f"*{_parameter(arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(arg, default)
    if arguments.kwarg:
        yield f"**{_parameter(arguments.kwarg, None)}"


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    if arg.annotation is None:
        return arg.arg if default is None else f"{arg.arg}={code(default)}"
    return f"{arg.arg}: {code(arg.annotation)}" + ("" if default is None else f" = {code(default)}")


def _last_brackets(text: str) -> tuple[str, str, str] | None:
    """The text up to and with its last outermost opening bracket, what is inside, and the rest."""
    pairs = list(_brackets(text))
    for start, end in reversed(pairs):
        if end - start > 1:
            return text[: start + 1], text[start + 1 : end], text[end:]
    return None


def _brackets(text: str) -> Iterator[tuple[int, int]]:
    """Places of the outermost brackets, those in strings left out."""
    depth, start, quote = 0, 0, ""
    for place, sign in enumerate(text):
        if quote:
            if sign == quote and text[place - 1] != "\\":
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in OPENING:
            start = place if depth == 0 else start
            depth += 1
        elif sign in CLOSING:
            depth -= 1
            if depth == 0:
                yield start, place


def _parts(text: str) -> list[str]:
    """What stands between the commas that are in no brackets."""
    cuts = [place for place, sign in enumerate(text) if sign == ","]
    edges = [-1, *_outside(text, cuts), len(text)]
    parts = [text[start + 1 : end].strip() for start, end in zip(edges, edges[1:], strict=False)]
    return [part for part in parts if part]


def _clauses(text: str) -> list[str]:
    """A comprehension in its clauses: what is made, and each `for`."""
    cuts = _outside(text, [match.start() for match in re.finditer(r" for ", text)])
    edges = [0, *cuts, len(text)]
    return [text[start:end].strip() for start, end in zip(edges, edges[1:], strict=False)]


def _outside(text: str, places: list[int]) -> list[int]:
    """Those of the places that are in no brackets and no string."""
    quoted = [match.span() for match in re.finditer(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", text)]
    held = [*_brackets(text), *quoted]
    return [place for place in places if not any(start <= place < end for start, end in held)]
