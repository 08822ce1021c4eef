"""What every block of the catalogue owes: it builds, its declared shapes are torch's, it learns and it exports."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.export import Dim as ExportDim

from blocks.dimensions import Dim, evaluate, named, names
from blocks.shapes import Needs
from blocks.spec import Choice, Flag, Number, Ratio, Size, Text
from exporters.onnx_model.recurrent import as_one_operator

TORCH_KINDS = {"float": torch.float32, "integer": torch.int64, "bool": torch.bool}
DECLARATION = {
    "blocks.spec",
    "blocks.shapes",
    "blocks.dimensions",
    "blocks.conflicts",
    "blocks.heads",
    "blocks.regrouping",
    "blocks.sliding",
}
RUNTIME = {"__init__", "forward", "scores"}
COUNTED = {"experts", "load", "dropped"}
"""Outputs that only count, so that no gradient goes through them."""


def outputs_of(module, arguments):
    given = module(*arguments)
    return given if isinstance(given, tuple) else (given,)


def declared(call, shapes, need):
    """Shapes and ports in the order of `forward`'s results; an output passes its input on."""
    shapes_out = call.cls.infer(shapes, call.full, need)
    _, ports = call.cls.ports(call.full)
    assert list(shapes_out) == list(ports)
    if call.cls.role == "output":
        return [shapes["x"]], []
    return list(shapes_out.values()), list(ports.values())


def test_every_block_that_runs_is_called(calls, block):
    if block.role in ("module", "output"):
        assert [call for call in calls if call.block == block.__name__], "add calls of it to tests/blocks/cases"


def test_defaults_build_and_survive_json(block):
    defaults = {param.name: param.default for param in block.params()}
    assert json.loads(json.dumps(defaults)) == defaults
    assert not list(block.conflicts(defaults))
    module = block(**defaults)
    assert all(tensor.isfinite().all() for tensor in module.state_dict().values())


def test_help_is_there(block):
    text = inspect.cleandoc(block.__doc__)
    summary, _, rest = text.partition("\n")
    assert summary == block.summary()
    assert summary.endswith(".") and len(summary) <= 110
    assert len(rest.strip()) > 40, "the help page says shapes, the equation and when to use it"
    for name in block.params():
        assert name.rule.doc, f"{name.name} says nothing about itself"
    assert len(block.shown) <= 3


def test_ports_are_the_arguments_of_forward(block):
    if block.role not in ("module", "output"):
        return
    inputs, _ = block.ports({param.name: param.default for param in block.params()})
    arguments = list(inspect.signature(block.forward).parameters.values())[1:]
    assert [argument.name for argument in arguments if argument.kind is not argument.KEYWORD_ONLY] == list(inputs)
    if hasattr(block, "scores"):
        given = [argument.replace(annotation=None) for argument in arguments]
        asked = list(inspect.signature(block.scores).parameters.values())[1:]
        assert [argument.replace(annotation=None) for argument in asked] == given


def test_source_declares_and_runs_apart(block):
    """The exporter drops the declaration, so what runs knows nothing of it; a file knows torch and blocks only."""
    tree = ast.parse(Path(inspect.getsourcefile(block)).read_text(encoding="utf-8"))
    declaring: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= {"torch", "math"}
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            allowed = module.partition(".")[0] in {
                "__future__",
                "torch",
                "typing",
                "collections",
                "functools",
                "blocks",
            }
            assert allowed, module
            if module in DECLARATION:
                declaring |= {alias.asname or alias.name for alias in node.names}
    (body,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for function in body.body:
        if isinstance(function, ast.FunctionDef) and function.name in RUNTIME:
            used = {
                node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)
            }
            assert not used & declaring, f"{function.name} uses {used & declaring}"


