"""Drawings survive a round trip, and no file can hurt: one sentence, nothing changed, nothing lost."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph import files, templates
from graph.commands import SetVariable
from graph.document import Document
from graph.validate import validate


@pytest.mark.parametrize("name", list(templates.all_templates()))
def test_templates_survive_a_round_trip(name, tmp_path):
    document = templates.find(name).build()
    path = tmp_path / "drawing.json"
    files.save(document, path)
    again = files.load(path)
    assert files.to_text(again) == files.to_text(document)
    assert validate(again).valid


def test_what_is_not_understood_is_kept(tiny, tmp_path):
    data = files.document_to_data(tiny("gpt"))
    data["camera"] = {"zoom": 2}
    data["level"]["frames"] = [{"title": "head"}]
    node = data["level"]["nodes"][1]
    node["block"] = "HyperEmbedding"
    node["params"] = {"dim": 5, "curvature": -1.0}
    node["colour"] = "red"
    data["level"]["nodes"][3]["level"]["nodes"][0]["comment"] = "inner"
    path = tmp_path / "new.json"
    path.write_text(json.dumps(data))
    document = files.load(path)
    report = validate(document)
    assert any("knows no block called HyperEmbedding" in str(issue) for issue in report.issues)
    files.save(document, path)
    again = json.loads(path.read_text())
    assert again["camera"] == {"zoom": 2}
    assert again["level"]["frames"] == [{"title": "head"}]
    assert again["level"]["nodes"][1] == node
    assert again["level"]["nodes"][3]["level"]["nodes"][0]["comment"] == "inner"
    assert again["level"]["wires"] == data["level"]["wires"]


def bad(change):
    def make(data):
        change(data)
        return json.dumps(data)

    return make


NESTED = {"id": "g", "block": "Group", "level": {}}
for _ in range(30):
    NESTED = {"id": "g", "block": "Group", "level": {"nodes": [NESTED]}}

DEEP: list = []
for _ in range(400):
    DEEP = [DEEP]

HOSTILE = {
    "empty": (lambda data: "", "is no JSON"),
    "truncated": (lambda data: json.dumps(data)[:-200], "is no JSON.*line 1"),
    "foreign": (lambda data: '{"nodes": []}', "no Blockwright drawing"),
    "a list": (lambda data: "[1, 2]", "no Blockwright drawing"),
    "deep": (lambda data: "[" * 200_000, "nested too deeply|is no JSON"),
    "deep and unknown": (bad(lambda d: d.update(unknown=DEEP)), "nested too deeply"),
    "nan": (lambda data: '{"format": NaN}', "NaN"),
    "twins": (lambda data: '{"format": "blockwright", "format": "x"}', "twice"),
    "digits": (lambda data: '{"seed": ' + "9" * 5000 + "}", "5000 digits"),
    "infinite": (lambda data: '{"seed": 1e999}', "1e999, which is too large"),
    "half a character": (bad(lambda d: d.update(title="\ud83d")), "half a character"),
    "newer": (bad(lambda d: d.update(schema=99)), "newer Blockwright"),
    "schema": (bad(lambda d: d.update(schema="1")), "schema number"),
    "variables": (bad(lambda d: d.update(variables={"a b": 1})), "called 'a b'"),
    "variable": (bad(lambda d: d.update(variables={"a": [1]})), "variable a"),
    "id": (bad(lambda d: d["level"]["nodes"][0].update(id="__class__")), "called '__class__'"),
    "twin id": (bad(lambda d: d["level"]["nodes"].append(d["level"]["nodes"][0])), "two nodes are called"),
    "dangling": (bad(lambda d: d["level"]["wires"].append(["nobody.x", "head.x", 7])), "no such node"),
    "wire": (bad(lambda d: d["level"]["wires"].append("tokens")), "must read"),
    "twin wire": (bad(lambda d: d["level"]["wires"].append(d["level"]["wires"][0])), "two wires end"),
    "circle": (bad(lambda d: d["level"]["wires"].append(["head.y", "tokens.z"])), "close a circle"),
    "position": (bad(lambda d: d["level"]["nodes"][0].update(position=[1e300, 0])), "position"),
    "block": (bad(lambda d: d["level"]["nodes"][0].update(block=7)), "block of tokens"),
    "groups": (bad(lambda d: d["level"]["nodes"].append(NESTED)), "nested more than"),
    "repeat": (bad(lambda d: d["level"]["nodes"][3].update(repeat=[9])), "repeat of decoder"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_bad_files_are_refused_in_one_sentence(case, tiny, tmp_path):
    make, words = HOSTILE[case]
    path = tmp_path / "bad.json"
    path.write_text(make(files.document_to_data(tiny("gpt"))))
    with pytest.raises(files.FileError, match=words) as caught:
        files.load(path)
    assert str(caught.value).startswith("bad.json: ")
    assert "\n" not in str(caught.value)


def test_files_that_are_no_text(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b"\x80\x04\x95pickle")
    with pytest.raises(files.FileError, match="not text"):
        files.load(path)
    with pytest.raises(files.FileError, match="no file"):
        files.load(tmp_path / "missing.json")
    with pytest.raises(files.FileError, match="cannot be read"):
        files.load(tmp_path)


def test_whole_characters_are_no_halves(tiny, tmp_path):
    document = tiny("gpt")
    path = tmp_path / "smile.json"
    path.write_text(json.dumps(files.document_to_data(document) | {"title": "\U0001f642"}))
    assert files.load(path).title == "\U0001f642"


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), "\udcff"])
def test_what_no_file_can_hold_is_not_written(value, tiny, tmp_path):
    document = tiny("gpt")
    path = tmp_path / "drawing.json"
    files.save(document, path)
    before = path.read_text()
    document.apply(SetVariable("dim", value))
    with pytest.raises(files.FileError, match="which no file can"):
        files.save(document, path)
    assert path.read_text() == before


def test_a_huge_repeat_is_an_issue_and_allocates_nothing(tiny):
    document = tiny("gpt", layers=10**9)
    report = validate(document)
    assert any("from 1 to 4096" in str(issue) for issue in report.issues)


def test_a_failed_save_leaves_the_old_file(tiny, tmp_path, monkeypatch):
    path = tmp_path / "drawing.json"
    files.save(tiny("gpt"), path)
    before = path.read_bytes()

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(files.FileError, match="No space left"):
        files.save(Document(), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["drawing.json"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from(["title", "variables", "level", "seed", "template", "weights", "extra"]))
def test_any_value_anywhere_is_kept_or_refused(value, key):
    data = {"format": "blockwright", "schema": 1, "level": {"nodes": [], "wires": []}, key: value}
    try:
        document = files.document_from_data(data)
    except files.FileError as error:
        assert str(error)
    else:
        assert files.document_to_data(document)


@settings(max_examples=150, deadline=None)
@given(
    JSON,
    st.sampled_from(["id", "uid", "block", "title", "params", "position", "ties", "sample", "order", "level", "x"]),
)
def test_any_value_in_a_node_is_validated_or_refused(value, key):
    node = {"id": "a", "block": "Linear", "position": [0, 0], key: value}
    data = {"format": "blockwright", "schema": 1, "level": {"nodes": [node], "wires": []}}
    try:
        document = files.document_from_data(data)
    except files.FileError as error:
        assert str(error)
    else:
        assert validate(document).issues
        assert files.document_from_data(files.document_to_data(document))
