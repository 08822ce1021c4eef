"""Copied nodes as they come back from messages and files: with words, marks and quotes around them."""

from __future__ import annotations

import json

import pytest

from graph import clipboard, templates
from graph.document import Document, EditError
from graph.files import document_to_data


@pytest.fixture
def clip() -> str:
    document = templates.find("gpt").build({})
    return clipboard.copy(document, (), list(document.top.nodes)[:2])


@pytest.mark.parametrize(
    "around",
    [
        "```json\n{}\n```",
        "Here is my block:\n\n{}\n\nCheers, Ann",
        "> Ann wrote:\n> ```\n> {}\n> ```",
        "\ufeff  {}\t\n",
    ],
)
def test_what_messages_put_around_it_is_no_harm(clip: str, around: str) -> None:
    document = Document("there")
    command, ids = clipboard.paste(document, (), around.replace("{}", clip), (0.0, 0.0))
    document.apply(command)
    assert len(ids) == 2
    assert len(document.top.wires()) == 1


def test_the_text_of_a_drawing_is_pasted_as_its_nodes() -> None:
    other = templates.find("gpt").build({})
    document = Document("there")
    text = json.dumps(document_to_data(other), indent=2)
    command, ids = clipboard.paste(document, (), text, (0.0, 0.0))
    inverse = document.apply(command)
    assert len(ids) == len(other.top.nodes)
    assert len(document.top.wires()) == len(other.top.wires())
    assert set(other.variables) <= set(document.variables)
    assert not {node.uid for _, node in other.walk()} & {node.uid for _, node in document.walk()}
    document.apply(inverse)
    assert not document.top.nodes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a blockwright is a person who makes blocks", "some other text"),
        ("blockwright { and } nothing", "some other text"),
        ('{"format": "blockwright", "schema": 99, "level": {}}', "damaged"),
        ('so: {"format": "blockwright-clip", "nodes": [{"id"} there', "damaged"),
    ],
)
def test_what_is_none_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(EditError, match=words):
        clipboard.paste(Document("there"), (), text)
