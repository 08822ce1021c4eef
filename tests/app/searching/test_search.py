"""Finding by a few letters."""

from __future__ import annotations

import pytest

from app.catalogue import Catalogue, _block_cards
from app.palette import block_entries
from app.searching.search import best, ranked, score


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("linear", "Linear", "Linear attention"),
        ("norm", "Norm", "Layer norm"),
        ("norm", "RMS norm", "Abnormal"),
        ("conv", "Conv 2D", "Masked conv 2D"),
        ("mha", "Multi-head attention", "Mahalanobis"),
        ("lay nor", "Layer norm", "Nor layer"),
        ("softmax", "Softmax", "Softplus"),
        ("up", "Up-sample", "Group norm"),
    ],
)
def test_the_better_fit_comes_first(query: str, better: str, worse: str) -> None:
    assert score(query, better) > score(query, worse)


@pytest.mark.parametrize(
    ("query", "text"), [("xyz", "Linear"), ("conv", "Cross-attention over"), ("nr", "Pattern"), ("é", "Linear")]
)
def test_what_does_not_fit_is_nothing(query: str, text: str) -> None:
    assert score(query, text) == 0


def test_letters_in_order_find_a_little() -> None:
    assert 0 < score("lnrm", "Layer norm") < score("norm", "Layer norm")


def test_an_empty_query_fits_all_alike() -> None:
    assert ranked("", ["b", "a"], score) == ["b", "a"]


def test_synonyms_count_nearly_and_summaries_little() -> None:
    assert best("dense", ["Linear"], ["dense"]) > best("dense", ["Dense net layer"], []) > 0
    assert best("dense", ["Linear"], [], ["A dense layer"]) < best("dense", ["Linear"], ["dense layer"])
    assert best("ens", ["Linear"], [], ["A dense layer"]) == 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("nn.Linear", "Linear"),
        ("torch.cat", "cat"),
        ("keras.layers.Dense", "dense"),
        ("GlobalMaxPool", "Global max pool"),
    ],
)
def test_packages_and_spaces_do_not_count(query: str, text: str) -> None:
    assert score(query, text) == 100


def test_of_two_with_one_synonym_it_is_the_first_thing_that_one_is() -> None:
    assert best("router", ["Top k"], ["router", "moe"]) > best("router", ["Mixture"], ["moe", "router"]) > 0


