"""Run all benchmarks, or those that are named, and print a table or JSON."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from typing import Any

import benchmarks


def names() -> list[str]:
    return [info.name for info in pkgutil.iter_modules(benchmarks.__path__) if not info.name.startswith("_")]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"which of {', '.join(names())}; all where none is named")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    for name in options.name:
        if name not in names():
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(names())}")
    rows: list[dict[str, Any]] = []
    for name in options.name or names():
        for row in importlib.import_module(f"benchmarks.{name}").run():
            rows.append({"benchmark": name, **row})
            if not options.json:
                print(_line(rows[-1]), flush=True)
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
    return 0


def _line(row: dict[str, Any]) -> str:
    value = f"{row['value']:.3f}" if row["unit"] == "×" else f"{row['value']:.2f}"
    goal = f"goal {row['goal']:g} {row['unit']}" if row.get("goal") is not None else ""
    met = "" if row.get("goal") is None else "met" if row["value"] <= row["goal"] else "MISSED"
    what = f"{row['what']}, {row['nodes']:,} nodes" if "nodes" in row else row["what"]
    return f"{row['benchmark']:<12} {what:<66} {value:>9} {row['unit']:<3} {goal:<13} {met}".rstrip()


if __name__ == "__main__":
    raise SystemExit(main())
