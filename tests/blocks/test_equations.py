"""Each block that computes says its equation, in its own words."""

from __future__ import annotations

import re

import pytest

from blocks import catalogue

MODULES = [name for name, block in catalogue().items() if block.role == "module"]
NAMED = re.compile(r"\\mathrm\{([a-z][a-z\\_]*\\_[a-z\\_]+)\}")
"""Names of several words: they can only be those of parameters, their choices, and ports."""


@pytest.mark.parametrize("name", MODULES)
def test_an_equation_is_well_formed(name):
    equation = catalogue()[name].equation
    assert equation, "every block that computes has one"
    assert equation.isprintable() and '"' not in equation
    for line in equation.split(r"\\"):
        assert line.strip(), "an empty line"
        for left, right in ("{}", "()", "[]"):
            text = line.replace(rf"\{left}", "").replace(rf"\{right}", "")
            assert text.count(left) == text.count(right), (left, line)
        assert line.count(r"\left") == line.count(r"\right") + line.count(r"\leftarrow"), line
        assert r"\begin" not in line, "lines are laid out by who shows them"


@pytest.mark.parametrize("name", MODULES)
def test_its_names_are_those_of_the_block(name):
    block = catalogue()[name]
    own = {param.name for param in block.params()} | block.inputs.keys() | block.outputs.keys()
    own |= {option for param in block.params() for option in getattr(param.rule, "options", ())}
    used = {found.replace("\\", "") for found in NAMED.findall(block.equation)}
    assert used <= own, used - own


def test_what_computes_nothing_has_none():
    assert {block.equation for block in catalogue().values() if block.role != "module"} == {""}
