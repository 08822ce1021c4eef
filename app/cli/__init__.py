"""The command line: one command a file; without a command, the window.

Exit codes: 0 fine, 1 the model has issues, 2 unusable input (one line on stderr). `--json` prints one JSON document.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from app.cli.common import ModelIssues, Unusable, one_line, print_issues
from app.display import display_fault


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the words of a command."""

    def error(self, message: str) -> NoReturn:
        """Refuse them."""
        raise Unusable(f"{message}; `{self.prog} --help` says what it takes.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _settle_streams()
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _leave_stdout()  # whoever read our output has left, as `head` does
        return 0
    except OSError as error:
        # What the commands expect of the system, they refuse themselves; this is a full disk, or too many files.
        place = f"{error.filename}: " if error.filename else ""
        print(f"blockwright: the system says: {place}{error.strerror or error}.", file=sys.stderr)
        _leave_stdout()
        return 2
    except KeyboardInterrupt:
        print("blockwright: stopped.", file=sys.stderr)
        return 130


def _run(words: list[str]) -> int:
    try:
        if words and words[0] in _commands() or words[:1] in (["-h"], ["--help"], ["--version"]):
            options = _parser().parse_args(words)
            return options.run(options)
        return _window(words)
    except ModelIssues as error:
        print_issues(error.report, as_json=error.as_json)
        return 1
    except Unusable as error:
        print(f"blockwright: {one_line(str(error))}", file=sys.stderr)
        return 2


def _settle_streams() -> None:
    """Let every character be printed in some way, and nothing fail where there is nothing to print on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _leave_stdout() -> None:
    """Send what is left in the buffer nowhere; Python would fail once more when it writes it at the end."""
    if sys.stdout is sys.__stdout__:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _commands() -> list[str]:
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    return [name for name in names if name not in ("common", "inputs")]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="blockwright",
        description="Draw a neural network, see its shapes, run it, look inside, export it. "
        "Without a command, `blockwright [FILE]` opens the window.",
    )
    from importlib.metadata import version

    parser.add_argument("--version", action="version", version=f"blockwright {version('blockwright')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _commands():
        module: ModuleType = importlib.import_module(f"{__name__}.{name}")
        summary = (module.__doc__ or "").strip().partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=summary)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _window(words: list[str]) -> int:
    if words and not words[0].startswith("-") and not Path(words[0]).is_file():
        known = ", ".join(_commands())
        raise Unusable(f"There is no file {words[0]}, and {words[0]} is no command (there are {known}).")
    parser = Parser(prog="blockwright", usage="blockwright [FILE] | blockwright COMMAND ...")
    parser.add_argument("file", nargs="?", type=Path)
    file = parser.parse_args(words).file
    fault = display_fault()
    if fault:
        raise Unusable(f"{fault} `blockwright demo --headless` works without one.")
    from app.__main__ import run_window

    return run_window(file, None)