def test_declared_shapes_are_torchs(call):
    need = Needs()
    sizes = dict(call.sizes)
    shapes, ports = declared(call, call.symbolic, need)
    known = call.known(sizes)
    for limit in need.limits:
        size = evaluate(limit.size, known)
        assert (limit.low is None or size >= limit.low) and (limit.high is None or size <= limit.high)
    assert all(known[name] in rest for name, rest in need.remainders.items())
    expected = [tuple(evaluate(size, known) for size in shape) for shape in shapes]

    assert declared(call, call.concrete(), Needs())[0] == expected

    with torch.no_grad():
        real = outputs_of(call.build(), call.tensors())
        meta = outputs_of(call.build(device="meta"), _on_meta(call))
    assert [tuple(value.shape) for value in real] == expected
    assert [tuple(value.shape) for value in meta] == expected
    first = next(iter(call.cls.inputs.values()), None)
    for value, port in zip(real, ports, strict=False):
        kind = port.dtype or first.dtype
        if kind != "any":
            assert value.dtype == TORCH_KINDS[kind]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=["float64", "bfloat16"])
def test_runs_in_other_precisions(call, dtype):
    arguments = call.tensors(dtype)
    with torch.no_grad():
        values = outputs_of(call.build(dtype), arguments)
    for value, port in zip(values, call.cls.ports(call.full)[1].values() or [None], strict=True):
        kind = (port and port.dtype) or next((given.dtype for given in call.cls.inputs.values()), "float")
        assert value.dtype == {"integer": torch.int64, "bool": torch.bool}.get(kind, dtype)
        assert value.isfinite().all()


def test_tensors_are_made_where_the_inputs_are(call):
    module, arguments = call.build(torch.float64), call.tensors(torch.float64)
    with torch.device("meta"), torch.no_grad():
        values = outputs_of(module, arguments)
    assert {value.device.type for value in values} == {"cpu"}


def test_gradients_reach_every_parameter(call):
    module = call.build(torch.float64)
    arguments = [
        x.requires_grad_() if x is not None and x.is_floating_point() else x for x in call.tensors(torch.float64)
    ]
    values = outputs_of(module, arguments)
    if not any(x is not None and x.requires_grad for x in (*arguments, *module.parameters())):
        return
    if call.block == "ALiBi":  # only the length of its input is used
        assert not any(value.requires_grad for value in values)
        return
    values = [value for value, port in zip(values, _outputs(call), strict=True) if not _counted(call, port)]
    assert all(value.requires_grad for value in values), "nothing to learn reaches an output"
    generator = torch.Generator().manual_seed(2)
    weights = [torch.randn(value.shape, dtype=value.dtype, generator=generator) for value in values]
    sum(value.mul(weight).sum() for value, weight in zip(values, weights, strict=True)).backward()
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:  # a table that is saved but does not learn
            continue
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        # A bias of the keys adds the same to all scores of a query, so nothing depends on it.
        if not name.endswith("k_proj.bias"):
            assert parameter.grad.abs().max() > 0, name
    for position, argument in enumerate(arguments):
        if argument is not None and argument.requires_grad and not _hidden(call, position):
            assert argument.grad is not None and argument.grad.isfinite().all()


def _outputs(call):
    return call.cls.ports(call.full)[1] or ["x"]


def _counted(call, port):
    return port in COUNTED or (call.block, port) == ("AdditiveCoupling", "log_det")  # it is always 0


def _hidden(call, position):
    return call.block in ("Rearrange", "Repeat", "Unpatchify") and position == 1  # only its shape is used


def test_state_survives_a_copy(call):
    module = call.build()
    twin = copy.deepcopy(call.build(seed=5))
    twin.load_state_dict(module.state_dict(), strict=True)
    with torch.no_grad():
        left, right = outputs_of(module, call.tensors()), outputs_of(twin, call.tensors())
    assert all(map(torch.equal, left, right))


def bad_values(rule):
    if isinstance(rule, Size):
        return [rule.low - 1, rule.high + 1, 2.5, "three", True, float("nan")]
    if isinstance(rule, Ratio):
        return [1.0, -0.1, float("nan"), "half", True]
    if isinstance(rule, Number):
        limits = [value for value in (rule.low - 1, rule.high + 1) if abs(value) != float("inf")]
        return [*limits, float("nan"), float("inf"), "much", True]
    if isinstance(rule, Choice):
        return ["no such word", "", 1, None]
    if isinstance(rule, Flag):
        return [1, 0, "yes"]
    assert isinstance(rule, Text)
    return [7, "x" * 1001, "one\nline too many"]


def test_rules_reject_bad_values(block):
    for param in block.params():
        for value in bad_values(param.rule):
            if value is None and param.optional:
                continue
            fault = param.fault(value)
            assert fault and fault.startswith("must be"), (param.name, value)
        assert param.fault(param.default) is None
        assert (param.fault(None) is None) == param.optional


