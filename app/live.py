"""What a run says of the nodes of a drawing: which one it is at, which are done, and how long each took. No Qt."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from psygnal import Signal

from app.freshness import Drawing

if TYPE_CHECKING:
    from app.settings import Settings
    from graph.document import Path

State = Literal["", "waiting", "running", "done"]
HOT = 0.1
"""From this share of the run on, a node is one that one would make faster first."""


class Live:
    """The run of a drawing as its nodes see it.

    Signals:
        changed: the run is elsewhere, has begun or ended.
    """

    changed: ClassVar[Signal] = Signal()

    def __init__(self) -> None:
        self.is_running = False
        self.begun = 0.0
        """When the run began."""
        self.until: Path = ()
        """The node that the run ends with; nothing for the whole drawing."""
        self.place = ""
        """The address of the call that runs: "decoder.3/attn"."""
        self.timings: Mapping[str, float] = {}
        """Path of a node → milliseconds of the last run, all rounds together."""
        self.total = 0.0
        self.drawing: Drawing | None = None
        """What those timings speak of."""
        self._here: tuple[str, ...] = ()
        self._passed: set[str] = set()
        """What has run, blocks and groups: their addresses, without the round of the last part."""
        self._touched: set[tuple[str, ...]] = set()
        """The same by their paths."""

    def begin(self, until: Path = ()) -> None:
        """A run begins, perhaps only to a node; what the last one took stays until this one is over."""
        self.is_running, self.begun, self.until = True, time.monotonic(), until
        self.place, self._here = "", ()
        self._passed.clear()
        self._touched.clear()
        self.changed.emit()

    def follow(self, place: str, passed: Iterable[str]) -> None:
        """The run is at a call, and some others have ended."""
        for address in passed:
            parts, path = address.split("/"), plain(address)
            for depth in range(len(path)):
                self._passed.add("/".join((*parts[:depth], path[depth])))
                self._touched.add(path[: depth + 1])
        if place:
            self.place, self._here = place, plain(place)
        self.changed.emit()

    def end(self, timings: Mapping[str, float] | None = None, drawing: Drawing | None = None) -> None:
        """The run is over; one that has failed or was cancelled leaves the timings of the one before."""
        self.is_running = False
        if timings is not None:
            self.timings, self.drawing = timings, drawing
            self.total = sum(taken for path, taken in timings.items() if "/" not in path)
        self.changed.emit()

    def state(self, path: Path) -> State:
        """Where a node stands in the run that goes on."""
        if not self.is_running or not self.place:
            return ""
        if self._here[: len(path)] == path:
            return "running"
        around = path[:-1]
        if self._here[: len(around)] == around:  # of several rounds around it, the one that runs counts
            parts = self.place.split("/")[: len(around)]
            return "done" if "/".join((*parts, path[-1])) in self._passed else "waiting"
        return "done" if path in self._touched else "waiting"

    def running_at(self, at: Path) -> str | None:
        """The node of a level that runs, or nothing."""
        here = self._here
        is_there = self.is_running and len(here) > len(at) and here[: len(at)] == at
        return here[len(at)] if is_there else None

    def round(self, path: Path) -> int | None:
        """Which round of a repeated group runs, from 1; None where it is not at it."""
        if self.state(path) != "running":
            return None
        number = self.place.split("/")[len(path) - 1].partition(".")[2]
        return int(number) + 1 if number.isdecimal() else None

    def took(self, path: Path) -> float | None:
        """Milliseconds of a node in the last run, all rounds together; None where it did not run."""
        return self.timings.get("/".join(path))

    def share(self, path: Path) -> float:
        """The part of the whole run that a node took."""
        return self.timings.get("/".join(path), 0.0) / self.total if self.total else 0.0


class Timings:
    """The switch: whether nodes show how long they took in the last run."""

    is_on = False

    @classmethod
    def switch(cls, settings: Settings) -> None:
        """Show timings or hide them, and remember it."""
        cls.is_on = settings.timings = not cls.is_on


def plain(address: str) -> Path:
    """The path of a node by the address of one of its calls: decoder, attn of decoder.3/attn."""
    return tuple(part.partition(".")[0] for part in address.split("/"))
