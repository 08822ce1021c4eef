"""What is typed as the value of a variable."""

from __future__ import annotations

import pytest

from graph.templates import TemplateError, find, read_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" 0.5 ", 0.5),
        ("1e3", 1000.0),
        ("yes", True),
        ("False", False),
        ("=4*dim", "=4*dim"),
        ("gelu", "gelu"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        ("1e999", "1e999"),
        ("9" * 19, "9" * 19),
        ("9" * 5000, "9" * 5000),
        ("9" * 18, 10**18 - 1),
    ],
)
def test_values_as_they_are_typed(text, value):
    found = read_value(text)
    assert found == value
    assert type(found) is type(value)


def test_a_template_without_variables_says_so():
    with pytest.raises(TemplateError, match="The template xor has no variable 'hidden'; it has none"):
        find("xor").build({"hidden": 3})
