"""When what was found of a node or level still holds: what of it others, or its own report, depend on."""

from __future__ import annotations

from graph.document import Node
from graph.issues import NodeReport
from graph.repairs import Scope


def looks_apart(old: Node, new: Node) -> bool:
    """Whether two states of a node differ in no more than how it is drawn."""
    return (
        old.params is new.params
        and (old.id, old.block, old.title, old.muted) == (new.id, new.block, new.title, new.muted)
        and (old.order, old.repeat, old.shared, old.backwards) == (new.order, new.repeat, new.shared, new.backwards)
        and (old.uid, old.ties, old.sample, old.extra) == (new.uid, new.ties, new.sample, new.extra)
        and old.level is new.level
    )


def is_same_scope(old: Scope, new: Scope) -> bool:
    """Whether nodes can see the same in two scopes."""
    return old is new or (
        old.at == new.at
        and old.variables == new.variables
        and old.written == new.written
        and old.faults == new.faults
        and old.received == new.received
        and old.rounds == new.rounds
    )


def says_the_same(old: NodeReport | None, new: NodeReport | None) -> bool:
    """Whether two reports on a node are the same for those behind it."""
    if old is new:
        return True
    if old is None or new is None:
        return False
    same = old.outputs is new.outputs or old.outputs == new.outputs
    return same and (old.state, old.node.title, old.uses) == (new.state, new.node.title, new.uses)


def same_group(old: NodeReport, new: NodeReport) -> bool:
    """Whether two reports on a group say the same."""
    return (
        old.node is new.node
        and old.wires is new.wires
        and old.state == new.state
        and list(old.output_ports) == list(new.output_ports)
        and list(old.input_ports) == list(new.input_ports)
        and old.outputs == new.outputs
        and old.inputs == new.inputs
        and old.issues == new.issues
        and old.rounds == new.rounds
        and len(old.inside) == len(new.inside)
        and all(a is b for a, b in zip(old.inside, new.inside, strict=True))
    )