HABITS = {
    # papers
    "GQA": "MultiHeadAttention", "MQA": "MultiHeadAttention", "mha": "MultiHeadAttention",
    "self-attention": "MultiHeadAttention", "attention": "MultiHeadAttention", "MLA": "MultiHeadLatentAttention",
    "flash attention": "ScaledDotProductAttention", "encoder-decoder attention": "CrossAttention",
    "KV cache": "MultiHeadAttention", "softmax cross entropy": "CrossEntropy", "BiGRU": "GRU",
    "deconvolution": "ConvTranspose2d", "deconvolution 2d": "ConvTranspose2d", "swish": "SiLU",
    "atrous": "Conv2d", "dilated convolution": "Conv2d",
    "1x1 convolution": "Conv2d", "separable convolution": "DepthwiseConv2d", "tcn": "Conv1d",
    "wavenet": "GatedActivation", "sub-pixel": "PixelShuffle", "depth to space": "PixelShuffle",
    "adain": "AdaptiveInstanceNorm", "adaLN-Zero": "AdaptiveLayerNorm", "FiLM": "AdaptiveLayerNorm",
    "rope": "RotaryPosition", "positional encoding": "SinusoidalPosition", "position embedding": "LearnedPosition",
    "cls token": "ClassToken", "moe": "MixtureOfExperts", "switch transformer": "MixtureOfExperts",
    "gating network": "TopKRouter", "router": "TopKRouter", "mlp": "FeedForward", "ffn": "FeedForward",
    "glu": "SwiGLU", "llama block": "ModernDecoderBlock", "gpt-j": "ParallelBlock", "skip connection": "Add",
    "hadamard": "Multiply", "einops": "Rearrange", "resnet block": "BasicResidual",
    "bottleneck": "BottleneckResidual", "patch embedding": "Patchify", "reparameterization trick": "Reparameterise",
    "ddpm": "NoiseSchedule", "realnvp": "AffineCoupling", "nice": "AdditiveCoupling", "pixelcnn": "MaskedConv2d",
    "mean squared error": "MSELoss", "mae": "L1Loss", "log loss": "BinaryCrossEntropy",
    "gan loss": "NonSaturatingGAN", "long short-term memory": "LSTM", "learned queries": "Constant",
    "unet block": "DownBlock",
    # PyTorch
    "nn.Linear": "Linear", "nn.MultiheadAttention": "MultiHeadAttention", "sdpa": "ScaledDotProductAttention",
    "F.scaled_dot_product_attention": "ScaledDotProductAttention", "nn.ConvTranspose2d": "ConvTranspose2d",
    "nn.Conv2d": "Conv2d", "BatchNorm2d": "BatchNorm", "nn.LayerNorm": "LayerNorm", "torch.cat": "Concat",
    "bmm": "MatMul", "view": "Reshape", "permute": "Rearrange", "unsqueeze": "Reshape", "masked_fill": "ApplyMask",
    "chunk": "Split", "interpolate": "UpSample", "CrossEntropyLoss": "CrossEntropy",
    "BCEWithLogitsLoss": "BinaryCrossEntropy", "TransformerEncoderLayer": "EncoderBlock",
    "TransformerDecoderLayer": "DecoderBlock", "wte": "Embedding",
    # Keras
    "Dense": "Linear", "Conv2DTranspose": "ConvTranspose2d", "SeparableConv2D": "DepthwiseConv2d",
    "MaxPooling2D": "MaxPool2d", "AveragePooling2D": "AvgPool2d", "GlobalAveragePooling2D": "GlobalAvgPool",
    "UpSampling2D": "UpSample", "ZeroPadding2D": "Pad", "LayerNormalization": "LayerNorm",
    "BatchNormalization": "BatchNorm", "GroupNormalization": "GroupNorm", "SimpleRNN": "RNN", "concatenate": "Concat",
    "hard_sigmoid": "HardSigmoid", "relu6": "HardTanh",
}  # fmt: skip
"""What people type who come from papers, PyTorch or Keras, and what they mean."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue(tuple(_block_cards()))


@pytest.mark.parametrize("query", HABITS)
def test_old_habits_find_the_block(catalogue: Catalogue, query: str) -> None:
    assert [entry.name for entry in block_entries(catalogue, query)][:1] == [HABITS[query]]


def test_blocks_are_found_by_what_they_are_about(catalogue: Catalogue) -> None:
    for query, name in (
        ("residual", "Add"), ("cat", "Concat"), ("upsampling", "UpSample"), ("text", "TokenInput"),
        ("picture", "ImageInput"), ("attention", "MultiHeadAttention"), ("norm", "RMSNorm"),
    ):  # fmt: skip
        assert name in [entry.name for entry in block_entries(catalogue, query)][:6], query


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kv_heads", {"MultiHeadAttention", "CrossAttention", "ModernDecoderBlock"}),
        ("label smoothing", {"CrossEntropy"}),
        ("rope theta", {"MultiHeadAttention", "RotaryPosition"}),
        ("scaled_linear", {"NoiseSchedule"}),
        ("capacity", {"MixtureOfExperts"}),
        ("dilation", {"Conv1d", "Conv2d", "ConvTranspose2d"}),
    ],
)
def test_blocks_are_found_by_their_parameters(catalogue: Catalogue, query: str, expected: set[str]) -> None:
    assert expected <= {entry.name for entry in block_entries(catalogue, query)}
    assert block_entries(catalogue, query)[0].name in expected or len(expected) > 1


def test_a_title_comes_before_a_parameter_of_that_name(catalogue: Catalogue) -> None:
    assert [entry.name for entry in block_entries(catalogue, "dropout")][0] == "Dropout"
    assert [entry.name for entry in block_entries(catalogue, "mask")][0] in ("MaskInput", "ApplyMask", "MaskedConv2d")
