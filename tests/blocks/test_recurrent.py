"""What recurrent blocks owe beyond their definition: states that carry on, cells that agree, messages."""

from __future__ import annotations

import pytest
import torch

from blocks import catalogue
from blocks.dimensions import named
from blocks.shapes import Needs, ShapeClash

KINDS = ("RNN", "GRU", "LSTM")


def built(name, **params):
    torch.manual_seed(0)
    return catalogue()[name](**params).double().eval()


def states_of(result):
    _, *states = result
    return states


@pytest.mark.parametrize("kind", KINDS)
def test_a_sequence_in_two_parts_is_the_sequence(kind):
    module = built(kind, dim=4, hidden=3, layers=2)
    x = torch.randn(2, 9, 4, dtype=torch.float64)
    whole = module(x)
    first = module(x[:, :5])
    second = module(x[:, 5:], *states_of(first))
    torch.testing.assert_close(torch.cat((first[0], second[0]), 1), whole[0])
    torch.testing.assert_close(states_of(second), states_of(whole))


@pytest.mark.parametrize("kind", KINDS)
def test_cells_unrolled_are_the_sequence(kind):
    module, cell = built(kind, dim=4, hidden=3), built(f"{kind}Cell", dim=4, hidden=3)
    weights = {name.replace("rnn.", "cell.").removesuffix("_l0"): w for name, w in module.state_dict().items()}
    cell.load_state_dict(weights)
    x = torch.randn(2, 6, 4, dtype=torch.float64)
    states = [torch.zeros(2, 3, dtype=torch.float64)] * (2 if kind == "LSTM" else 1)
    steps = []
    for step in x.unbind(1):
        result = cell(step, *states)
        states = list(result) if isinstance(result, tuple) else [result]
        steps.append(states[0])
    torch.testing.assert_close(torch.stack(steps, 1), module(x)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_torch_reads_the_same_file(kind):
    module = built(kind, dim=4, hidden=3, layers=2, bidirectional=True)
    theirs = getattr(torch.nn, kind)(4, 3, 2, batch_first=True, bidirectional=True).double()
    theirs.load_state_dict({name.removeprefix("rnn."): weight for name, weight in module.state_dict().items()})
    x = torch.randn(2, 6, 4, dtype=torch.float64)
    assert torch.equal(theirs(x)[0], module(x)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_acts_between_layers_in_training_only(kind):
    x = torch.randn(2, 6, 4, dtype=torch.float64)
    module, plain = (built(kind, dim=4, hidden=3, layers=2, dropout=dropout) for dropout in (0.5, 0.0))
    assert torch.equal(module(x)[0], plain(x)[0])
    assert not torch.allclose(module.train()(x)[0], plain(x)[0])
    single = built(kind, dim=4, hidden=3, dropout=0.5)  # nothing lies between one layer and itself
    assert torch.equal(single.train()(x)[0], single.eval()(x)[0])


def test_a_plain_network_forgets_where_an_lstm_need_not():
    """The chapter's remark on vanishing gradients: they shrink with every step, unless the forget gate stays open."""
    steps = 60
    x = torch.randn(1, steps, 2, dtype=torch.float64)

    def reach(kind, prepare):
        module = built(kind, dim=2, hidden=2)
        prepare(module)
        start = torch.ones(1, 1, 2, dtype=torch.float64, requires_grad=True)
        states = (torch.zeros_like(start), start) if kind == "LSTM" else (start,)
        module(x, *states)[-1].sum().backward()
        return start.grad.abs().max().item()

    def shrink(module):
        module.rnn.weight_hh_l0.data.copy_(0.5 * torch.eye(2))

    def keep(module):
        module.rnn.weight_hh_l0.data.zero_()  # what is left is the path through the memory
        module.rnn.bias_ih_l0.data[2:4] = 20.0

    assert reach("RNN", shrink) <= 0.5**steps
    assert reach("LSTM", keep) == pytest.approx(1.0, abs=1e-4)


def test_the_wrong_number_of_states_is_told_in_words():
    lstm = catalogue()["LSTM"]
    full = {param.name: param.default for param in lstm.params()} | {"layers": 2, "bidirectional": True, "hidden": 3}
    shapes = {"x": (named("batch"), named("seq"), 256), "h0": (2, named("batch"), 3)}
    with pytest.raises(ShapeClash) as clash:
        lstm.infer(shapes, full, Needs())
    assert clash.value.found == "2 states"
    assert clash.value.needed == "it has 2 layers, read both ways: 4 in all"
    shapes["h0"] = (named("states"), named("batch"), 3)
    with pytest.raises(ShapeClash) as clash:
        lstm.infer(shapes, full, Needs())
    assert clash.value.found == "any number of states (states)"
    assert clash.value.needed.endswith('Rearrange makes them of features: "b (s h) -> s b h" with `sizes` "s=4"')
    shapes["h0"] = (4, named("batch"), 5)
    with pytest.raises(ShapeClash) as clash:
        lstm.infer(shapes, full, Needs())
    assert clash.value.repair == {"hidden": 5}
