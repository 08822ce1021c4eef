"""Multilayer perceptron and XOR: exercises 1 and 2 of the chapter, a reference, and exports that compute the same."""

from __future__ import annotations

import importlib.util
import itertools

import numpy as np
import pytest
import torch
from torch import nn

from exporters.base import find as find_exporter
from graph.commands import SetParam
from graph.compile import compile_plan
from graph.estimate import count_parameters
from graph.history import History
from graph.passes import run_passes
from graph.plan import plan_document
from graph.running import Workbench
from graph.samples import make_inputs
from graph.templates import TemplateError, find

POINTS = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
EITHER = [0.0, 1.0, 1.0, 0.0]


def planned(name, **values):
    return run_passes(plan_document(find(name).build(values)))[0]


def test_exercise_1():
    model = compile_plan(planned("mlp", **find("mlp").presets["exercise"]), dtype=torch.float64)
    model.load_state_dict(
        {
            "first.weight": torch.tensor([[2.0, -1.0], [1.0, 1.0]], dtype=torch.float64),
            "last.weight": torch.tensor([[1.0, -1.0]], dtype=torch.float64),
        }
    )
    x = torch.tensor([[1.0, -1.0]], dtype=torch.float64)
    assert model.first(x).tolist() == [[3, 0]]
    y = model(x)
    assert y.tolist() == [[3]]
    (gradient,) = torch.autograd.grad(y.sum(), model.last.weight)
    assert gradient.tolist() == [[3, 0]]


@pytest.mark.parametrize("layers", [1, 2, 3, 5])
def test_it_equals_linear_layers_with_relu_between(layers):
    values = {"in_features": 5, "hidden": 7, "out_features": 3, "layers": layers}
    plan = planned("mlp", **values)
    model = compile_plan(plan, dtype=torch.float64)
    sizes = [5, *[7] * (layers - 1), 3]
    parts = [nn.Linear(before, after, dtype=torch.float64) for before, after in itertools.pairwise(sizes)]
    reference = nn.Sequential(*itertools.chain.from_iterable((part, nn.ReLU()) for part in parts[:-1]), parts[-1])
    pairs = zip(model.parameters(), reference.parameters(), strict=True)
    for own, other in pairs:
        own.data.copy_(other)
    x = torch.randn(6, 5, dtype=torch.float64)
    torch.testing.assert_close(model(x), reference(x), atol=1e-12, rtol=0)
    assert count_parameters(plan) == (sum(p.numel() for p in reference.parameters()),) * 2


@pytest.mark.parametrize(
    ("activation", "function"),
    [
        ("relu", torch.relu),
        ("leaky_relu", nn.functional.leaky_relu),
        ("gelu", nn.functional.gelu),
        ("silu", nn.functional.silu),
        ("tanh", torch.tanh),
        ("sigmoid", torch.sigmoid),
    ],
)
def test_its_activation_is_a_choice(activation, function):
    model = compile_plan(planned("mlp", in_features=5, hidden=7, activation=activation), dtype=torch.float64)
    x = torch.randn(6, 5, dtype=torch.float64)
    hidden = function(model.hidden.linear(function(model.first(x))))
    torch.testing.assert_close(model(x), model.last(hidden))


def test_an_activation_that_is_none_is_refused():
    with pytest.raises(TemplateError) as caught:
        find("mlp").build({"activation": "step"})
    wanted = "activation must be one of relu, leaky_relu, gelu, silu, tanh, sigmoid, not 'step'."
    assert str(caught.value) == wanted


def test_a_structural_number_is_no_truth_value():
    with pytest.raises(TemplateError) as caught:
        find("mlp").build({"layers": True})
    assert str(caught.value) == "layers must be a whole number from 1 to 64, not True."


def test_xor_is_exact_as_it_is_opened():
    plan = planned("xor")
    model = compile_plan(plan)
    x = make_inputs(plan).tensors[0]
    assert torch.equal(x, POINTS)
    assert model(x).flatten().tolist() == EITHER
    loss = nn.functional.mse_loss(model(x).flatten(), torch.tensor([0.0, 1.0, 1.0, 1.0]))  # OR, so that it must learn
    loss.backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_xor_is_exact_in_the_exports(tmp_path):
    import onnxruntime

    plan = planned("xor")
    model = compile_plan(plan)
    find_exporter("onnx").write(model, plan, tmp_path / "xor.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "xor.onnx", providers=["CPUExecutionProvider"])
    (result,) = session.run(None, {"points": POINTS.numpy()})
    assert result.flatten().tolist() == EITHER
    find_exporter("pytorch").write(model, plan, tmp_path / "xor.py")
    spec = importlib.util.spec_from_file_location("xor", tmp_path / "xor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for written in (module.Model(), module.Model.load()):
        assert written(POINTS).flatten().tolist() == EITHER


def test_xor_is_exact_on_the_command_line(tmp_path):
    from app.cli import main

    drawing, results = str(tmp_path / "xor.json"), str(tmp_path / "results.npz")
    assert main(["new", "xor", "-o", drawing]) == 0
    assert main(["run", drawing, "-o", results]) == 0
    assert np.load(results)["result"].flatten().tolist() == EITHER


def test_xor_is_exact_on_the_bench_that_the_window_runs():
    bench = Workbench("cpu")
    bench.run(make_inputs(bench.prepare_document(find("xor").build())))
    assert bench.capture("last").flatten().tolist() == EITHER


def test_exercise_2_no_line_parts_the_four_points():
    """Sums of the inequalities that a line would have to satisfy leave 0 < 0, whichever its weights are.

    With w·x + b > 0 exactly where XOR is 1: b <= 0, w1 + w2 + b <= 0, w1 + b > 0, w2 + b > 0. The first two add up to
    w1 + w2 + 2b <= 0, the others to w1 + w2 + 2b > 0. As multipliers for Farkas' lemma: the rows below sum to zero.
    """
    rows = np.array([[x1, x2, 1] for x1, x2 in POINTS.tolist()])
    signs = np.where(np.array(EITHER) > 0, -1, 1)[:, None]  # each row · (w1, w2, b) <= 0, two of them < 0
    assert (signs * rows).sum(0).tolist() == [0, 0, 0]
    hidden = np.maximum(rows[:, :2] @ np.ones((2, 2)) + np.array([0, -1]), 0)  # what the ReLUs make of the points
    assert (hidden @ np.array([1, -2])).tolist() == EITHER


def test_undo_gives_the_weights_of_xor_back():
    document = find("xor").build()
    history = History(document)
    history.do(SetParam((), "last_weight", "entries", "5, 5"))
    changed = compile_plan(run_passes(plan_document(document))[0])
    assert changed(POINTS).flatten().tolist() == [0, 5, 5, 15]
    history.undo()
    assert compile_plan(run_passes(plan_document(document))[0])(POINTS).flatten().tolist() == EITHER
