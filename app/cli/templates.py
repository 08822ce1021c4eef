"""List the templates with their variables."""

from __future__ import annotations

import argparse

from app.cli.common import add_json, console, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the templates."""
    from graph.templates import all_templates

    templates = all_templates()
    if options.as_json:
        print_json([template.as_data() for template in templates.values()])
        return 0
    output = console()
    for template in templates.values():
        output.print(f"[bold]{template.name}[/bold]  {template.summary}")
        for name, variable in template.variables.items():
            fixed = "  (fixed once drawn)" if variable.structural else ""
            output.print(f"    {name} = {variable.default}    [dim]{variable.doc}{fixed}[/dim]")
        if template.presets:
            output.print(f"    [dim]presets: {', '.join(template.presets)}[/dim]")
    return 0
