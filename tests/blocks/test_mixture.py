"""What a mixture of experts is for: parameters without work, and a router that can be told to be even."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode

from blocks import catalogue

DIM, HIDDEN, TOKENS = 8, 12, 60


def mixture(**params):
    torch.manual_seed(0)
    return catalogue()["MixtureOfExperts"](**{"dim": DIM, "hidden": HIDDEN} | params).double().eval()


def tokens():
    return torch.randn(3, TOKENS // 3, DIM, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def operations(module, x):
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(x)
    return counter.get_total_flops()


def test_the_work_grows_with_the_choices_and_not_with_the_experts():
    router = 2 * TOKENS * DIM
    one = 3 * 2 * DIM * HIDDEN * TOKENS
    for experts in (4, 16, 64):
        for top_k in (1, 2, 4):
            assert operations(mixture(num_experts=experts, top_k=top_k), tokens()) == experts * router + top_k * one


def test_an_estimate_sees_the_same_work():
    with FakeTensorMode():
        module = catalogue()["MixtureOfExperts"](dim=DIM, hidden=HIDDEN, num_experts=16, top_k=2)
        fake = operations(module, torch.zeros(3, TOKENS // 3, DIM))
    assert fake == operations(mixture(num_experts=16, top_k=2), tokens())


def test_segments_change_neither_parameters_nor_work():
    whole, cut = mixture(num_experts=4, top_k=2), mixture(num_experts=4, top_k=2, segments=3)
    for name in ("gate", "up", "down"):
        assert getattr(whole, name).numel() == getattr(cut, name).numel()
    assert cut.gate.shape == (12, HIDDEN // 3, DIM) and cut.router.top_k == 6
    more = operations(cut, tokens()) - operations(whole, tokens())
    assert more == 2 * TOKENS * DIM * 8  # eight more scores for each token


def test_one_expert_is_a_feed_forward():
    module = mixture(num_experts=1, top_k=1)
    plain = catalogue()["SwiGLU"](dim=DIM, hidden=HIDDEN).double()
    plain.load_state_dict({f"{name}.weight": getattr(module, name)[0] for name in ("gate", "up", "down")})
    y, loss, load, dropped = module(tokens())
    torch.testing.assert_close(y, plain(tokens()))
    assert (loss.item(), load.tolist(), dropped.item()) == (1.0, [1.0], 0.0)


def test_gradients_are_those_of_differences():
    module = mixture(num_experts=3, top_k=2, capacity=0.9, shared_experts=1, shared_gate=True)
    x = tokens()[:1, :5].clone().requires_grad_()
    names = list(dict(module.named_parameters()))

    def run(x, *weights):
        return torch.func.functional_call(module, dict(zip(names, weights, strict=True)), (x,))[:2]

    assert torch.autograd.gradcheck(run, (x, *module.parameters()))


def test_tokens_do_not_disturb_each_other():
    module, x = mixture(num_experts=5, top_k=2), tokens().flatten(0, 1)
    order = torch.randperm(TOKENS, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(module(x[order])[0], module(x)[0][order])


def test_what_finds_no_room_gives_nothing():
    module, x = mixture(num_experts=2, top_k=1, capacity=0.5), tokens().flatten(0, 1)
    free = mixture(num_experts=2, top_k=1)
    free.load_state_dict(module.state_dict())
    y, _, load, dropped = module(x)
    silent = (y == 0).all(-1)
    room = TOKENS // 4  # half of an even share
    full = [max(0, round(share * TOKENS) - room) for share in load.tolist()]
    assert silent.sum().item() == sum(full) and dropped.item() == pytest.approx(sum(full) / TOKENS)
    torch.testing.assert_close(y[~silent], free(x)[0][~silent])
    assert not silent[:room].any(), "the first in line find room"


def test_the_balance_loss_is_one_when_even_and_more_when_not():
    router = catalogue()["TopKRouter"](dim=4, num_experts=4, top_k=1).double()
    router.weight.data.copy_(torch.eye(4) * 50)
    even = torch.eye(4, dtype=torch.float64).repeat(3, 1)
    weights, experts, loss, load = router(even)
    assert experts.flatten().tolist() == [0, 1, 2, 3] * 3 and load.tolist() == [0.25] * 4
    assert loss.item() == pytest.approx(1.0)
    _, _, loss, load = router(even[:1].repeat(5, 1))
    assert load.tolist() == [1.0, 0.0, 0.0, 0.0] and loss.item() == pytest.approx(4.0)
    assert torch.equal(weights, torch.ones_like(weights))


def test_the_router_decides_in_float32():
    router = catalogue()["TopKRouter"](dim=64, num_experts=256, top_k=8).bfloat16()
    x = torch.randn(100, 64, generator=torch.Generator().manual_seed(3)).bfloat16()
    weights, experts, _, load = router(x)
    exact = torch.nn.functional.linear(x, router.weight).float().softmax(-1).topk(8, -1)
    assert torch.equal(experts, exact.indices) and weights.dtype == torch.bfloat16
    assert load.sum().item() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("name", "params", "param", "repair"),
    [
        ("TopKRouter", {"num_experts": 4, "top_k": 5}, "top_k", {"top_k": 4}),
        ("TopKRouter", {"num_experts": 10, "groups": 4}, "groups", {"groups": 5}),
        ("TopKRouter", {"num_experts": 8, "groups": 4, "top_groups": 5}, "top_groups", {"top_groups": 4}),
        ("TopKRouter", {"num_experts": 8, "groups": 4, "top_groups": 1, "top_k": 3}, "top_k", {"top_k": 2}),
        ("MixtureOfExperts", {"hidden": 10, "segments": 4}, "segments", {"segments": 5}),
        ("MixtureOfExperts", {"num_experts": 2, "top_k": 3}, "top_k", {"top_k": 2}),
    ],
)
def test_experts_that_do_not_suffice_are_told(name, params, param, repair):
    block = catalogue()[name]
    full = {param.name: param.default for param in block.params()} | params
    (conflict,) = block.conflicts(full)
    assert conflict.param == param and dict(conflict.repair) == repair
    assert not list(block.conflicts(full | repair))
