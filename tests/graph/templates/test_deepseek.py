"""DeepSeek-V2 against transformers on the same weights, at its published counts, and foreseen without its weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.autograd import profiler_legacy
from transformers import DeepseekV2Config, DeepseekV2ForCausalLM

from graph import templates
from graph.estimate import count_parameters, estimate
from graph.passes import run_passes
from graph.plan import plan_document

ATTENTION = {
    "q_proj": "q_up",
    "q_a_proj": "q_down",
    "q_a_layernorm": "q_norm",
    "q_b_proj": "q_up",
    "kv_a_proj_with_mqa": "kv_down",
    "kv_a_layernorm": "kv_norm",
    "kv_b_proj": "kv_up",
    "o_proj": "o_proj",
}
FEED_FORWARD = {
    "gate_proj": "mlp.gate",
    "up_proj": "mlp.up",
    "down_proj": "mlp.down",
    "gate": "moe.router",
    "experts": "moe",
    "shared_experts.gate_proj": "moe.shared.gate",
    "shared_experts.up_proj": "moe.shared.up",
    "shared_experts.down_proj": "moe.shared.down",
}


def names(layers: int) -> dict[str, str]:
    """What ours are called; the first layer is the dense one."""
    table = {"model.embed_tokens": "token_embedding", "model.norm": "final_norm", "lm_head": "head"}
    for layer in range(layers):
        theirs = f"model.layers.{layer}"
        ours = f"decoder.{layer - 1}" if layer else "dense.0"
        table |= {f"{theirs}.input_layernorm": f"{ours}.attn_norm"}
        table |= {f"{theirs}.post_attention_layernorm": f"{ours}.mlp_norm"}
        table |= {f"{theirs}.self_attn.{part}": f"{ours}.attn.{name}" for part, name in ATTENTION.items()}
        table |= {f"{theirs}.mlp.{part}": f"{ours}.{name}" for part, name in FEED_FORWARD.items()}
    return table


def state_of(theirs) -> dict[str, torch.Tensor]:
    """Its weights, with the experts' two matrices apart that it keeps as one."""
    state = {}
    for name, tensor in theirs.state_dict().items():
        before, both, _ = name.partition("gate_up_proj")
        if both:
            state |= dict(zip((f"{before}gate", f"{before}up"), tensor.chunk(2, 1), strict=True))
        else:
            state[name.replace("experts.down_proj", "experts.down") if ".experts." in name else name] = tensor
    return state


YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64}
SHARPER = {"mscale": 0.707, "mscale_all_dim": 0.707, "beta_fast": 32, "beta_slow": 1}


@pytest.mark.parametrize("tied", (False, True))
@pytest.mark.parametrize("q_rank", (0, 14))
@pytest.mark.parametrize("choice", ("greedy", "group_limited_greedy"))
@pytest.mark.parametrize("rope", ({"rope_type": "default"}, YARN | SHARPER), ids=("plain", "yarn"))
def test_it_is_deepseek_v2(model_of, in_float64, shake, adopt, agree, tied, q_rank, choice, rope):
    tokens = torch.randint(61, (2, 13), generator=torch.Generator().manual_seed(1))
    groups = {"n_group": 4, "topk_group": 2} if choice == "group_limited_greedy" else {"n_group": 1, "topk_group": 1}
    with in_float64():
        config = DeepseekV2Config(
            vocab_size=61, hidden_size=24, num_hidden_layers=3, num_attention_heads=3, intermediate_size=40,
            moe_intermediate_size=10, first_k_dense_replace=1, n_routed_experts=12, num_experts_per_tok=4,
            n_shared_experts=2, topk_method=choice, routed_scaling_factor=2.5, kv_lora_rank=10,
            q_lora_rank=q_rank or None, qk_nope_head_dim=8, qk_rope_head_dim=12, v_head_dim=8,
            max_position_embeddings=512, rope_parameters={"rope_theta": 5000.0, **rope}, tie_word_embeddings=tied,
            experts_implementation="eager", **groups,
        )  # fmt: skip
        theirs = shake(DeepseekV2ForCausalLM(config))
        wanted = theirs(tokens).logits
    ours = model_of(
        "deepseek", dim=24, layers=3, num_heads=3, hidden=40, expert_hidden=10, num_experts=12, top_k=4,
        groups=groups["n_group"], top_groups=groups["topk_group"], routed_scale=2.5, kv_rank=10, q_rank=q_rank,
        head_dim=8, rope_dim=12, rope_theta=5000, rope_factor=rope.get("factor", 1), rope_context=64, vocab=61,
        tied=tied,
    )  # fmt: skip
    adopt(ours, state_of(theirs), names(3))
    logits, balance = ours(tokens)
    agree(logits, wanted)
    assert 2 * 0.003 <= balance < 12 * 2 * 0.003, "two layers, each 1 where all experts are used alike"


@pytest.mark.parametrize(("preset", "parameters"), (("v2", 235_741_434_880), ("lite", 15_706_484_224)))
def test_published_counts(count, preset, parameters):
    assert count("deepseek", preset) == parameters


def foreseen():
    """The plan and the estimate of the published model."""
    template = templates.find("deepseek")
    plan = run_passes(plan_document(template.build(template.presets["v2"])))[0]
    return plan, estimate(plan, {"seq": 4096}, dtype="bfloat16")


def test_what_is_foreseen_of_the_published_model():
    plan, found = foreseen()
    assert found.parameters_unique == count_parameters(plan)[1] == 235_741_434_880
    assert found.memory["parameters"] == 2 * 235_741_434_880
    assert found.memory["kv_cache"] == 60 * 4096 * (512 + 64) * 2, "the latent and the turned features of each token"
    attention = 60 * 2 * 128 * 4096**2 * (192 + 192)
    active = 21_000_000_000  # parameters that a token meets, as published, those of the lookup among them
    assert found.flops - attention == pytest.approx(2 * (active - 102400 * 5120) * 4096, rel=0.03)


def allocated(what: Callable[[], object]) -> int:
    """Bytes that torch takes for tensors meanwhile; what is given back counts too."""
    with profiler_legacy.profile(profile_memory=True) as seen:
        what()
    return sum(max(event.cpu_memory_usage, 0) for event in seen.function_events)


def test_foreseeing_allocates_nothing():
    """One tensor of the experts would take gigabytes; what torch does take is a few numbers of its own."""
    assert allocated(lambda: torch.zeros(10_000)) >= 40_000
    assert allocated(foreseen) < 10_000
