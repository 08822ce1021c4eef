"""Repetitions within repetitions: they multiply, and have an end."""

from __future__ import annotations

from graph import files
from graph.validate import validate


def nested(depth, repeat, blocks=1):
    """Groups in groups, each repeated, with blocks in a row in the innermost."""

    def row(nodes):
        names = [node["id"] for node in nodes]
        ports = ["x" if node["block"] in ("GroupInput", "Group") else "y" for node in nodes]
        ports[0] = "features" if nodes[0]["block"] == "FeatureInput" else "x"
        wires = [[f"{a}.{port}", f"{b}.x"] for a, port, b in zip(names, ports, names[1:], strict=False)]
        return {"nodes": nodes, "wires": wires}

    first, last = {"id": "i", "block": "GroupInput"}, {"id": "o", "block": "GroupOutput"}
    level = row([first, *({"id": f"r{index}", "block": "ReLU"} for index in range(blocks)), last])
    for _ in range(depth - 1):
        level = row([first, {"id": "g", "block": "Group", "repeat": repeat, "level": level}, last])
    group = {"id": "g", "block": "Group", "repeat": repeat, "level": level}
    top = row([{"id": "a", "block": "FeatureInput"}, group, {"id": "o", "block": "Output"}])
    return files.document_from_data({"format": "blockwright", "schema": 1, "level": top})


def test_repetitions_multiply_and_have_an_end():
    assert validate(nested(2, 64)).valid
    issues = validate(nested(5, 4096)).issues
    assert all("16,777,216 times" in issue.message for issue in issues)
    assert issues[0].path == ("g", "g")


def test_a_drawing_runs_so_many_blocks_and_no_more():
    assert validate(nested(1, 1000, 50)).valid
    (issue,) = validate(nested(1, 4096, 50)).issues
    assert "at most 100,000" in issue.message
