"""The command line: one command a file; without a command, the window.

Exit codes: 0 fine, 1 the model has issues, 2 unusable input (one line on stderr). `--json` prints one JSON document.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from app.cli.common import ModelIssues, Unusable, print_issues


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words and words[0] in _commands() or words[:1] in (["-h"], ["--help"], ["--version"]):
            options = _parser().parse_args(words)
            return options.run(options)
        return _window(words)
    except ModelIssues as error:
        print_issues(error.report, as_json=error.as_json)
        return 1
    except Unusable as error:
        print(f"blockwright: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has left, as `head` does
        return 0
    except KeyboardInterrupt:
        print("blockwright: stopped.", file=sys.stderr)
        return 130


def _commands() -> list[str]:
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    return [name for name in names if name not in ("common", "inputs")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
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
    parser = argparse.ArgumentParser(prog="blockwright", usage="blockwright [FILE] | blockwright COMMAND ...")
    parser.add_argument("file", nargs="?", type=Path)
    file = parser.parse_args(words).file
    if file is not None and not file.is_file():
        known = ", ".join(_commands())
        raise Unusable(f"There is no file {file}, and {file} is no command (there are {known}).")
    from app.cli.common import need_display

    need_display()
    from app.__main__ import run_window

    return run_window(file, None)
