"""Addresses of a run ("decoder.3/attn:y") and paths of the drawing (("decoder", "attn"))."""

from __future__ import annotations

from collections.abc import Iterable

from graph.document import Path


def path_of(address: str) -> Path:
    """The node that an address is about."""
    return tuple(part.partition(".")[0] for part in address.partition(":")[0].split("/"))


def plain(address: str) -> str:
    """The address without rounds: decoder/attn for decoder.3/attn."""
    return "/".join(path_of(address))


def node_of(address: str) -> tuple[str, str | None]:
    """An address without its output, and the output where it names one."""
    place, colon, output = address.partition(":")
    return place, output if colon else None


def nearest(addresses: Iterable[str], path: Path, to: str = "") -> str | None:
    """The address of a node, of its several rounds the one that shares the most with another address."""
    found = [address for address in addresses if path_of(address) == path]
    if not found:
        return None
    wanted = to.split("/")

    def shared(address: str) -> int:
        return sum(a == b for a, b in zip(address.split("/"), wanted, strict=False))

    return max(found, key=shared)
