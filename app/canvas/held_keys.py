"""Keys that are held down: a tap told from a hold, and a press from the repeat of one."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent

SAME = 4
"""Milliseconds between a release and a press that no finger makes."""
TAP = 300
"""Milliseconds that a key is down at most for a tap."""


class HeldKeys:
    """What came before a key event.

    On X11 repeats of a held key come as releases and presses, and not all of them are marked as repeats: Qt looks for
    the press in its queue, where it may not have arrived yet. Both have the same time then.
    """

    def __init__(self) -> None:
        self._released: dict[int, int] = {}
        self._tapped: tuple[int, int] | None = None

    def is_repeat(self, event: QKeyEvent) -> bool:
        """Whether a press goes on with one that has never ended."""
        if event.isAutoRepeat():
            return True
        before, now = self._released.get(event.key()), event.timestamp()
        return bool(before and now) and 0 <= now - before <= SAME

    def press(self, event: QKeyEvent) -> None:
        """A key went down that may be a tap."""
        self._tapped = None if self.is_repeat(event) else (event.key(), event.timestamp())

    def release(self, event: QKeyEvent) -> bool:
        """A key went up; true when that makes a tap."""
        tapped, self._tapped = self._tapped, None
        self._released[event.key()] = event.timestamp()
        return tapped is not None and tapped[0] == event.key() and event.timestamp() - tapped[1] <= TAP

    def forget_tap(self) -> None:
        """The key that is down is used for something else."""
        self._tapped = None
