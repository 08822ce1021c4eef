"""Names in the exported file: identifiers that clash with nothing, whatever people call their nodes."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

RESERVED = frozenset((*dir(builtins), *keyword.kwlist, "_", "self"))


class Names:
    """Hands out names that are free."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*RESERVED, *taken}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def fresh(self, wish: str, *, number: str = "_") -> str:
        """The wished name, or one with a number behind it."""
        wish = f"{wish}_" if wish in RESERVED else wish
        name, count = wish, 1
        while name in self._taken:
            count += 1
            name = f"{wish}{number}{count}"
        self._taken.add(name)
        return name


def class_name(title: str, id: str) -> str:
    """DecoderLayer of "Decoder layer 2"; of the id where the title makes no name."""
    for text in (re.sub(r"[\s\d]+$", "", title), re.sub(r"_?\d+$", "", id), f"group_{id}"):
        words = re.findall(r"[A-Za-z0-9]+", text) if text.isascii() else []
        name = "".join(word[0].upper() + word[1:] for word in words)
        if name.isidentifier() and not keyword.iskeyword(name):
            return name
    return "Group"


def phrase(title: str) -> str:
    """A title without the number behind its words; "8 × 8" has none."""
    return re.sub(r"(?<=[^\W\d_])[\s\d]+$", "", title)
