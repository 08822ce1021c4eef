"""Which nodes belong to which: linked, upstream, downstream, similar. No Qt."""

from __future__ import annotations

from collections.abc import Iterable

from graph.document import Level


def upstream(level: Level, ids: Iterable[str]) -> frozenset[str]:
    """Nodes and all that they depend on."""
    return _followed(level, ids, forth=False, back=True)


def downstream(level: Level, ids: Iterable[str]) -> frozenset[str]:
    """Nodes and all that depends on them."""
    return _followed(level, ids, forth=True, back=False)


def linked(level: Level, ids: Iterable[str]) -> frozenset[str]:
    """Nodes and all that wires join them to, whichever way."""
    return _followed(level, ids, forth=True, back=True)


def similar(level: Level, ids: Iterable[str]) -> frozenset[str]:
    """The nodes of the same blocks; of groups those with the same title, as copies have."""
    chosen = [level.node(id) for id in ids]
    kinds = {(node.block, node.title if node.is_group else "") for node in chosen}
    return frozenset(
        id for id, node in level.nodes.items() if (node.block, node.title if node.is_group else "") in kinds
    )


def _followed(level: Level, ids: Iterable[str], *, forth: bool, back: bool) -> frozenset[str]:
    found = set(ids)
    todo = list(found)
    while todo:
        id = todo.pop()
        near = [wire.target for wire in level.outgoing(id)] if forth else []
        near += [wire.source for wire in level.incoming(id)] if back else []
        fresh = [other for other in near if other not in found]
        found.update(fresh)
        todo += fresh
    return frozenset(found)
