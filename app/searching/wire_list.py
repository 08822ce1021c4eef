"""A wire chosen by keys: the wires of the selected node as a list, to cut one, bend it or put a block into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.access.in_words import title_in_words
from app.searching import search
from app.searching.entries import Entry

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.document import Wire

WIDTH = 440


def list_wires(window: MainWindow) -> None:
    """Show the wires of the selected node; arrows light them one after the other, and Enter chooses one."""
    canvas, session = window.canvas, window.session
    focus = session.focus
    if canvas is None or focus is None:
        session.refuse("Select one node to choose among its wires")
        return
    level, id = session.document.level(session.at), focus[-1]
    coming, going = level.incoming(id), level.outgoing(id)
    if not coming and not going:
        session.refuse("No wire is at this block")
        return
    wires: dict[str, Wire] = {}

    def line(wire: Wire) -> Entry:
        name = f"{wire.source} {wire.output} {wire.target} {wire.input} {wire.order}"
        wires[name] = wire
        signal = session.report.signal((*session.at, wire.source), wire.output)
        other = wire.target if wire.source == id else wire.source
        port = wire.input if wire.target == id else wire.output
        detail = ", ".join(part for part in (port, str(signal) if signal is not None else "") if part)
        return Entry(title_in_words(level.node(other)), "port", name, detail)

    groups = (("From", [line(wire) for wire in coming]), ("To", [line(wire) for wire in going]))

    def lines(query: str) -> Sequence[Entry]:
        found: list[Entry] = []
        for title, entries in groups:
            fits = search.ranked(query, entries, lambda q, entry: search.best(q, [entry.title])) if query else entries
            found += [Entry(title, "heading"), *fits] if fits else []
        return found

    def light(entry: Entry) -> None:
        canvas.choose(wires[entry.name])

    place = canvas.mapToGlobal(canvas.walker.place_of_menu())
    window.finder.popup.open(
        "Choose a wire",
        lines,
        light,
        window.mapFromGlobal(place),
        note="The chosen wire can be cut (Delete), led through a dot, or given a block.",
        width=WIDTH,
        closed=canvas.setFocus,
        moved=light,
        left=lambda: session.select([id]),
    )
