"""Trees as text: lines that are not too long, strings in double quotes, docstrings that nothing breaks."""

from __future__ import annotations

import ast

import pytest

from exporters.python.names import Names, class_name, phrase
from exporters.python.writing import code, laid_out, literal, one_line


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-5, "1e-5"),
        (0.02, "0.02"),
        (10000.0, "10000.0"),
        (-0.5, "-0.5"),
        (True, "True"),
        (None, "None"),
        ("gelu", '"gelu"'),
        ('a"b', "'a\"b'"),
        ("'", '"\'"'),
        ("\n", "'\\n'"),
        ((1,), "(1,)"),
        (((0.1, "x"), (1, None)), '((0.1, "x"), (1, None))'),
    ],
)
def test_literals_mean_their_value(value, text):
    assert literal(value) == text
    assert ast.literal_eval(text) == value


def test_code_keeps_what_is_in_strings():
    text = "f('1e-05', x=1e-05, y='it\\'s')"
    assert code(ast.parse(text).body[0]) == 'f("1e-05", x=1e-5, y="it\'s")'


@pytest.mark.parametrize(
    "text",
    [
        "short = f(a)",
        f"long = function({', '.join(f'argument_{n}={n}' for n in range(9))})",
        f"longer = function({', '.join(f'argument_{n}={n}' for n in range(20))})",
        f"nested = f({', '.join(f'g({n}, (1, 2), text=[3, 4], more={{5: 6}})' for n in range(9))})",
        f"strings = f({', '.join(repr('a, (b' + str(n)) for n in range(20))})",
        f"loop = f(Layer(a=a, b=b) for a, b in ({', '.join(f'({n}, {n + 1})' for n in range(20))}))",
        f"name_without_brackets = {'x' * 130}",
    ],
)
def test_long_statements_are_broken_and_mean_the_same(text):
    lines = laid_out(text, "        ")
    block = "\n".join(line[8:] for line in lines)
    assert ast.dump(ast.parse(block)) == ast.dump(ast.parse(text))
    assert all(line.startswith("        ") for line in lines)
    if "without" not in text and "loop" not in text:
        assert max(map(len, lines)) <= 120
    assert laid_out("x = 1", "", comment="# why") == ["x = 1  # why"]
    assert laid_out("x = " + "y" * 110, "", comment="# a comment") == ["# a comment", "x = " + "y" * 110]


@pytest.mark.parametrize(
    "title", ['"""', 'x"""y', "\\", 'ends with "', "a\nb\r\tc", "\u202e\x00\x07", "{x} %s", "", "  ", '\\"""\\']
)
def test_any_title_is_one_docstring(title):
    source = f'"""{one_line(title)}"""\nx = 1\n'
    tree = ast.parse(source)
    assert len(tree.body) == 2 and source.count("\n") == 2


@pytest.mark.parametrize(
    ("title", "id", "name"),
    [
        ("Decoder layer", "decoder", "DecoderLayer"),
        ("Down 2", "down_2", "Down"),
        ("", "cross_attention_2", "CrossAttention"),
        ("Слой", "layer", "Layer"),
        ("12", "stage", "Stage"),
        ("2 of 3", "two", "Two"),
        ("none", "x", "X"),
        ("---", "_", "Group"),
        ('"; import os', "x", "ImportOs"),
    ],
)
def test_class_names(title, id, name):
    assert class_name(title, id) == name
    assert name.isidentifier()


def test_names_clash_with_nothing():
    names = Names({"torch", "Linear"})
    assert [names.fresh(wish) for wish in ("x", "x", "print", "class", "torch", "self", "match")] == [
        "x",
        "x_2",
        "print_",
        "class_",
        "torch_2",
        "self_",
        "match",
    ]
    assert "x" in names and names.fresh("Linear", number="") == "Linear2"
    assert phrase("Down 2") == "Down" and phrase("12") == "12"
    assert phrase("8 × 8") == "8 × 8" and phrase("Conv 2D 3") == "Conv 2D"
