"""Drawings that the tests of graph share."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from graph import files, templates
from graph.commands import AddNode, Connect
from graph.document import Document, Node, Wire

TINY = {
    "gpt": {"dim": 32, "layers": 3, "num_heads": 4, "vocab": 61, "context": 32},
    "llama": {"dim": 32, "layers": 2, "num_heads": 4, "kv_heads": 2, "hidden": 48, "vocab": 61, "context": 32},
    "unet": {"channels": 4, "depth": 2, "image_size": 16},
    "diffusion_unet": {"channels": 8, "depth": 1, "layers": 1, "image_size": 8, "num_heads": 2, "context_dim": 6},
}


@pytest.fixture
def tiny():
    """Draws a template at a size that runs in milliseconds."""

    def draw(name: str, **values) -> Document:
        template = templates.find(name)
        return template.build({**TINY.get(name, template.presets["tiny"]), **values})

    return draw


@pytest.fixture
def chain():
    """Draws blocks one after another on the top level: (id, block, params) triples."""

    def draw(*blocks: tuple[str, str, dict]) -> Document:
        import blocks as catalogue

        document = Document()
        last = None
        for id, name, params in blocks:
            document.apply(AddNode((), Node(id, name, params)))
            cls = catalogue.find(name)
            if last is not None:
                document.apply(Connect((), Wire(*last, id, next(iter(cls.inputs)))))
            if cls.outputs:
                last = (id, next(iter(cls.outputs)))
        return document

    return draw


@pytest.fixture
def nested():
    """Draws groups within groups, outermost first by how often each is repeated, and blocks in a row in the last."""

    def row(first: dict, inside: list[dict], last: dict) -> dict:
        ends = [f"{first['id']}.{'features' if first['block'] == 'FeatureInput' else 'x'}"]
        ends += [f"{node['id']}.{'x' if node['block'] == 'Group' else 'y'}" for node in inside]
        targets = [f"{node['id']}.x" for node in (*inside, last)]
        return {
            "nodes": [first, *inside, last],
            "wires": [list(pair) for pair in zip(ends, targets, strict=True)],
        }

    def draw(repeats: Sequence[int], *blocks: tuple[str, str, dict]) -> Document:
        inside = [{"id": id, "block": name, "params": params} for id, name, params in blocks]
        ids = ("outer", "middle", "inner", *(f"inner_{place}" for place in range(len(repeats))))
        for id, repeat in reversed(list(zip(ids, repeats, strict=False))):
            level = row({"id": "i", "block": "GroupInput"}, inside, {"id": "o", "block": "GroupOutput"})
            inside = [{"id": id, "block": "Group", "repeat": repeat, "level": level}]
        top = row({"id": "a", "block": "FeatureInput", "params": {"dim": 8}}, inside, {"id": "o", "block": "Output"})
        return files.document_from_data({"format": "blockwright", "schema": 1, "level": top})

    return draw


OWN_JOBS = ("walk", "echo", "count", "load", "sleep", "deaf", "big", "fault", "unsendable", "die")


@pytest.fixture(scope="session")
def engine_jobs():
    """Jobs for an engine: the graph's own and those that only tests know; its workers share few cores."""
    from graph.jobs import JOBS

    folder, threads = str(Path(__file__).parent / "jobs"), os.environ.get("OMP_NUM_THREADS")
    sys.path.insert(0, folder)
    os.environ["OMP_NUM_THREADS"] = "1"
    yield {**JOBS, **{name: f"engine_jobs:{name}" for name in OWN_JOBS}}
    sys.path.remove(folder)
    if threads is None:
        del os.environ["OMP_NUM_THREADS"]
    else:
        os.environ["OMP_NUM_THREADS"] = threads
