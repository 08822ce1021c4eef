"""Plans are ordered and shaped; models follow the drawing, and each block's numbers are its own."""

from __future__ import annotations

import pytest
import torch

from graph import files, templates
from graph.commands import AddNode, Connect, Disconnect, RemoveNode, Rename, SetNode, SetParam, SetVariable
from graph.compile import compile_plan
from graph.document import Node, Wire
from graph.passes import run_passes
from graph.plan import PlanError, plan_document

PUBLISHED = [
    ("gpt", "small", 124_439_808),
    ("gpt", "xl", 1_557_611_200),
    ("llama", "7b", 6_738_415_616),
    ("llama", "70b", 68_976_648_192),
]


def model_of(document, **options):
    return compile_plan(run_passes(plan_document(document))[0], **options)


@pytest.mark.parametrize(("name", "preset", "parameters"), PUBLISHED)
def test_published_parameter_counts(name, preset, parameters):
    template = templates.find(name)
    with torch.device("meta"):
        model = model_of(template.build(template.presets[preset]), allocate=False)
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


@pytest.mark.parametrize("name", list(templates.all_templates()))
def test_shapes_of_the_report_are_those_of_torch(tiny, name):
    from blocks.dimensions import evaluate
    from graph.samples import make_inputs

    plan = plan_document(tiny(name))
    model = compile_plan(plan)
    inputs = make_inputs(plan, {"batch": 3})
    results = model(*inputs.tensors)
    results = results if isinstance(results, tuple) else (results,)
    for exit, result in zip(plan.exits, results, strict=True):
        assert tuple(result.shape) == tuple(evaluate(size, inputs.sizes) for size in exit.signal.shape)


def test_state_dict_keys_follow_the_drawing(tiny):
    keys = list(model_of(tiny("gpt")).state_dict())
    assert keys[:2] == ["token_embedding.weight", "position.weight"]
    assert "decoder.2.attn.q_proj.weight" in keys
    assert "head.weight" in keys


def test_ties_are_one_tensor(tiny):
    model = model_of(tiny("gpt"))
    assert model.head.weight is model.token_embedding.weight
    untied = model_of(tiny("gpt", tied=False))
    assert untied.head.weight is not untied.token_embedding.weight


def test_adding_a_block_changes_no_other_numbers(tiny):
    document = tiny("gpt")
    before = model_of(document).state_dict()
    document.apply(Disconnect((), Wire("decoder", "x", "final_norm", "x")))
    document.apply(AddNode((), Node("extra", "Linear", {"out_features": 32})))
    document.apply(Connect((), Wire("decoder", "x", "extra", "x")))
    document.apply(Connect((), Wire("extra", "y", "final_norm", "x")))
    document.apply(Rename((), "decoder", "layers"))
    document.apply(SetVariable("layers", 4))
    after = model_of(document).state_dict()
    for name, value in before.items():
        assert torch.equal(value, after[name.replace("decoder.", "layers.")]), name
    assert "extra.weight" in after


def test_rounds_have_their_own_numbers_unless_shared(tiny):
    document = tiny("gpt")
    model = model_of(document)
    assert not torch.equal(model.decoder[0].attn.q_proj.weight, model.decoder[1].attn.q_proj.weight)
    document.apply(SetNode((), "decoder", "shared", True))
    shared = model_of(document)
    assert "decoder.attn.q_proj.weight" in shared.state_dict()
    tokens = torch.randint(0, 61, (2, 5))
    layer = shared.decoder
    x = shared.position(shared.token_embedding(tokens))
    expected = shared.head(shared.final_norm(layer(layer(layer(x)))))
    assert torch.equal(shared(tokens), expected)


def test_compiling_leaves_the_global_generator_alone(tiny):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    model_of(tiny("gpt"))
    assert torch.equal(torch.rand(3), expected)


def test_seeds(tiny):
    document = tiny("gpt")
    again = files.from_text(files.to_text(document))
    assert torch.equal(model_of(document).position.weight, model_of(again).position.weight)
    again.seed = 1
    assert not torch.equal(model_of(document).position.weight, model_of(again).position.weight)


def test_dtype_and_mode(tiny):
    model = model_of(tiny("gpt"), dtype=torch.float64)
    assert not model.training
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float64}
    assert model.head.weight is model.token_embedding.weight


def test_errors_are_not_planned(tiny):
    document = tiny("gpt")
    document.apply(RemoveNode((), "tokens"))
    with pytest.raises(PlanError, match="Nothing is wired"):
        plan_document(document)


def test_what_reaches_no_output_is_not_built(tiny):
    document = tiny("gpt")
    document.apply(AddNode((), Node("loose", "Linear", {"in_features": 32})))
    document.apply(Connect((), Wire("decoder", "x", "loose", "x")))
    assert not any(name.startswith("loose") for name in model_of(document).state_dict())


def test_passes_keep_outputs_and_say_what_they_did(chain):
    document = chain(
        ("a", "ImageInput", {"channels": 2}),
        ("up", "UpSample", {"factor": 1}),
        ("c", "Conv2d", {"out_channels": 3}),
        ("d", "Dropout", {"p": 0.0}),
        ("o", "Output", {}),
    )
    plan = plan_document(document)
    short, notes = run_passes(plan)
    assert [step.id for step in short.steps] == ["c"]
    assert {note.step for note in notes["drop_identity"] if note.applied} == {"up", "d"}
    image = torch.rand(1, 2, 5, 7)
    full, less = compile_plan(plan), compile_plan(short)
    assert torch.equal(full(image), less(image))
    assert full.state_dict().keys() == less.state_dict().keys()


@pytest.mark.parametrize("name", list(templates.all_templates()))
def test_passes_keep_the_outputs_of_templates(tiny, name):
    from graph.samples import make_inputs

    plan = plan_document(tiny(name))
    inputs = make_inputs(plan, {"batch": 2})
    found, wanted = (compile_plan(each)(*inputs.tensors) for each in (run_passes(plan)[0], plan))
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)


def test_rounds_that_differ(tiny):
    document = tiny("gpt")
    document.apply(SetParam(("decoder",), "mlp", "hidden", "=32*(layer+1)"))
    model = model_of(document)
    widths = [parameter.shape for name, parameter in model.named_parameters() if name.endswith("mlp.up.weight")]
    assert not widths or [width[0] for width in widths] == [32, 64, 96]
    sizes = {tuple(sorted(tuple(p.shape) for p in layer.mlp.parameters())) for layer in model.decoder}
    assert len(sizes) == 3
    assert model(torch.randint(0, 61, (1, 4))).shape == (1, 4, 61)


@pytest.mark.parametrize("rounds", ["sum", "stack"])
def test_sum_and_stack_of_rounds(tiny, rounds):
    document = tiny("gpt")
    document.apply(AddNode(("decoder",), Node("kept", "GroupOutput", {"port": "kept", "rounds": rounds}, order=1)))
    document.apply(Connect(("decoder",), Wire("attn", "y", "kept", "x")))
    document.apply(AddNode((), Node("out", "Output", order=1)))
    document.apply(Connect((), Wire("decoder", "kept", "out", "x")))
    model = model_of(document)
    tokens = torch.randint(0, 61, (2, 5))
    seen = []
    for layer in model.decoder:
        layer.attn.register_forward_hook(lambda module, args, result: seen.append(result))
    _, kept = model(tokens)
    expected = torch.stack(seen) if rounds == "stack" else sum(seen[1:], seen[0])
    assert torch.equal(kept, expected)
