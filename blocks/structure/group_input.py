from __future__ import annotations

from typing import Annotated

from blocks.rules import ARGUMENT
from blocks.spec import Block, Port, Text


class GroupInput(Block, category="Structure"):
    """A port through which a group receives something.

    Inside a group it stands for whatever is wired to the group's input of that name. In a repeated group an output
    of the same name is carried to the next round.
    """

    synonyms = ("layer input", "interface")
    role = "group_input"
    shown = ("port",)
    inputs = {}
    outputs = {"x": Port("...", doc="what the group receives")}

    def __init__(
        self,
        *,
        port: Annotated[
            str, Text("name of the group's input", ARGUMENT, "a lower-case name that is no word of Python")
        ] = "x",
    ) -> None:
        super().__init__()
