"""Motion: every transition of the window runs through here, lasts no longer than the theme says, and can be off."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractAnimation, QEasingCurve, QObject, QVariantAnimation

from app.theme import MOTION

if TYPE_CHECKING:
    from app.settings import Settings


class Motion:
    """The switch. `is_on` is whether anything moves by itself; off, everything is where it belongs at once."""

    is_on = True

    @classmethod
    def switch(cls, settings: Settings) -> None:
        """Turn motion on or off, and remember it."""
        cls.is_on = settings.motion = not cls.is_on

    @classmethod
    def run(cls, owner: QObject, show: Callable[[float], None], done: Callable[[], None]) -> QVariantAnimation | None:
        """Go from 0 to 1 in the time of a transition.

        Args:
            owner: what moves; the transition ends with it.
            show: shows a moment between 0 and 1.
            done: is called once at the end; at once when motion is off.

        Returns:
            The transition, to be stopped where something else comes first; None when there is none.
        """
        if not cls.is_on:
            done()
            return None
        transition = QVariantAnimation(owner)
        transition.setStartValue(0.0)
        transition.setEndValue(1.0)
        transition.setDuration(MOTION)
        transition.setEasingCurve(QEasingCurve.Type.OutCubic)
        transition.valueChanged.connect(show)
        transition.finished.connect(done)
        transition.start(QAbstractAnimation.DeletionPolicy.DeleteWhenStopped)
        return transition
