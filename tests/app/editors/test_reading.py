from __future__ import annotations

import pytest

from app.editors.reading import Unreadable, computed, nearest, read, spell
from blocks.spec import Choice, Flag, Number, Param, Ratio, Size, Text

SIZE = Param("dim", int, 8, Size("features"))
OPTIONAL = Param("heads", int, None, Size("heads"), optional=True)
NUMBER = Param("eps", float, 1e-5, Number("added", low=0.0))
RATIO = Param("dropout", float, 0.0, Ratio("dropped"))
WORD = Param("mode", str, "zeros", Choice("edges", ("zeros", "reflect")))
TEXT = Param("pattern", str, "b c", Text("a pattern", r"[a-z ]+", "lower-case words"))
FLAG = Param("bias", bool, True, Flag("add"))
VARIABLES = {"dim": 768, "layers": 12, "wide": True}


@pytest.mark.parametrize(
    ("text", "param", "value"),
    [
        ("768", SIZE, 768),
        (" 1 024 ", SIZE, 1024),
        ("1\u2009024", SIZE, 1024),
        ("50,257", SIZE, 50257),
        ("2e3", SIZE, 2000),
        ("", OPTIONAL, None),
        ("4", OPTIONAL, 4),
        ("=4*dim", SIZE, "=4*dim"),
        ("4*dim", SIZE, "=4*dim"),
        ("= dim // 2", SIZE, "= dim // 2"),
        ("1", NUMBER, 1.0),
        ("1e-6", NUMBER, 1e-6),
        ("=1/dim", NUMBER, "=1/dim"),
        (".5", RATIO, 0.5),
        ("reflect", WORD, "reflect"),
        ("a b", TEXT, "a b"),
        ("no", FLAG, False),
        ("=wide", FLAG, "=wide"),
    ],
)
def test_what_can_be_read(text, param, value):
    found = read(text, param, VARIABLES)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "param", "sentence"),
    [
        ("", SIZE, "It must be set."),
        ("0", SIZE, "It must be at least 1; it is 0."),
        ("2.5", SIZE, "It must be a whole number, not 2.5."),
        ("many", SIZE, "It must be a whole number, not 'many'."),
        ("=4*", SIZE, "'4*' is no arithmetic."),
        ("=dim/0", SIZE, "'dim/0' divides by zero."),
        ("=other", SIZE, "There is no variable 'other'."),
        ("=dim/5", SIZE, "It must be a whole number, not 153.6."),
        ("=0*dim", SIZE, "It must be at least 1; it is 0."),
        ("-1", NUMBER, "It must be at least 0; it is -1."),
        ("1", RATIO, "It must be from 0 up to, not including, 1; it is 1."),
        ("=9**9**9", SIZE, "Its numbers grow beyond 2⁶³."),
        ("other", WORD, "It must be one of zeros, reflect, not 'other'."),
        ("B C", TEXT, "It must be lower-case words, not 'B C'."),
        ("maybe", FLAG, "It must be true or false, not 'maybe'."),
        ("1,5", NUMBER, "It must be a number, not '1,5'."),
    ],
)
def test_what_cannot_is_told_in_one_sentence(text, param, sentence):
    with pytest.raises(Unreadable) as error:
        read(text, param, VARIABLES)
    assert str(error.value) == sentence


@pytest.mark.parametrize("value", [None, True, 768, 1e-05, 0.1, "b c"])
def test_what_is_spelled_is_read_back(value):
    param = {bool: FLAG, int: SIZE, float: NUMBER, str: TEXT, type(None): OPTIONAL}[type(value)]
    assert read(spell(value), param, {}) == value


def test_the_value_of_an_expression():
    assert computed("=4*dim", SIZE, VARIABLES) == 3072
    assert computed("=1/2", NUMBER, {}) == 0.5


@pytest.mark.parametrize(
    ("text", "param", "value"),
    [
        ("0", SIZE, 1),
        ("-3", SIZE, 1),
        ("7.6", SIZE, 8),
        ("", SIZE, 8),
        ("-1", NUMBER, 0.0),
        ("-0.5", RATIO, 0.0),
        ("1.5", RATIO, None),
        ("zeroes", WORD, "zeros"),
        ("refl", WORD, "reflect"),
        ("banana", WORD, None),
        ("=6*dims", SIZE, "=6*dim"),
        ("layer * 2", SIZE, "=layers * 2"),
        ("=6*nobody", SIZE, None),
        ("nan", NUMBER, None),
        ("hello", SIZE, None),
    ],
)
def test_the_nearest_value_that_will_do(text: str, param: Param, value: object) -> None:
    with pytest.raises(Unreadable):
        read(text, param, VARIABLES)
    assert nearest(text, param, VARIABLES) == value
