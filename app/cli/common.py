"""What the commands share: reading a drawing with its overrides, telling issues, printing."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from graph.document import Document
    from graph.issues import Report
    from graph.plan import Plan


class Unusable(Exception):
    """Input that cannot be used: one line on stderr and exit code 2."""


class ModelIssues(Exception):
    """A drawing with errors: they are printed, and the exit code is 1."""

    def __init__(self, report: Report, *, as_json: bool) -> None:
        super().__init__("the model has issues")
        self.report = report
        self.as_json = as_json


def add_drawing(parser: argparse.ArgumentParser) -> None:
    """FILE and -D, which most commands take."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a drawing")
    add_overrides(parser)


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """-D name=value."""
    parser.add_argument(
        "-D", dest="overrides", action="append", default=[], metavar="NAME=VALUE", help="set a variable of the drawing"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON document")


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """--size axis=number."""
    parser.add_argument(
        "--size",
        dest="sizes",
        action="append",
        default=[],
        nargs="+",
        metavar="AXIS=N",
        help="size of an axis: batch=4",
    )


def add_dtype(parser: argparse.ArgumentParser) -> None:
    """--dtype."""
    kinds = ("float32", "bfloat16", "float16", "float64")
    parser.add_argument("--dtype", choices=kinds, default="float32", help="of weights and activations")


def pairs(texts: Iterable[str], what: str) -> dict[str, str]:
    """name=value texts as a table."""
    table: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise Unusable(f"{what} must read NAME=VALUE, not {text!r}.")
        table[name.strip()] = value
    return table


def overrides(options: argparse.Namespace) -> dict[str, Any]:
    """The variables set with -D."""
    from graph.templates import read_value

    found = {name: read_value(text) for name, text in pairs(options.overrides, "-D").items()}
    for name, value in found.items():
        if isinstance(value, str) and not value.encode(errors="ignore").decode() == value:
            raise Unusable(f"-D {name} holds bytes that are not text.")
    return found


def sizes(options: argparse.Namespace) -> dict[str, int]:
    """The sizes asked for."""
    found: dict[str, int] = {}
    for name, value in pairs((text for group in options.sizes for text in group), "--size").items():
        if not value.isdecimal() or not 1 <= int(value) < 2**31:
            raise Unusable(f"--size {name} must be a positive whole number, not {value!r}.")
        found[name] = int(value)
    return found


def read_drawing(options: argparse.Namespace) -> Document:
    """The drawing with its overrides."""
    from graph import files
    from graph.commands import SetVariable

    try:
        document = files.load(options.file)
    except files.FileError as error:
        raise Unusable(str(error)) from None
    for name, value in overrides(options).items():
        if name not in document.variables:
            raise Unusable(_no_variable(document, options.file.name, name))
        document.apply(SetVariable(name, value))
    return document


def plan_of(document: Document, *, as_json: bool = False) -> Plan:
    """The plan of a drawing, after the passes; ModelIssues when it has errors."""
    from graph.passes import run_passes
    from graph.plan import PlanError, plan_document

    try:
        return run_passes(plan_document(document))[0]
    except PlanError as error:
        raise ModelIssues(error.report, as_json=as_json) from None


def print_json(data: Any) -> None:
    """One JSON document on stdout; numbers that JSON has no word for become null."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    json.dump(_finite(data), sys.stdout, ensure_ascii=encoding != "utf8", allow_nan=False)
    sys.stdout.write("\n")


def console() -> Console:
    """Where tables are printed: as wide as the terminal, and as wide as need be where it is none."""
    from rich.console import Console

    class Output(Console):
        """A console that leaves it to `main` what happens when its reader has left."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Output(highlight=False, width=None if sys.stdout.isatty() else 1000)


def one_line(text: str) -> str:
    """A text without line breaks and without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def print_issues(report: Report, *, as_json: bool) -> None:
    """The issues of a drawing, on stdout as JSON or on stderr in words."""
    if as_json:
        print_json({"valid": report.valid, "issues": [issue.as_data() for issue in report.issues]})
        return
    for issue in report.issues:
        place = "/".join(issue.path)
        print(f"{issue.severity}: {one_line(str(issue))}{f'  [{place}]' if place else ''}", file=sys.stderr)


def check_target(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a file name that cannot be written, before any work is done."""
    if path.suffix.lower() not in suffixes:
        raise Unusable(f"{path.name or path} must end in {' or '.join(suffixes)}.")
    if not path.absolute().parent.is_dir():
        raise Unusable(f"There is no folder {path.absolute().parent}.")
    if path.is_dir():
        raise Unusable(f"{path} is a folder.")


def _no_variable(document: Document, file: str, name: str) -> str:
    if name in document.template and name != "name":
        template = document.template["name"]
        return (
            f"{name} was fixed when {file} was drawn; draw it anew with "
            f"`blockwright new {template} -D {name}=... -o {file}`."
        )
    known = ", ".join(document.variables) or "none"
    return f"{file} has no variable {name!r}; it has {known}."


def _finite(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    if isinstance(data, float):
        return data if abs(data) < float("inf") else None
    if hasattr(data, "tolist"):
        return _finite(data.tolist())
    return data
