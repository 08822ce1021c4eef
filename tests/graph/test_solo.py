"""Run to here: a drawing that ends at a node, with the weights of the whole one, which stays as it is."""

from __future__ import annotations

import pytest
import torch

from graph import files
from graph.commands import SetNode, SetParam
from graph.compile import compile_plan
from graph.document import EditError
from graph.jobs import JOBS
from graph.plan import plan_document
from graph.running import Workbench
from graph.solo import ending_at
from graph.validate import validate


def model_of(document):
    torch.manual_seed(0)
    return compile_plan(plan_document(document)).eval()


def test_it_ends_there_and_changes_nothing(tiny):
    document = tiny("gpt")
    before = files.to_text(document)
    ending = ending_at(document, ("token_embedding",))
    assert list(ending.top.nodes) == ["tokens", "token_embedding", "token_embedding_y"]
    assert validate(ending).valid
    assert files.to_text(document) == before
    tokens = torch.arange(4).unsqueeze(0)
    assert torch.equal(model_of(ending)(tokens), model_of(document).token_embedding(tokens))


def test_inside_a_repeated_group_it_is_the_first_round(tiny):
    document = tiny("gpt")
    ending = ending_at(document, ("decoder", "attn"))
    assert validate(ending).valid
    assert "mlp" not in ending.level(("decoder",))
    names = set(model_of(ending).state_dict())
    assert names < set(model_of(document).state_dict())
    assert "decoder.0.attn.q_proj.weight" in names or any(name.startswith("decoder.0.attn.") for name in names)
    assert not any(name.startswith("decoder.1.") for name in names)


def test_what_is_wrong_behind_it_does_not_matter(tiny):
    document = tiny("gpt")
    document.apply(SetParam(("decoder",), "mlp", "dim", 7))
    assert not validate(document).valid
    assert validate(ending_at(document, ("decoder", "attn"))).valid
    with pytest.raises(EditError, match="nothing comes out of Feed-forward"):
        ending_at(document, ("decoder", "mlp"))
    with pytest.raises(EditError, match="waits for what is before it"):
        ending_at(document, ("decoder", "mlp_add"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["gpt", "unet", "llama", "diffusion_unet"])
def test_every_node_of_a_template_can_be_the_end(tiny, name):
    document = tiny(name)
    for path, _ in document.walk():
        report = validate(ending_at(document, path))
        assert report.valid, (path, [str(issue) for issue in report.issues])


def test_one_that_is_off_gives_what_it_passes_on(tiny):
    document = tiny("gpt")
    document.apply(SetNode(("decoder",), "mlp", "muted", True))
    ending = ending_at(document, ("decoder", "mlp"))
    assert validate(ending).valid
    assert not any(".mlp." in name for name in model_of(ending).state_dict())


def test_the_engine_runs_and_looks_into_it(tiny):
    document = tiny("gpt")
    document.apply(SetParam((), "head", "in_features", 5))
    data = files.document_to_data(document)
    bench = Workbench("cpu")
    options = {"until": "decoder/mlp"}
    found = JOBS["run"](bench, data, options, lambda *_: None)
    assert "decoder.0/mlp" in found["activations"]
    assert not any("mlp_add" in address for address in found["activations"])
    seen = JOBS["inspect"](bench, data, {**options, "node": "decoder.0/mlp", "what": "slice"}, lambda *_: None)
    assert seen["node"] == "decoder.0/mlp"
