"""What a dropped wire offers: each block is tried, the content ones first, then those that are used most."""

from __future__ import annotations

import time

import pytest

from app.searching.fitting import feeders, fits
from app.session import Session
from graph import templates


@pytest.fixture
def unet():
    return Session(templates.find("unet").build({"depth": 2}))


@pytest.fixture
def gpt():
    return Session(templates.find("gpt").build())


def test_what_needs_no_other_wire_comes_first(gpt):
    names = [name for name, _ in fits(gpt, "token_embedding", "y")]
    assert names.index("Linear") < names.index("CrossAttention"), "one of them waits for a second wire"
    assert names.index("MultiHeadAttention") < names.index("CrossAttention")


def test_tokens_are_not_offered_to_a_picture_where_a_second_wire_is_missing(gpt):
    offered = dict(fits(gpt, "token_embedding", "y"))
    assert offered["CrossAttention"] == "x"
    assert offered["SpatialTransformer"] == "context", "they are a prompt, and no picture"


def test_of_equals_the_most_used_comes_first(unet):
    output = next(iter(unet.report.node(("encoder_1",)).output_ports))
    plain = [name for name, _ in fits(unet, "encoder_1", output)]
    assert plain.index("MaxPool2d") < plain.index("AvgPool2d"), "the drawing has used it already"
    used = [name for name, _ in fits(unet, "encoder_1", output, {"AvgPool2d": 12, "Conv2d": 15})]
    assert used[:2] == ["Conv2d", "AvgPool2d"]
    assert set(plain) == set(used)
    assert "Linear" not in plain and "Embedding" not in plain


def test_only_sources_that_fit_feed_an_input(gpt, unet):
    behind = [name for name, _ in feeders(gpt, "token_embedding", "tokens")]
    assert behind[0] == "TokenInput"
    assert "ImageInput" not in behind
    before = [name for name, _ in feeders(unet, "pool_1", "x")]
    assert "ImageInput" in before and "TokenInput" not in before
    most_used = [name for name, _ in feeders(gpt, "head", "x", {"RMSNorm": 9})]
    assert most_used.index("RMSNorm") < most_used.index("LayerNorm")


def test_the_list_is_there_at_once(gpt):
    fits(gpt, "token_embedding", "y")
    start = time.perf_counter()
    assert fits(gpt, "token_embedding", "y")
    assert time.perf_counter() - start < 0.25, "usually 0.03 s; the machine may be busy"


def test_what_is_offered_takes_and_gives_as_many_tokens_as_there_are():
    from graph.commands import AddNode, Connect
    from graph.document import Document, Node, Wire

    document = Document()
    nodes = [
        ("tokens", "TokenInput", {"vocab": 50257}),
        ("x", "FeatureInput", {"dim": 10}),
        ("loss", "CrossEntropy", {}),
    ]
    for id, block, params in nodes:
        document.apply(AddNode((), Node(id, block, params)))
    document.apply(Connect((), Wire("x", "features", "loss", "logits")))
    session = Session(document)
    assert fits(session, "tokens", "tokens")[0] == ("Embedding", "tokens")
    assert ("CrossEntropy", "target") in fits(session, "tokens", "tokens")
    assert feeders(session, "loss", "target")[0] == ("TokenInput", "tokens")
