"""How things are drawn: switched off, collapsed, tagged with a colour. For one node, for several, for frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app import theme
from app.editors.base import Setting
from app.editors.row import NAME
from app.panels.pages.form import Form
from app.panels.pages.page import several
from app.widgets.swatches import Swatches
from app.widgets.text import Section, label
from blocks.spec import Flag, Param
from graph.commands import UNSET
from graph.document import Node
from graph.marking import can_collapse, can_mute

OFF = Param("off", bool, False, Flag("passes its first input on"))
COLLAPSED = Param("collapsed", bool, False, Flag("shows only its title"))


class MarksSection(Section):
    """The rows off, collapsed and colour.

    Signals:
        switched: off or on; collapsed: small or not; coloured: the name of a tag, or nothing for none.
    """

    switched = Signal(bool)
    collapsed = Signal(bool)
    coloured = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("On the canvas", parent=parent)
        self.form = Form((OFF, COLLAPSED))
        self.form.edited.connect(self._edit)
        self.swatches = Swatches()
        self.swatches.chosen.connect(self.coloured)
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(theme.SPACE_2)
        name = label("colour", "muted")
        name.setFixedWidth(NAME)
        name.setBuddy(self.swatches.buttons[""])
        line.addWidget(name)
        line.addWidget(self.swatches, 1)
        self.swatches.setMinimumHeight(28)
        self.body.setSpacing(theme.SPACE_2)
        self.body.addWidget(self.form)
        self.body.addLayout(line)

    def show_marks(self, nodes: Sequence[Node], colours: Sequence[str] = ()) -> None:
        """How some nodes are drawn.

        Args:
            nodes: the nodes; what none of them can be has no row.
            colours: those of frames and notes beside them.
        """
        muted = [node.muted for node in nodes if node.muted or can_mute(node)]
        small = [node.collapsed for node in nodes if can_collapse(node)]
        self.form.show_settings({"off": _setting(muted), "collapsed": _setting(small)})
        self.form.rows["off"].setVisible(bool(muted))
        self.form.rows["collapsed"].setVisible(bool(small))
        self.form.setVisible(bool(muted or small))
        found = [*(node.colour for node in nodes), *colours]
        self.swatches.show_colour(None if several(found) else found[0] if found else "")

    def _edit(self, name: str, value: Any, _gesture: object) -> None:
        wanted = False if value is UNSET else bool(value)
        (self.switched if name == "off" else self.collapsed).emit(wanted)


def _setting(values: Sequence[bool]) -> Setting:
    if several(values):
        return Setting(UNSET, UNSET, "set", several=True)
    value = bool(values and values[0])
    return Setting(value if value else UNSET, value, "set" if value else "default")
