"""Discovery, the folder for files in the making, and the plain exporters."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
import torch

from exporters.base import Exporter, ExportError, all_exporters, export, find, on_cpu, put_in_place, workshop
from graph.running import Workbench
from graph.templates import find as template
from graph.weights import load_weights


def test_exporters_are_found():
    assert set(all_exporters()) == {"onnx", "pytorch", "safetensors"}
    assert {exporter.suffix for exporter in all_exporters().values()} == {".onnx", ".py", ".safetensors"}
    assert all(exporter.title for exporter in all_exporters().values())
    with pytest.raises(ExportError, match="no export to 'pdf'; there are onnx, pytorch, safetensors"):
        find("pdf")


def test_listing_them_loads_no_heavy_library():
    """The window lists the exporters, but only the engine's process exports."""
    code = (
        "import sys; from exporters.base import all_exporters; all_exporters(); "
        "print([name for name in ('onnx', 'onnxscript', 'onnxruntime', 'onnx_ir', 'PySide6') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_exporter_must_write(small):
    with pytest.raises(NotImplementedError):
        Exporter().write(small("gpt").model, small("gpt").plan, "x")


def test_workshop_is_cleared_whatever_happens(tmp_path):
    with pytest.raises(KeyboardInterrupt), workshop(tmp_path / "model.onnx") as folder:
        (folder / "half").write_text("half")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_workshop_clears_what_a_killed_export_left(tmp_path):
    left = tmp_path / ".model.onnx-abc"
    left.mkdir()
    (left / "half").write_text("half")
    with workshop(tmp_path / "model.onnx"):
        assert left.exists(), "it may belong to an export that is running"
    old = time.time() - 2 * 3600
    os.utime(left, (old, old))
    with workshop(tmp_path / "model.onnx"):
        assert not left.exists()


def test_put_in_place_says_why_not(tmp_path):
    (tmp_path / "made").write_text("x")
    (tmp_path / "target").mkdir()
    with pytest.raises(ExportError, match="target cannot be written"):
        put_in_place(tmp_path / "made", tmp_path / "target")


def test_on_cpu_copies_only_what_is_elsewhere(small):
    model = small("gpt").model
    assert on_cpu(model) is model
    half = torch.nn.Linear(2, 2, dtype=torch.float16)
    assert on_cpu(half).weight.dtype == torch.float32 and half.weight.dtype == torch.float16  # type: ignore[union-attr]


def test_weights_alone(small, tmp_path):
    example = small("gpt")
    result = find("safetensors").write(example.model, example.plan, tmp_path / "w.safetensors")
    assert result["tensors"] == len(example.model.state_dict()) - 1, "the tied matrix is saved once"
    assert load_weights(example.model, result["path"]) == ()
    with pytest.raises(ExportError, match="cannot be written"):
        find("safetensors").write(example.model, example.plan, tmp_path / "missing" / "w.safetensors")


def test_numbers_that_a_block_cannot_look_up_are_told(tmp_path):
    """What validation cannot know of: a table that is shorter than the drawing says."""
    values = {"dim": 8, "layers": 1, "num_heads": 2, "vocab": 900, "context": 8, "tied": False}
    bench = Workbench("cpu")
    plan = bench.prepare_document(template("gpt").build(values))
    table = bench.model.get_submodule("token_embedding")
    table.weight = torch.nn.Parameter(table.weight[:9].detach().clone())
    with pytest.raises(ExportError, match=r"stops at numbers that its inputs allow \(index out of range in self\)"):
        export("pytorch", bench, plan, tmp_path / "model.py")
    assert not list(tmp_path.iterdir())
