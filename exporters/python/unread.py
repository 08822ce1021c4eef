"""Drop assignments that nothing reads, which folding leaves behind."""

from __future__ import annotations

import ast


def drop_unread(node: ast.FunctionDef) -> None:
    """Drop assignments of plain values that nothing reads before the next one."""
    while True:
        count = len(node.body)
        read_names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        node.body = [
            statement
            for place, statement in enumerate(node.body)
            if not _unread(statement, node.body[place + 1 :], read_names)
        ] or [ast.Pass()]
        if len(node.body) == count:
            return


def _unread(statement: ast.stmt, following: list[ast.stmt], read_names: set[str]) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, plain = statement.targets[0], isinstance(statement.value, ast.Constant | ast.Name)
    if not plain or not isinstance(target, ast.Name):
        return False
    return target.id not in read_names or _overwritten(target.id, following)


def _overwritten(name: str, following: list[ast.stmt]) -> bool:
    """Whether the next statement that mentions a name assigns it afresh without reading it."""
    for statement in following:
        mentions = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
        if mentions:
            return isinstance(statement, ast.Assign) and all(isinstance(node.ctx, ast.Store) for node in mentions)
    return False
