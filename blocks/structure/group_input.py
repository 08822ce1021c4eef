from __future__ import annotations

from typing import Annotated

from blocks.spec import Block, Port, Text

PORT = r"[a-z][a-z0-9_]*"


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
        self, *, port: Annotated[str, Text("name of the group's input", PORT, "a lower-case name")] = "x"
    ) -> None:
        super().__init__()
