"""Equations of blocks that work value by value are read as they stand, worked out, and compared with the block."""

from __future__ import annotations

import math
import re

import pytest
import torch
from simpleeval import SimpleEval

from blocks import catalogue

FUNCTIONS = {
    "max": max, "min": min, "tanh": math.tanh, "ln": math.log, "erf": math.erf, "sqrt": math.sqrt, "abs": abs,
    "sigma": lambda x: 1 / (1 + math.exp(-x)), "Phi": lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))),
}  # fmt: skip
SPACES = re.compile(r"\\[,;!]|\\left|\\right|\s+")
TOKEN = re.compile(r"\d+(?:\.\d+)?|[A-Za-z_]\w*|\*\*|.")


def braced(text: str, start: int) -> tuple[str, int]:
    """What stands in braces at a place, and where it ends; a single sign needs none."""
    if text[start] != "{":
        return text[start], start + 1
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start + 1 : place], place + 1
    raise AssertionError(text)


def plain(latex: str) -> str:
    """An expression of Python's for one of LaTeX."""
    text, out, place = latex, "", 0
    while place < len(text):
        name = re.match(r"\\([A-Za-z]+)", text[place:])
        if name and name[1] in ("frac", "tfrac"):
            above, end = braced(text, place + len(name[0]))
            below, place = braced(text, end)
            out += f"(({plain(above)})/({plain(below)}))"
        elif name and name[1] == "sqrt":
            inner, place = braced(text, place + 5)
            out += f"sqrt({plain(inner)})"
        elif name and name[1] == "mathrm":
            inner, place = braced(text, place + 7)
            out += f" {inner.replace(chr(92), '')} "
        elif name:
            place += len(name[0])
            out += {"cdot": "*", "odot": "*", "pi": " pi "}.get(name[1], f" {name[1]} ")
        elif text[place] == "^":
            inner, place = braced(text, place + 1)
            out += f"**({plain(inner)})"
        elif text[place] in "{}":
            place += 1
        else:
            out += text[place]
            place += 1
    return out


def spelled_out(text: str) -> str:
    """With every product written, and every argument in parentheses."""
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    text = re.sub(r"\b(erf|ln)\s+(\w+)(?!\s*\()", r"\1(\2)", text)
    text = re.sub(r"\berf\s*(?=\()", "erf", text)
    tokens = [token for token in TOKEN.findall(text) if not token.isspace()]
    out: list[str] = []
    for token in tokens:
        before = out[-1] if out else ""
        ended = before == ")" or (re.fullmatch(r"[\w.]+", before) and before not in FUNCTIONS)
        if ended and (token == "(" or re.fullmatch(r"[\w.]+", token)):
            out.append("*")
        out.append(token)
    return "".join(out)


def value(expression: str, names: dict[str, float]) -> float:
    text = spelled_out(plain(SPACES.sub(lambda found: " " if found[0].isspace() else "", expression)))
    return float(SimpleEval(functions=FUNCTIONS, names={"e": math.e, "pi": math.pi, **names}).eval(text))


CASES = [
    ("Abs", {}, 0), ("AddNoise", {}, 0), ("Clamp", {"low": -0.4, "high": 0.7}, 0), ("Divide", {}, 0),
    ("ELU", {"alpha": 0.7}, 0), ("Exp", {}, 0), ("GELU", {}, 0), ("GELU", {"approximate": "tanh"}, 1),
    ("HardSigmoid", {}, 0), ("HardSwish", {}, 0), ("HardTanh", {"low": -0.4, "high": 0.7}, 0),
    ("LeakyReLU", {"slope": 0.2}, 0), ("Log", {}, 0), ("Mish", {}, 0), ("Power", {"exponent": 3.0}, 0),
    ("ReLU", {}, 0), ("Reparameterise", {}, 0), ("Scale", {"factor": -1.5}, 0), ("SiLU", {}, 0), ("Sigmoid", {}, 0),
    ("Softplus", {"beta": 2.0}, 0), ("Sqrt", {}, 0), ("Subtract", {}, 0), ("Tanh", {}, 0),
]  # fmt: skip
POSITIVE = {"Log", "Sqrt"}


@pytest.mark.parametrize(("name", "params", "line"), CASES)
def test_the_equation_is_what_the_block_computes(name, params, line):
    cls = catalogue()[name]
    block = cls(**params).double().eval()
    torch.manual_seed(0)
    inputs = {port: 4 * torch.randn(25, dtype=torch.float64) for port in cls.inputs}
    if name in POSITIVE:
        inputs = {port: tensor.abs() + 0.1 for port, tensor in inputs.items()}
    expected = block(*inputs.values())
    written = cls.equation.split(r"\\")[line]
    sides = written.rpartition(r"\quad")[2].split("=") if line else written.split("=")
    for side in sides[1:]:
        for place in range(25):
            names = {**{port: float(tensor[place]) for port, tensor in inputs.items()}, **params}
            names = {key: number for key, number in names.items() if not isinstance(number, str)}
            assert value(side, names) == pytest.approx(float(expected[place]), abs=1e-9), (side, names)
