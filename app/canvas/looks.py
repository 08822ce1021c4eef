"""What is singled out on the canvas at the moment: selected, hovered, lit, fitting. The painters read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from app.canvas.geometry import PortPlace
from graph.document import Wire

FAR, NEAR = 0.30, 0.55
"""Below the first zoom nodes are blocks of colour; from the second on they show everything."""


class Fits(Protocol):
    """Whether a dragged wire would fit at a port."""

    def begin(self) -> None:
        """A picture begins."""
        ...

    def get(self, place: PortPlace) -> bool | None:
        """Whether it fits; None where it cannot end."""
        ...


@dataclass
class Looks:
    """What is singled out.

    Args:
        selected: the selected nodes.
        hovered: the node under the pointer.
        port: the port under the pointer.
        chosen: the wire that was clicked.
        hot: the wire under the pointer.
        run: the wires that are one with it, through dots.
        lit_nodes, lit_wires: the path through a hovered wire; all else is dimmed. None lights all.
        fits: while a wire is dragged, whether it would fit at each port.
        aim: the port where a dragged wire would end now.
        gap: the wire into which a dragged block would be put.
        lifted: the wires that are being dragged off their port, which are not painted where they were.
        struck: the wires that a stroke has crossed.
    """

    selected: frozenset[str] = frozenset()
    hovered: str | None = None
    port: PortPlace | None = None
    chosen: Wire | None = None
    hot: Wire | None = None
    run: frozenset[Wire] = frozenset()
    lit_nodes: frozenset[str] | None = None
    lit_wires: frozenset[Wire] = frozenset()
    fits: Fits | None = None
    aim: PortPlace | None = None
    gap: Wire | None = None
    lifted: frozenset[Wire] = frozenset()
    struck: frozenset[Wire] = frozenset()
