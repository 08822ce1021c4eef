"""Writes docs/coverage.md: where each item of the chapter lives, and every block and template with its figures.

`python docs/coverage.py` writes it; with `--check` it only says whether it is up to date.
"""

from __future__ import annotations

import ast
import inspect
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "coverage.md"

sys.path.insert(0, str(ROOT))

import blocks  # noqa: E402
from blocks.spec import CATEGORIES  # noqa: E402
from graph import templates  # noqa: E402
from graph.estimate import count_parameters  # noqa: E402
from graph.passes import run_passes  # noqa: E402
from graph.plan import plan_document  # noqa: E402


class Missing(Exception):
    """A place that does not exist."""


def text() -> str:
    """The page.

    Raises:
        Missing: an item names a place that does not exist, or none.
    """
    parts = tomllib.loads((ROOT / "docs" / "coverage.toml").read_text(encoding="utf-8"))["part"]
    named = Counter(place for part in parts for _, _, places in part["items"] for place in places)
    lines = [
        "# Coverage",
        "",
        "Where each definition, theorem, algorithm, remark, table row, architecture and exercise of the chapter lives.",
        "Written by `python docs/coverage.py` from the catalogue and `coverage.toml`; do not edit it by hand.",
    ]
    for part in parts:
        lines += ["", f"## {part['title']}", "", "| item | what | where |", "|---|---|---|"]
        for item, what, places in part["items"]:
            if not places:
                raise Missing(f"{item} lives nowhere")
            lines.append(f"| {item} | {what} | {'<br>'.join(map(_linked, places))} |")
    lines += ["", "## Templates", "", "| template | preset | parameters | what it is |", "|---|---|---:|---|"]
    lines += _templates()
    for category in CATEGORIES.values():
        found = [block for block in blocks.catalogue().values() if block.category == category]
        if found:
            lines += ["", f"## Blocks: {category}", "", "| block | what it does | named above |", "|---|---|---:|"]
            lines += [
                f"| {_linked(f'block:{block.__name__}')} | {block.summary()} | {named[f'block:{block.__name__}']} |"
                for block in found
            ]
    return "\n".join(lines) + "\n"


def _templates() -> Iterator[str]:
    for template in templates.all_templates().values():
        for preset, values in {"(default)": {}, **template.presets}.items():
            plan = run_passes(plan_document(template.build(values)))[0]
            unique = f"{count_parameters(plan)[1]:,}"
            first = preset == "(default)"
            name = _linked(f"template:{template.name}") if first else ""
            yield f"| {name} | {preset} | {unique} | {template.summary if first else ''} |"


def _linked(place: str) -> str:
    """A place as a link to its file."""
    kind, _, name = place.partition(":")
    file, shown = {"block": _block, "template": _template, "panel": _panel, "code": _code, "test": _code}[kind](name)
    word = {"block": "", "template": "template ", "panel": "panel ", "code": "", "test": "test "}[kind]
    return f"[{word}{shown}](../{file})"


def _block(name: str) -> tuple[str, str]:
    block = blocks.find(name)
    if block is None or block.__name__ != name:
        raise Missing(f"there is no block {name}")
    return Path(inspect.getfile(block)).relative_to(ROOT).as_posix(), block.title


def _template(name: str) -> tuple[str, str]:
    name, _, preset = name.partition("/")
    template = templates.all_templates().get(name)
    if template is None or (preset and preset not in template.presets):
        raise Missing(f"there is no template {name} {preset}".rstrip())
    return f"graph/templates/{name}.py", f"{template.title}{f', {preset}' if preset else ''}"


def _panel(name: str) -> tuple[str, str]:
    file = f"app/panels/{name}.py"
    if not (ROOT / file).is_file():
        raise Missing(f"there is no panel {name}")
    return file, name.replace("_", " ")


def _code(name: str) -> tuple[str, str]:
    file, _, symbol = name.partition("::")
    if symbol not in _symbols(file):
        raise Missing(f"there is no {symbol} in {file}")
    return file, symbol.removeprefix("test_").replace("_", " ") if file.startswith("tests/") else f"`{symbol}`"


@lru_cache(256)
def _symbols(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.is_file():
        raise Missing(f"there is no file {file}")
    kinds = ast.FunctionDef | ast.ClassDef
    return frozenset(
        node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)
    )


def main() -> int:
    """Write the page, or compare it."""
    try:
        page = text()
    except Missing as error:
        print(f"coverage: {error}", file=sys.stderr)
        return 1
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != page:
            print("docs/coverage.md is not up to date: run `python docs/coverage.py`.", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
