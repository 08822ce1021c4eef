"""What a drawing without an output lacks: the block that gives the result of the model back."""

from __future__ import annotations

from graph.commands import AddNode, Connect, Sequence
from graph.document import Document, Node, Wire
from graph.issues import LevelReport, Repair
from graph.judge import title_of

BEHIND = 280.0
"""How far to the right the output is put."""


def closing(document: Document, top: LevelReport) -> Repair | None:
    """An output behind the one block whose result goes nowhere; None where there is none, or several to choose from."""
    level = document.top
    loose = [
        report
        for id, report in top.nodes.items()
        if report.outputs and (report.block is None or report.block.role != "source") and not level.outgoing(id)
    ]
    if len(loose) != 1:
        return None
    (last,) = loose
    x, y = last.node.position
    output = Node(document.fresh_id((), "output"), "Output", position=(x + BEHIND, y))
    wire = Wire(last.node.id, next(iter(last.outputs)), output.id, "x")
    label = f"Add an Output behind {title_of(last.node)}"
    return Repair(label, Sequence((AddNode((), output), Connect((), wire)), label))
