"""Finding by a few letters."""

from __future__ import annotations

import pytest

from app.catalogue import BlockCard, Catalogue
from app.palette import block_entries
from app.search import best, ranked, score


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


def test_blocks_are_found_by_old_habits() -> None:
    import blocks

    catalogue = Catalogue(
        tuple(
            BlockCard(name, block.title, block.category, block.summary(), tuple(block.synonyms), block.role)
            for name, block in blocks.catalogue().items()
        )
    )
    for query, name in (
        ("dense", "Linear"), ("einops", "Rearrange"), ("residual", "Add"), ("mlp", "FeedForward"), ("cat", "Concat"),
        ("mha", "MultiHeadAttention"), ("sdpa", "ScaledDotProductAttention"), ("upsampling", "UpSample"),
        ("batchnorm", "BatchNorm"), ("text", "TokenInput"), ("picture", "ImageInput"), ("swish", "SiLU"),
    ):  # fmt: skip
        assert name in [entry.name for entry in block_entries(catalogue, query)][:5], query
