"""What comes out of a group: of one that runs once, and of one whose rounds follow each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from blocks.shapes import Needs
from graph.bounds import largest
from graph.bypass import equal_signals
from graph.issues import LevelReport, Signal

if TYPE_CHECKING:
    from graph.judge import Judgement


def exits(
    case: Judgement,
    ends: Mapping[str, str],
    inside: Sequence[LevelReport],
    received: Mapping[str, Signal],
    rounds: int,
    need: Needs,
) -> dict[str, Signal]:
    """What a group gives, after blaming rounds that do not go together.

    Args:
        case: the group.
        ends: output → the node inside that stands for it.
        inside: the reports on its rounds, or one that stands for all, since they are alike.
        received: what each round receives.
        rounds: how often it runs.
        need: where what the sizes must satisfy is gathered.
    """
    outputs: dict[str, Signal] = {}
    for name, id in ends.items():
        each = _each(id, inside)
        if each is None:
            continue
        kind = inside[0].nodes[id].params.get("rounds")
        signal = each[0 if case.node.backwards else -1]
        if rounds > 1 and name in received:
            _carry(case, name, each, received[name], need)
        elif rounds > 1 and kind in ("sum", "stack"):
            odd = next((one for one in each if not equal_signals(one, each[0], need)), None)
            if odd is not None:
                does = "added up" if kind == "sum" else "stacked"
                case.blame(
                    f"Its rounds give {each[0]} and {odd} as {name}", f"they are {does} and must be alike",
                    param="repeat",
                )  # fmt: skip
                continue
            shape = (rounds, *signal.shape) if kind == "stack" else signal.shape
            signal = replace(signal, shape=shape, below=largest(each) if kind == "stack" else None)
        outputs[name] = signal
    return outputs


def _each(id: str, inside: Sequence[LevelReport]) -> tuple[Signal, ...] | None:
    """What a group's output is in each round, or None while that is unknown."""
    found: list[Signal] = []
    for level in inside:
        signals = level.nodes[id].inputs.get("x")
        if level.nodes[id].state != "ok" or not signals:
            return None
        found.append(signals[0])
    return tuple(found)


def _carry(case: Judgement, name: str, each: tuple[Signal, ...], wanted: Signal, need: Needs) -> None:
    for signal in each:
        if not equal_signals(signal, wanted, need):
            case.blame(f"Each round gives {signal} as {name}", f"the next round needs {wanted}", param="repeat")
            return


def carried_bounds(
    received: Mapping[str, Signal], ends: Mapping[str, str], inside: Sequence[LevelReport]
) -> dict[str, Signal]:
    """What the inputs of a repetition receive when what one round gives goes into the next."""
    carried = dict(received)
    for name, signal in received.items():
        each = _each(ends[name], inside) if name in ends else ()
        if each:
            carried[name] = replace(signal, below=largest((signal, *each)))
    return carried