def test_exports_with_dynamic_sizes(call):
    """torch.export with every named axis dynamic; the program gives the module's numbers at another size."""
    need = Needs()
    call.cls.infer(call.symbolic, call.full, need)
    used = sorted({name for shape in _flat(call.symbolic) for size in shape for name in names(size)})
    steps = {name: ExportDim(f"_{name}", min=2, max=64) for name in used}
    axes = {
        name: need.divisors[name] * steps[name]
        if name in need.divisors
        else ExportDim(name, min=_low(need, name), max=_high(need, name))
        for name in used
    }
    arguments = tuple(call.tensors())
    dynamic = _dynamic(call, axes)
    module = call.build()
    with as_one_operator(module):
        program = torch.export.export(module, arguments, dynamic_shapes=dynamic, strict=False)
    bigger = {name: call.known()[name] + 4 * need.divisors.get(name, 1) for name in used}
    for sizes in ({}, bigger):
        others = call.tensors(sizes=sizes)
        with torch.no_grad():
            expected = outputs_of(module, others)
            values = outputs_of(program.module(), others)
        torch.testing.assert_close(tuple(values), expected, rtol=1e-5, atol=1e-5)


test_exports_with_dynamic_sizes.slow = True


def _dynamic(call, axes):
    ports, _ = call.cls.ports(call.full)
    given = []
    for name, port in ports.items():
        if name not in call.symbolic:
            given.append(None)
            continue
        arrived = call.symbolic[name] if port.many else (call.symbolic[name],)
        given += [
            {at: _axis(size, axes) for at, size in enumerate(shape) if isinstance(size, Dim)} for shape in arrived
        ]
    many = any(port.many for port in ports.values())
    return (tuple(given),) if many else tuple(given)


def _axis(size, axes):
    (((name, *more), factor),) = size.terms
    if more:
        return ExportDim.AUTO
    return axes[name] if factor == 1 else factor * axes[name]


def _flat(shapes):
    for shape in shapes.values():
        yield from shape if shape and isinstance(shape[0], tuple) else (shape,)


def _low(need, name):
    # torch tells size 1 apart in what comes out too, so a picture is far larger than its window here
    return max(
        [
            8 if name in ("height", "width", "depth", "length") else 2,
            *(limit.low or 2 for limit in need.limits if limit.size == named(name)),
        ]
    )


def _high(need, name):
    return min([4096, *(limit.high or 4096 for limit in need.limits if limit.size == named(name))])


def _on_meta(call):
    return [x.to("meta") if x is not None else None for x in call.tensors()]


def test_shapes_of_parameters_need_no_compiler():
    """Arithmetic on the meta device makes torch import its compiler: a window would stand still for seconds."""
    code = """
import sys
import blocks
from graph.parameters import on_meta
for block in blocks.catalogue().values():
    if block.role == "module":
        on_meta(block, {param.name: param.default for param in block.params()})
        if "torch._inductor" in sys.modules:
            sys.exit(f"{block.__name__} computes numbers on the meta device: ask `is_meta` first")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_values_that_are_kept_are_those_that_came_in(call):
    """Bounds on whole numbers travel through blocks that declare it: what comes out has come in."""
    inputs, outputs = call.cls.ports(call.full)
    kept = {place: port.keeps for place, port in enumerate(outputs.values()) if port.keeps}
    if not kept:
        whole = inputs and next(iter(inputs.values())).dtype in ("any", "integer")
        assert not whole or all(port.dtype for port in outputs.values()), "say whether it keeps the values that come in"
        return
    shapes = call.concrete()
    tensors: dict[str, list[torch.Tensor]] = {}
    for name, port in inputs.items():
        each = () if name not in shapes else shapes[name] if port.many else (shapes[name],)
        tensors[name] = [torch.randint(10 + len(tensors), shape) for shape in each]
    arguments = [tensor for each in tensors.values() for tensor in each or [None]]
    results = outputs_of(call.build(), arguments)
    for place, name in kept.items():
        given = torch.cat([tensor.flatten() for tensor in tensors[name]])
        assert torch.isin(results[place], given).all()
