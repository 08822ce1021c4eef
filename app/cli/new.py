"""Draw a template into a new file."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.common import Unusable, add_overrides, check_target, overrides


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("template", metavar="TEMPLATE", help="its name, as `blockwright templates` lists it")
    parser.add_argument("--preset", help="one of the template's published sizes")
    add_overrides(parser)
    parser.add_argument("-o", dest="output", type=Path, required=True, metavar="FILE", help="the drawing to write")


def run(options: argparse.Namespace) -> int:
    """Write the drawing."""
    from graph import files
    from graph.templates import TemplateError, find

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
        files.save(document, options.output)
    except (TemplateError, files.FileError) as error:
        raise Unusable(str(error)) from None
    print(f"Drew {template.title} into {options.output}.")
    return 0
