"""Nodes, wires and steps in words, for those who do not see the canvas."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.session import Session
    from graph.document import Level, Node, Wire
    from graph.issues import NodeReport

MOST = 3
"""How many of a kind are named one by one."""


def title_in_words(node: Node) -> str:
    """What a node is called."""
    from graph.judge import title_of  # not before there are nodes: it takes torch along

    return title_of(node)


def node_in_words(session: Session, id: str) -> str:
    """A node of the level that is shown: what it is, where its wires go, what is wrong with it."""
    level = session.document.level(session.at)
    node, report = level.node(id), session.report.node((*session.at, id))
    title = title_in_words(node)
    parts = [title]
    if node.level is not None:
        blocks = len(node.level.nodes)
        parts.append(f"group of {blocks} {'block' if blocks == 1 else 'blocks'}")
        if report is not None and report.rounds > 1:
            parts.append(f"{report.rounds} times")
    elif report is not None and report.block is not None and report.block.title != title:
        parts.append(report.block.title)
    parts += [word for word, is_so in (("switched off", node.muted), ("collapsed", node.collapsed)) if is_so]
    sentences = [", ".join(parts), *_ways_in(level, id, report), *_ways_out(level, id, report)]
    if report is not None:
        sentences += [f"{issue.severity.capitalize()}: {issue.found}" for issue in report.issues[:MOST]]
    return ". ".join(sentence.rstrip(".") for sentence in sentences) + "."


def wire_in_words(session: Session, wire: Wire) -> str:
    """A wire of the level that is shown."""
    level = session.document.level(session.at)
    signal = session.report.signal((*session.at, wire.source), wire.output)
    shape = f", {signal}" if signal is not None else ""
    return f"Wire from {_title(level, wire.source)} to {_title(level, wire.target)}{_input(session, wire)}{shape}."


def wires_in_words(session: Session, new: Iterable[Wire], gone: Iterable[Wire], titles: dict[str, str]) -> str:
    """What has become of wires: what is wired now, or, where nothing is new, what no longer is.

    Args:
        session: the drawing.
        new: the wires that were not there before.
        gone: those that are no longer there.
        titles: what nodes were called that may be gone.
    """
    level = session.document.level(session.at)
    added = [
        f"{_title(level, wire.source)} wired to {_title(level, wire.target)}{_input(session, wire)}" for wire in new
    ]
    if added:
        return _few(added, "wires laid")
    lost = [
        f"{titles.get(wire.source, wire.source)} no longer wired to {titles.get(wire.target, wire.target)}"
        for wire in gone
    ]
    return _few(lost, "wires cut")


def problems_in_words(session: Session) -> str:
    """How many problems and warnings there are now."""
    issues = session.report.issues
    errors = sum(issue.severity == "error" for issue in issues)
    counts = ((errors, "problem"), (len(issues) - errors, "warning"))
    found = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return ", ".join(found) or "No problems"


def level_in_words(session: Session) -> str:
    """The level that is shown."""
    count = len(session.document.level(session.at).nodes)
    name = title_in_words(session.document.node(session.at)) if session.at else session.title
    return f"{'Inside ' if session.at else ''}{name}, {count} {'block' if count == 1 else 'blocks'}."


def _ways_in(level: Level, id: str, report: NodeReport | None) -> list[str]:
    wires = level.incoming(id)
    ports = list(report.input_ports) if report is not None else list(dict.fromkeys(wire.input for wire in wires))
    found = []
    for port in ports:
        sources = [_title(level, wire.source) for wire in wires if wire.input == port]
        name = f"{port} from" if len(ports) > 1 else "From"
        found.append(f"{name} {_named(sources)}" if sources else f"Input {port} not wired")
    return found


def _ways_out(level: Level, id: str, report: NodeReport | None) -> list[str]:
    wires = level.outgoing(id)
    ports = list(report.output_ports) if report is not None else list(dict.fromkeys(wire.output for wire in wires))
    found = []
    for port in ports:
        targets = [_title(level, wire.target) for wire in wires if wire.output == port]
        name = f"{port} to" if len(ports) > 1 else "To"
        signal = report.outputs.get(port) if report is not None else None
        shape = f", {signal}" if signal is not None else ""
        found.append((f"{name} {_named(targets)}" if targets else f"Output {port} not wired") + shape)
    return found


def _title(level: Level, id: str) -> str:
    return title_in_words(level.node(id)) if id in level else id


def _input(session: Session, wire: Wire) -> str:
    report = session.report.node((*session.at, wire.target))
    if report is None or wire.input not in report.input_ports:
        return ""
    if report.input_ports[wire.input].many:
        return f", input {wire.input} {wire.order + 1}"
    return f", input {wire.input}" if len(report.input_ports) > 1 else ""


def _named(titles: list[str]) -> str:
    rest = len(titles) - MOST
    return ", ".join(titles) if rest <= 0 else f"{', '.join(titles[:MOST])} and {rest} more"


def _few(sentences: list[str], what: str) -> str:
    return ". ".join(islice(sentences, MOST)) if len(sentences) <= MOST else f"{len(sentences)} {what}"
