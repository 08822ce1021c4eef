import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graph.probes.activations import BINS, SAMPLE, _sample, measure


@given(st.integers(0, 2**31), st.sampled_from([(3,), (1, 7, 5), (2, 3, 4, 5), ()]), st.floats(-50, 50), st.floats(0, 9))
def test_figures_equal_those_of_float64(seed, shape, mean, std):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * std + mean
    data, wide = measure(x), x.double()
    assert data["shape"] == list(shape) and data["dtype"] == "float32"
    assert data["mean"] == pytest.approx(wide.mean().item(), rel=1e-5, abs=1e-5)
    assert data["std"] == pytest.approx(wide.std(correction=0).item(), rel=1e-3, abs=1e-6)
    assert (data["min"], data["max"]) == (x.min().item(), x.max().item())
    assert data["norm"] == pytest.approx(wide.norm().item(), rel=1e-5)
    assert data["nan"] == data["inf"] == 0
    assert data["histogram"]["counts"].sum() == x.numel()


def test_a_small_spread_about_a_large_mean_is_not_lost():
    x = torch.full((1000,), 1000.0)
    x[::2] += 0.25
    assert measure(x)["std"] == pytest.approx(0.125, rel=1e-3)
    assert measure(torch.full((1000,), 0.1))["std"] == 0.0


def test_nan_and_inf_are_counted_in_full_and_left_out():
    x = torch.arange(200_000, dtype=torch.float32)
    x[123_457] = math.nan
    x[[5, 6]] = math.inf
    x[7] = -math.inf
    data = measure(x)
    assert (data["nan"], data["inf"]) == (1, 3)
    assert (data["min"], data["max"]) == (0.0, 199_999.0)
    assert math.isfinite(data["mean"]) and math.isfinite(data["std"]) and math.isfinite(data["norm"])
    nothing = measure(torch.full((4,), math.nan))
    assert nothing["mean"] is None and nothing["nan"] == 4 and nothing["histogram"]["counts"].sum() == 0


def test_a_sum_that_overflows_is_no_inf():
    data = measure(torch.full((4,), 3e38))
    assert data["inf"] == 0 and data["mean"] == pytest.approx(3e38) and data["norm"] == pytest.approx(6e38)


def test_exponents_tell_what_float16_would_lose():
    data = measure(torch.tensor([0.0, 1.0, -1.5, 2.0, 70000.0, 1e-30]))
    low, counts = data["exponents"]["low"], data["exponents"]["counts"]
    found = {low + place: int(count) for place, count in enumerate(counts) if count}
    assert found == {-100: 1, 0: 2, 1: 1, 16: 1}
    assert data["zeros"] == pytest.approx(1 / 6)
    assert measure(torch.zeros(3))["exponents"]["counts"].size == 0


@pytest.mark.parametrize("dtype", (torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.bool))
def test_every_number_type(dtype):
    x = torch.tensor([0, 1, 1, 0]).to(dtype)
    data = measure(x)
    assert (data["mean"], data["min"], data["max"], data["zeros"]) == (0.5, 0.0, 1.0, 0.5)
    assert data["dtype"] == str(dtype).removeprefix("torch.")


def test_an_empty_tensor_has_no_figures():
    data = measure(torch.zeros(0, 3))
    assert data["shape"] == [0, 3] and data["mean"] is None and "histogram" not in data


@given(st.integers(1, 2_000_000))
def test_samples_are_spread_over_every_feature(length):
    flat = torch.arange(length, dtype=torch.float64)
    sample = _sample(flat, SAMPLE)
    assert 0 < len(sample) <= SAMPLE
    if length > SAMPLE:
        step = int(sample[1] - sample[0])
        assert math.gcd(step, length) == 1
        assert len(sample) > SAMPLE // 4 or length < 4 * SAMPLE


def test_a_histogram_covers_from_the_least_to_the_most():
    x = torch.linspace(-2, 6, 10_000)
    histogram = measure(x)["histogram"]
    assert len(histogram["edges"]) == BINS + 1
    assert histogram["edges"][[0, -1]].tolist() == [-2.0, 6.0]
    assert np.ptp(histogram["counts"]) <= 2
    exact = measure(torch.randn(200_000), exact=True)
    assert exact["histogram"]["counts"].sum() == 200_000
