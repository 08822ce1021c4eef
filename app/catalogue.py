"""The blocks and templates as plain data, cached on disk, so that the window can show them before torch is there.

The cache is keyed by the times and sizes of the files that declare them; a missing, old or damaged one counts as none.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from app.folders import cache_folder

SCHEMA = 4
_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class PortCard:
    """A port of a block; `kind` is what travels, None where that depends on the input."""

    name: str
    kind: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class BlockCard:
    """What the palette knows of a block; `words` are its parameters and what they may be."""

    name: str
    title: str
    category: str
    summary: str
    synonyms: tuple[str, ...] = ()
    role: str = "module"
    inputs: tuple[PortCard, ...] = ()
    outputs: tuple[PortCard, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class VariableCard:
    """Something to turn before a template is drawn."""

    name: str
    default: Any
    doc: str
    structural: bool = False
    low: int = 1
    high: int = 64
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preview:
    """A small picture of a drawing: boxes (x, y, width, height, category) and wires (x, y, x, y)."""

    boxes: tuple[tuple[float, float, float, float, str], ...] = ()
    wires: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True)
class TemplateCard:
    """What the gallery knows of a template."""

    name: str
    title: str
    summary: str
    variables: tuple[VariableCard, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    family: str = ""
    preview: Preview = field(default_factory=Preview)


@dataclass(frozen=True)
class Catalogue:
    """All blocks, in the order of the palette, and all templates."""

    blocks: tuple[BlockCard, ...] = ()
    templates: tuple[TemplateCard, ...] = ()

    def block(self, name: str) -> BlockCard | None:
        """The card of a block."""
        return next((card for card in self.blocks if card.name == name), None)

    def template(self, name: str) -> TemplateCard | None:
        """The card of a template."""
        return next((card for card in self.templates if card.name == name), None)


def cached() -> Catalogue | None:
    """The catalogue of the last start, or None when something has changed since or there was none."""
    try:
        data = json.loads(_file().read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA or data["key"] != _key():
            return None
        return _read(data)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def build() -> Catalogue:
    """Read the catalogue off the classes, which imports torch, and remember it for the next start."""
    catalogue = Catalogue(tuple(_block_cards()), tuple(_template_cards()))
    data = {"schema": SCHEMA, "key": _key(), **asdict(catalogue)}
    file = _file()
    try:
        from graph.files import write_atomically

        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(data, ensure_ascii=False).encode())
    except (OSError, ValueError) as error:
        import logging

        logging.getLogger(__name__).warning("the catalogue could not be remembered: %s", error)
    return catalogue


def _block_cards() -> list[BlockCard]:
    import blocks

    return [
        BlockCard(
            name,
            block.title,
            block.category,
            block.summary(),
            tuple(block.synonyms),
            block.role,
            tuple(PortCard(port, value.kind, value.optional) for port, value in block.inputs.items()),
            tuple(PortCard(port, value.kind, value.optional) for port, value in block.outputs.items()),
            tuple(word for param in block.params() for word in (param.name, *getattr(param.rule, "options", ()))),
        )
        for name, block in blocks.catalogue().items()
    ]


def _template_cards() -> list[TemplateCard]:
    from app.preview import preview
    from graph.templates import all_templates

    return [
        TemplateCard(
            name,
            template.title,
            template.summary,
            tuple(
                VariableCard(n, v.default, v.doc, v.structural, v.low, v.high, v.options)
                for n, v in template.variables.items()
            ),
            {key: dict(values) for key, values in template.presets.items()},
            template.family,
            preview(template.build()),
        )
        for name, template in all_templates().items()
    ]


def _read(data: Mapping[str, Any]) -> Catalogue:
    def ports(items: list[dict[str, Any]]) -> tuple[PortCard, ...]:
        return tuple(PortCard(**item) for item in items)

    blocks = tuple(
        BlockCard(
            **{**card, "synonyms": tuple(card["synonyms"]), "inputs": ports(card["inputs"])}
            | {"outputs": ports(card["outputs"]), "words": tuple(card["words"])}
        )
        for card in data["blocks"]
    )
    templates = tuple(
        TemplateCard(
            card["name"],
            card["title"],
            card["summary"],
            tuple(VariableCard(**{**one, "options": tuple(one["options"])}) for one in card["variables"]),
            card["presets"],
            card["family"],
            Preview(
                tuple((*map(float, box[:4]), str(box[4])) for box in card["preview"]["boxes"]),  # type: ignore[misc]
                tuple(tuple(map(float, wire[:4])) for wire in card["preview"]["wires"]),  # type: ignore[misc]
            ),
        )
        for card in data["templates"]
    )
    return Catalogue(blocks, templates)


def _file() -> Path:
    return cache_folder() / "catalogue.json"


def _key() -> str:
    """A hash over what the catalogue depends on."""
    digest = hashlib.blake2b(f"{SCHEMA} {sys.version}".encode(), digest_size=16)
    files = [Path(__file__), _ROOT / "app" / "preview.py"]
    for package in ("blocks", "graph"):
        files += sorted((_ROOT / package).rglob("*.py"))
    for file in files:
        status = file.stat()
        digest.update(f"{file.relative_to(_ROOT)} {status.st_mtime_ns} {status.st_size}\n".encode())
    return digest.hexdigest()
