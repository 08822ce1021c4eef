"""Language models against transformers on the same weights, and at their published counts."""

from __future__ import annotations

import time

import pytest
import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    GPTJConfig,
    GPTJForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

COUNTS = [
    ("gpt", "small", 124_439_808),
    ("gpt", "medium", 354_823_168),
    ("gpt", "large", 774_030_080),
    ("gpt", "xl", 1_557_611_200),
    ("llama", "7b", 6_738_415_616),
    ("llama", "70b", 68_976_648_192),
    ("qwen", "0.5b", 494_032_768),
    ("qwen", "1.5b", 1_543_714_304),
    ("qwen", "3b", 3_085_938_688),
    ("qwen", "7b", 7_615_616_512),
    ("qwen", "14b", 14_770_033_664),
    ("qwen", "32b", 32_763_876_352),
    ("qwen", "72b", 72_706_203_648),
    ("gptj", "6b", 6_050_882_784),
]


@pytest.fixture
def tokens():
    return torch.randint(61, (2, 13), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("name", "preset", "parameters"), COUNTS)
def test_published_counts(count, name, preset, parameters):
    start = time.process_time()
    assert count(name, preset) == parameters
    assert time.process_time() - start < 1


def gpt2_state(theirs) -> dict[str, torch.Tensor]:
    """GPT-2 keeps its matrices transposed, and queries, keys and values in one."""
    state = {}
    for name, tensor in theirs.state_dict().items():
        if tensor.dim() == 2 and (".attn.c_" in name or ".mlp.c_" in name):
            tensor = tensor.T
        if ".c_attn." in name:
            before, after = name.split("c_attn")
            state |= {f"{before}{part}{after}": rows for part, rows in zip("qkv", tensor.chunk(3), strict=True)}
        else:
            state[name] = tensor
    return state


@pytest.mark.parametrize("tied", [True, False])
def test_gpt_is_gpt2(model_of, in_float64, shake, adopt, agree, tokens, tied):
    with in_float64():
        config = GPT2Config(
            vocab_size=61, n_positions=32, n_embd=48, n_layer=3, n_head=4, n_inner=80, tie_word_embeddings=tied,
            bos_token_id=None, eos_token_id=None,
        )  # fmt: skip
        theirs = shake(GPT2LMHeadModel(config))
        wanted = theirs(tokens).logits
    ours = model_of("gpt", dim=48, layers=3, num_heads=4, hidden=80, vocab=61, context=32, tied=tied)
    names = {
        "transformer.wte": "token_embedding",
        "transformer.wpe": "position",
        "transformer.h.*.ln_1": "decoder.*.attn_norm",
        "transformer.h.*.attn.q": "decoder.*.attn.q_proj",
        "transformer.h.*.attn.k": "decoder.*.attn.k_proj",
        "transformer.h.*.attn.v": "decoder.*.attn.v_proj",
        "transformer.h.*.attn.c_proj": "decoder.*.attn.o_proj",
        "transformer.h.*.ln_2": "decoder.*.mlp_norm",
        "transformer.h.*.mlp.c_fc": "decoder.*.mlp.up",
        "transformer.h.*.mlp.c_proj": "decoder.*.mlp.down",
        "transformer.ln_f": "final_norm",
        "lm_head": "head",
    }
    adopt(ours, gpt2_state(theirs), names)
    agree(ours(tokens), wanted)


LLAMA = {
    "model.embed_tokens": "token_embedding",
    "model.layers.*.input_layernorm": "decoder.*.attn_norm",
    "model.layers.*.self_attn": "decoder.*.attn",
    "model.layers.*.post_attention_layernorm": "decoder.*.mlp_norm",
    "model.layers.*.mlp.gate_proj": "decoder.*.mlp.gate",
    "model.layers.*.mlp.up_proj": "decoder.*.mlp.up",
    "model.layers.*.mlp.down_proj": "decoder.*.mlp.down",
    "model.norm": "final_norm",
    "lm_head": "head",
}


@pytest.mark.parametrize(("kv_heads", "tied"), [(4, False), (2, False), (1, True)])
def test_llama_is_llama(model_of, in_float64, shake, adopt, agree, tokens, kv_heads, tied):
    with in_float64():
        config = LlamaConfig(
            vocab_size=61, hidden_size=48, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4,
            num_key_value_heads=kv_heads, rms_norm_eps=1e-5, tie_word_embeddings=tied,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        )  # fmt: skip
        theirs = shake(LlamaForCausalLM(config))
        wanted = theirs(tokens).logits
    ours = model_of(
        "llama", dim=48, layers=3, num_heads=4, kv_heads=kv_heads, hidden=80, vocab=61, rope_theta=500, tied=tied
    )
    adopt(ours, theirs.state_dict(), LLAMA)
    agree(ours(tokens), wanted)


@pytest.mark.parametrize(("yarn", "tied"), [(False, True), (True, False)])
def test_qwen_is_qwen2(model_of, in_float64, shake, adopt, agree, tokens, yarn, tied):
    turning = {"rope_type": "default", "rope_theta": 1e4}
    if yarn:
        turning |= {"rope_type": "yarn", "factor": 3.0, "original_max_position_embeddings": 64}
    with in_float64():
        config = Qwen2Config(
            vocab_size=61, hidden_size=128, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4,
            num_key_value_heads=2, rms_norm_eps=1e-6, tie_word_embeddings=tied, rope_parameters=turning,
            max_position_embeddings=192,
        )  # fmt: skip
        theirs = shake(Qwen2ForCausalLM(config))
        wanted = theirs(tokens).logits
    ours = model_of(
        "qwen", dim=128, layers=3, num_heads=4, kv_heads=2, hidden=80, vocab=61, context=64, rope_theta=1e4, yarn=yarn,
        rope_factor=3, tied=tied,
    )  # fmt: skip
    adopt(ours, theirs.state_dict(), LLAMA)
    agree(ours(tokens), wanted)


def test_yarn_moves_what_qwen_says(model_of, tokens):
    models = [model_of("qwen", yarn=yarn) for yarn in (False, True)]
    models[1].load_state_dict(models[0].state_dict())
    assert not torch.allclose(models[0](tokens), models[1](tokens))


GPTJ = {
    "transformer.wte": "token_embedding",
    "transformer.h.*.ln_1": "decoder.*.norm",
    "transformer.h.*.attn": "decoder.*.attn",
    "transformer.h.*.attn.out_proj": "decoder.*.attn.o_proj",
    "transformer.h.*.mlp.fc_in": "decoder.*.mlp.up",
    "transformer.h.*.mlp.fc_out": "decoder.*.mlp.down",
    "transformer.ln_f": "final_norm",
    "lm_head": "head",
}


@pytest.mark.parametrize("turning", [4, 12])
def test_gptj_is_gptj(model_of, in_float64, shake, adopt, agree, tokens, turning):
    with in_float64():
        config = GPTJConfig(
            vocab_size=61, n_positions=32, n_embd=48, n_layer=3, n_head=4, n_inner=80, rotary_dim=turning,
            tie_word_embeddings=False, bos_token_id=None, eos_token_id=None,
        )  # fmt: skip
        theirs = shake(GPTJForCausalLM(config))
        wanted = theirs(tokens).logits
    ours = model_of("gptj", dim=48, layers=3, num_heads=4, hidden=80, vocab=61, rope_dim=turning)
    adopt(ours, theirs.state_dict(), GPTJ)
    agree(ours(tokens), wanted)
