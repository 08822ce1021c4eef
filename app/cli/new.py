"""Draw a template into a new file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from app.cli.common import Unusable, add_overrides, check_target, overrides, print_issues


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("template", metavar="TEMPLATE", help="its name, as `blockwright templates` lists it")
    parser.add_argument("--preset", help="one of the template's published sizes")
    add_overrides(parser)
    parser.add_argument("-o", dest="output", type=Path, required=True, metavar="FILE", help="the drawing to write")


def run(options: argparse.Namespace) -> int:
    """Write the drawing; one that was there is kept beside it."""
    from graph import files
    from graph.templates import TemplateError, find
    from graph.validate import validate

    check_target(options.output, (".json",))
    try:
        template = find(options.template)
        values = {}
        if options.preset is not None:
            if options.preset not in template.presets:
                known = ", ".join(template.presets) or "none"
                raise Unusable(f"The template {template.name} has no preset {options.preset!r}; it has {known}.")
            values.update(template.presets[options.preset])
        values.update(overrides(options))
        document = template.build(values)
        kept = _keep(options.output)
        files.save(document, options.output)
    except (TemplateError, files.FileError) as error:
        raise Unusable(str(error)) from None
    print(f"Drew {template.title} into {options.output}." + (f" What was there is now {kept}." if kept else ""))
    report = validate(document)
    print_issues(report, as_json=False)
    return 0 if report.valid else 1


def _keep(target: Path) -> Path | None:
    """Rename a file that is in the way; returns its new name."""
    if not target.exists():
        return None
    kept = target.with_suffix(".bak" + target.suffix)
    os.replace(target, kept)
    return kept
