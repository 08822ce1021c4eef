"""PyTorch code: reads well, stands alone, loads the same weights and gives the same numbers to the last bit."""

from __future__ import annotations

import ast
import subprocess
import sys
import time

import pytest
import torch

import blocks
from exporters.base import ExportError, find
from exporters.python import program, trial
from exporters.pytorch_code import source
from graph.templates import all_templates
from graph.templates import find as find_template
from graph.weights import load_weights

ALLOWED = {"__future__", "math", "pathlib", "typing", "collections", "functools", "torch"}


@pytest.fixture(params=["gpt-untied", *all_templates()])
def example(request, small):
    return small(request.param)


def test_every_block_can_be_drawn(drawable):
    """Save those that are fed integers of one axis, for which there is no source."""
    missing = {name for name, block in blocks.catalogue().items() if block.role == "module"} - drawable
    assert missing <= {"PrefixPosition"}


def test_each_call_alone(call, draw, make_example, run_code):
    run_code(make_example(draw(call))).assert_same_bits()


test_each_call_alone.quick = True  # type: ignore[attr-defined]


def test_templates(example, run_code):
    run_code(example).assert_same_bits()


def test_needs_torch_alone(example):
    tree = ast.parse(source(example.plan))
    inside = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in tree.body:
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= ALLOWED
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] in ALLOWED
    lazy = [node for node in inside if node not in tree.body]
    assert [node.module for node in lazy if isinstance(node, ast.ImportFrom)] == ["safetensors.torch"]


def test_says_nothing_of_the_declaration(example):
    code = source(example.plan)
    for word in ("Annotated", "Size(", "category", "synonyms", "from blocks", "infer", "Blockwright."):
        assert word not in code.partition("\n")[2]


@pytest.mark.parametrize("check", [["check", "--isolated", "--select", "E9,F,W,I"], ["format", "--check"]])
def test_linter_and_formatter_agree(check, example, tmp_path):
    ruff = pytest.importorskip("ruff")
    file = tmp_path / "model.py"
    file.write_text(source(example.plan), encoding="utf-8")
    more = ["--line-length", "120"] if check[0] == "format" else []
    command = [ruff.find_ruff_bin(), *check, *more, "--config", "target-version='py311'", "--no-cache", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_gpt2_is_short_and_shows_its_loop():
    from graph.passes import run_passes
    from graph.plan import plan_document

    plan, _ = run_passes(plan_document(find_template("gpt").build()))
    code = source(plan)
    assert len(code.splitlines()) < 200
    assert max(map(len, code.splitlines())) <= 120
    assert "self.decoder = nn.ModuleList(DecoderLayer() for _ in range(12))" in code
    assert "self.head.weight = self.token_embedding.weight" in code
    assert "rotate" not in code, "no rotary positions, no code for them"
    assert '"""tokens (batch, seq) → logits (batch, seq, 50257)."""' in code


def test_is_fast_enough_to_be_live():
    """The first text of a drawing reads sources; the next, at any size, takes a few milliseconds."""
    from graph.passes import run_passes
    from graph.plan import plan_document

    plans = [
        run_passes(plan_document(find_template("gpt").build({"dim": 12 * width})))[0] for width in (2, 4, 6, 8, 10, 12)
    ]
    source(plans[0])
    taken = []
    for plan in plans[1:]:
        start = time.perf_counter()
        source(plan)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.05


def test_is_the_same_every_time(example):
    assert source(example.plan) == program.program(example.plan)
    program.library.cache_clear()
    assert source(example.plan) == program.program(example.plan)


def test_write_runs_it_in_a_process_without_blockwright(small, tmp_path):
    example = small("gpt")
    told: list[str] = []
    result = find("pytorch").write(
        example.model, example.plan, tmp_path / "my model.py", progress=lambda done, steps, text: told.append(text)
    )
    assert result["same_to_the_bit"] and len(result["sizes_checked"]) >= 3
    assert sorted(file.name for file in tmp_path.iterdir()) == ["my model.py", "my model.safetensors"]
    assert told[0] == "Write the code" and told[-1] == "Done"
    again = small("gpt").model
    load_weights(again, result["weights"])  # our loader restores the alias of the tied matrix


def test_file_runs_as_a_script(small, tmp_path):
    example = small("unet")
    find("pytorch").write(example.model, example.plan, tmp_path / "net.py", {"verify": False})
    done = subprocess.run([sys.executable, "-I", str(tmp_path / "net.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(1, 2, 20, 20)"


def test_weights_that_differ_are_found(small, tmp_path, monkeypatch):
    """A file that computes something else is not kept."""
    example = small("gpt-untied")
    good = program.program(example.plan)
    assert "return mlp + attn_add" in good
    monkeypatch.setattr("exporters.pytorch_code.program", lambda plan: good.replace("mlp + attn_add", "mlp - attn_add"))
    with pytest.raises(ExportError, match="gives other numbers than the drawing for logits at batch 1, seq 1"):
        find("pytorch").write(example.model, example.plan, tmp_path / "wrong.py")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ("import torch\n", "import torch\nimport blocks\n"),
            "does not run by itself: .* the exported file imports blocks",
        ),
        (("self.final_norm", "self.last_norm"), "has other tensors than the drawing"),
        (("return mlp + attn_add", "return mpl + attn_add"), "does not run by itself: NameError"),
    ],
)
def test_files_that_do_not_stand_alone_are_found(change, sentence, small, tmp_path, monkeypatch):
    example = small("gpt-untied")
    wrong = program.program(example.plan).replace(*change)
    monkeypatch.setattr("exporters.pytorch_code.program", lambda plan: wrong)
    with pytest.raises(ExportError, match=sentence):
        find("pytorch").write(example.model, example.plan, tmp_path / "wrong.py")
    assert not list(tmp_path.iterdir())


def test_other_number_types_are_exported_in_float32(small, tmp_path):
    from graph.compile import compile_plan

    plan = small("llama").plan
    model = compile_plan(plan, dtype=torch.bfloat16)
    result = find("pytorch").write(model, plan, tmp_path / "half.py")
    assert result["same_to_the_bit"]
    assert next(model.parameters()).dtype == torch.bfloat16


def test_trial_refuses_our_packages():
    refusal = trial.Refusal()
    for name in ("blocks", "graph.plan", "exporters.base", "app"):
        with pytest.raises(ImportError, match="the exported file imports"):
            refusal.find_spec(name)
    assert refusal.find_spec("torch.nn") is None
