"""How much a painter remembers of nodes and wires that are gone."""

from __future__ import annotations

from collections.abc import Sized

SPARE = 200
"""So many that are gone are remembered beside as many as there are, as undo brings them back."""


def is_overfull(known: Sized, there: Sized) -> bool:
    """Whether what is known of things that come and go is too much for those that are there."""
    return len(known) > 2 * len(there) + SPARE
