"""The engine's jobs: a drawing as data in, plain values out."""

from __future__ import annotations

import json

import pytest

from exporters.base import ExportError
from exporters.jobs import JOBS
from graph import jobs
from graph.files import document_to_data
from graph.running import Workbench
from graph.templates import find


def silent(done: int, total: int, text: str) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module")
def bench():
    return Workbench("cpu")


@pytest.fixture
def drawing():
    values = {"dim": 16, "layers": 1, "num_heads": 2, "vocab": 31, "context": 16}
    return json.loads(json.dumps(document_to_data(find("gpt").build(values))))


def test_the_table_adds_to_that_of_the_graph():
    assert set(JOBS) == {*jobs.JOBS, "export_onnx", "export_pytorch", "source"}


def test_exports_write_the_weights_of_the_bench(bench, drawing, tmp_path):
    told: list[str] = []
    written = JOBS["export_onnx"](
        bench, drawing, {"path": str(tmp_path / "m.onnx")}, lambda done, total, text: told.append(text)
    )
    assert written["max_abs_error"] < 1e-4 and json.loads(json.dumps(written)) == written
    assert any(text.startswith("Compare at") for text in told)
    before = {name: tensor.clone() for name, tensor in bench.model.state_dict().items()}
    written = JOBS["export_pytorch"](bench, drawing, {"path": str(tmp_path / "m.py")}, silent)
    assert written["same_to_the_bit"] and json.loads(json.dumps(written)) == written
    assert all(tensor.equal(before[name]) for name, tensor in bench.model.state_dict().items())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.onnx", "m.py", "m.safetensors"]


def test_given_weights_and_seeds(bench, drawing, tmp_path):
    first = JOBS["export_pytorch"](bench, drawing, {"path": str(tmp_path / "a.py"), "seed": 1, "verify": False}, silent)
    again = JOBS["export_pytorch"](
        bench, drawing, {"path": str(tmp_path / "b.py"), "weights": first["weights"], "verify": False}, silent
    )
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    assert again["path"].endswith("b.py")


def test_source_touches_no_weights(drawing):
    fresh = Workbench("cpu")
    found = JOBS["source"](fresh, drawing, {}, silent)
    assert "class Model(nn.Module):" in found["code"] and found["lines"] == found["code"].count("\n")
    assert fresh.plan is None


def test_a_path_is_needed(bench, drawing):
    with pytest.raises(ExportError, match="needs a path"):
        JOBS["export_onnx"](bench, drawing, {}, silent)


@pytest.mark.parametrize("change", ["seed", "edit", "none"])
def test_an_export_never_writes_over_other_weights_that_the_drawing_names(drawing, tmp_path, change):
    """Not those of another seed, nor those of a drawing from which a layer was taken since."""
    bench = Workbench("cpu")
    bench.prepare_document(drawing, seed=5)
    digest = bench.save_weights(tmp_path / "m.safetensors")
    drawing = {**drawing, "weights": {"path": "m.safetensors", "hash": digest}}
    before = (tmp_path / "m.safetensors").read_bytes()
    options = {"path": str(tmp_path / "m.py"), "folder": str(tmp_path), "verify": False}
    JOBS["export_pytorch"](bench, drawing, options, silent)  # the same weights
    assert (tmp_path / "m.safetensors").read_bytes() == before
    if change == "none":
        return
    if change == "seed":
        options["seed"] = 6
    else:
        drawing["variables"] = {**drawing["variables"], "layers": 2}
    (tmp_path / "m.py").unlink()
    with pytest.raises(ExportError, match="holds the weights of the drawing: choose another name for m.py"):
        JOBS["export_pytorch"](bench, drawing, options, silent)
    assert (tmp_path / "m.safetensors").read_bytes() == before
    assert not (tmp_path / "m.py").exists()


def test_weights_that_were_changed_since_are_told(bench, drawing, tmp_path):
    bench.prepare_document(drawing, seed=5)
    digest = bench.save_weights(tmp_path / "m.safetensors")
    drawing = {**drawing, "weights": {"path": "m.safetensors", "hash": digest}}
    bench.prepare_document(drawing, folder=tmp_path)
    assert bench.notes == ()
    bench.prepare_document(drawing, seed=6)
    bench.save_weights(tmp_path / "m.safetensors")
    bench.prepare_document(drawing, folder=tmp_path)
    assert bench.notes == ("m.safetensors is another file than when the drawing was saved.",)
