"""What every editor is: it shows the setting of one parameter and says what the user makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.editors.reading import Unreadable, read
from blocks.spec import Param
from graph.commands import UNSET


@dataclass(frozen=True)
class Setting:
    """A parameter as it stands.

    Args:
        raw: what the document holds: plain, "=expression", FROM_WIRE, or UNSET.
        value: what a run would use; UNSET while that is unknown.
        origin: where the value comes from: wire, expression, set or default.
        source: the node that a value read off a wire comes from.
        variables: what an expression may mention.
        several: whether several nodes are shown whose values differ.
    """

    raw: Any = field(default_factory=lambda: UNSET)
    value: Any = field(default_factory=lambda: UNSET)
    origin: str = "default"
    source: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    several: bool = False


class Editor(QWidget):
    """A form widget for one parameter. A subclass names its `rules` and gives `show_setting` and `focus`.

    Signals:
        edited: the user gave a value that will do; carries it and the token of the gesture it belongs to.
        faulted: what is typed will not do; carries the sentence, or nothing once it does.
    """

    rules: ClassVar[tuple[type, ...]] = ()
    edited = Signal(object, object)
    faulted = Signal(str)

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.setting = Setting()
        self.button: QWidget | None = None

    def show_setting(self, setting: Setting) -> None:
        """Show how the parameter stands; what the user is in the middle of typing stays."""
        raise NotImplementedError

    @property
    def draft(self) -> str | None:
        """A text that will not do, or None."""
        return None

    def restore(self, draft: str) -> None:
        """Put back a text that would not do."""

    def forget(self) -> None:
        """Another node is shown from now on: nothing is being typed."""

    def focus(self) -> QWidget:
        """The widget that takes the keyboard."""
        raise NotImplementedError

    def hint(self) -> str:
        """What the parameter means, for the tooltip."""
        return hint_of(self.param)

    def place_button(self, button: QWidget | None) -> None:
        """Put a small button into the right end of the editor, or take it away."""
        self.button = button
        if button is not None:
            button.setParent(self)
        self._arrange()

    @property
    def free_right(self) -> int:
        """How far the button stands from the right edge."""
        return 3

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        if self.button is not None:
            x = self.width() - self.button.width() - self.free_right
            self.button.move(x, (self.height() - self.button.height()) // 2)

    def _give(self, text: str, gesture: object) -> None:
        """Read a text and hand on the value, or the sentence that says why it is none."""
        try:
            value = read(text, self.param, self.setting.variables)
        except Unreadable as fault:
            self.faulted.emit(str(fault))
            return
        self.faulted.emit("")
        self.edited.emit(value, gesture)


def hint_of(param: Param) -> str:
    """What a parameter means and what it may be, for the tooltip."""
    rule = param.rule
    unit = getattr(rule, "unit", "")
    words = ", in ".join(part for part in (rule.doc, unit) if part)
    parts = [f"{param.name}: {words}" if words else param.name]
    low, high = getattr(rule, "low", None), getattr(rule, "high", None)
    if isinstance(low, int | float) and isinstance(high, int | float):
        below = high >= 2**31 - 1
        if not below:
            parts.append(f"from {low:g} to {high:g}")
        elif low > -(2**31):
            parts.append(f"at least {low:g}")
    return "\n".join(parts)
