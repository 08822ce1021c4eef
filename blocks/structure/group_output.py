from __future__ import annotations

from typing import Annotated

from blocks.rules import ARGUMENT
from blocks.spec import Block, Choice, Port, Text


class GroupOutput(Block, category="Structure"):
    """A port through which a group gives something back.

    In a repeated group an output named like an input is carried to the next round; any other output says in `rounds`
    what becomes of the results of all rounds: the last one, their sum, or a stack of them along a new first axis.
    """

    synonyms = ("layer output", "interface")
    role = "group_output"
    shown = ("port",)
    inputs = {"x": Port("...", dtype="any")}
    outputs = {}

    def __init__(
        self,
        *,
        port: Annotated[
            str, Text("name of the group's output", ARGUMENT, "a lower-case name that is no word of Python")
        ] = "x",
        rounds: Annotated[str, Choice("what a repeated group makes of all rounds", ("last", "sum", "stack"))] = "last",
    ) -> None:
        super().__init__()
