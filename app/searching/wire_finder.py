"""Wiring from a list: where the output of the selected node may go, and what may go into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from app.searching import search
from app.searching.entries import Entry

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.main_window import MainWindow

WIDTH = 440
BEFORE, MIDDLE = 56.0, 14.0
"""How far before a node, and how far below its top, a block goes that is to feed it."""


def find_wires(window: MainWindow, *, outwards: bool) -> None:
    """Show what the selected node may be wired to: nodes that are there with the shapes, then new ones; and wire it.

    Args:
        window: the window.
        outwards: whether its outputs are wired; else its inputs.
    """
    from app.searching import wiring
    from app.searching.fitting import feeders, fits

    canvas, session = window.canvas, window.session
    focus, report = session.focus, session.focus_report
    if canvas is None or focus is None or report is None:
        session.refuse("Select one node to wire it")
        return
    id = focus[-1]
    ports = list(report.output_ports if outwards else report.input_ports)
    if not ports:
        session.refuse(f"This block has no {'output' if outwards else 'input'}")
        return
    ways = (wiring.ways_out if outwards else wiring.ways_in)(session, id)
    wired = {wire.input for wire in report.wires}
    port = ports[0] if outwards else next((name for name in ports if name not in wired), ports[0])
    new = dict((fits if outwards else feeders)(session, id, port, window.settings.uses, window.library.blocks))
    scene = _place(canvas, id, outwards)

    def lay(way: wiring.Way) -> None:
        if wiring.lay(session, way):
            session.show((*session.at, way.wire.target if outwards else way.wire.source))

    def line(way: wiring.Way) -> Entry:
        instead = f"instead of {way.instead}" if way.instead else ""
        detail = ", ".join(part for part in (way.detail, instead) if part)
        return Entry(way.title, "port", "", detail, way.category, do=lambda: lay(way), icon=way.icon)

    def lines(query: str) -> Sequence[Entry]:
        there = [line(way) for way in ways]
        if query:
            there = search.ranked(query, there, lambda q, entry: search.best(q, [entry.title]))
        fresh = window.finder.fitting_lines(query, new)
        groups = (("Nodes that are there", there), ("A new block", fresh))
        return [entry for title, group in groups if group for entry in (Entry(title, "heading"), *group)]

    def take(entry: Entry) -> None:
        if entry.do is not None:
            entry.do()
        elif window.finder.add_wired(entry, scene, (id, port, not outwards), new) is not None:
            session.show((*session.at, *session.selection))

    signal = session.report.signal(focus, port) if outwards else None
    note = f"What takes {signal}" if signal is not None else f"What takes {port}" if outwards else f"Into {port}"
    window.finder.popup.open(
        "Wire to …" if outwards else "Wire from …",
        lines,
        take,
        window.mapFromGlobal(canvas.mapToGlobal(canvas.map_from_scene(scene).toPoint())),
        note=note if ways or new else "Nothing here fits.",
        width=WIDTH,
        closed=canvas.setFocus,
    )


def _place(canvas: Canvas, id: str, outwards: bool) -> QPointF:
    """Where a new node goes: its port lies there."""
    left, top, right, _ = canvas.geometry_of.bounds([id]) or (0.0, 0.0, 0.0, 0.0)
    if not outwards:
        return QPointF(left - BEFORE, top + MIDDLE)
    beside = canvas.walker.place_beside()
    return QPointF(right + BEFORE, beside.y() if beside is not None else top + MIDDLE)
