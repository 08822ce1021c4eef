"""Nodes are found by title, block, shape and parameter, on every level."""

from __future__ import annotations

import pytest

from app.searching.nodes import find
from graph import templates
from graph.validate import validate


@pytest.fixture(scope="module")
def gpt():
    document = templates.find("gpt").build({})
    return document, validate(document)


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [
        ("final", "final_norm", 1),
        ("feed", "decoder/mlp", 1),
        ("LayerNorm", "decoder/attn_norm", 3),
        ("mlp norm", "decoder/mlp_norm", 1),
        ("num_heads=12", "decoder/attn", 1),
        ("num_heads = 12", "decoder/attn", 1),
        ("heads>=12", "decoder/attn", 1),
        ("num_heads>12", None, 0),
        ("num_heads!=12", None, 0),
        ("causal=yes", "decoder/attn", 1),
        ("activation=gelu_tanh", "decoder/mlp", 1),
        ("repeat=12", "decoder", 1),
        ("hidden>3000", "decoder/mlp", 1),
        ("hidden>3000 feed", "decoder/mlp", 1),
        ("hidden>3000 norm", None, 0),
        ("hidden>3000 dim=768", "decoder/mlp", 1),
        ("hidden>3000 kv_heads=12", None, 0),
        ("50257", "head", 2),
        ("seq × 50257", "head", 2),
        ("b × s × 50257", "head", 2),
        ("50257 × seq", None, 0),
        ("there is no such node", None, 0),
    ],
)
def test_what_is_found(gpt, query, first, count):
    found = find(*gpt, query)
    assert [len(found), "/".join(found[0].path) if found else None] == [count, first]


def test_it_says_where_and_why(gpt):
    (found,) = find(*gpt, "num_heads=12")
    assert (found.title, found.place, found.why) == ("Multi-head attention", "Decoder layer", "num_heads 12")
    assert find(*gpt, "50257")[0].why == "batch × seq × 50257"
    assert find(*gpt, "batch × seq")[0].path == ("tokens",)


def test_without_a_query_all_nodes_come(gpt):
    assert len(find(*gpt, "")) == sum(1 for _ in gpt[0].walk())


def test_titles_come_before_shapes_and_numbers_compare_as_numbers():
    document = templates.find("unet").build({})
    report = validate(document)
    assert all(found.path[-1].startswith("conv") for found in find(document, report, "kernel_size>2"))
    assert {found.path for found in find(document, report, "kernel_size<3 up")} == {("up_1",), ("up_2",), ("up_3",)}
    assert find(document, report, "skip")[0].title == "Skip"
    assert find(document, report, "out_channels=channels*2")[0].path == ("encoder_2", "conv_1")
