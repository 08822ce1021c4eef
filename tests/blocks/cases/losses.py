from __future__ import annotations

import math

import numpy as np
from cases.call import Call
from cases.drawing import AXES, fixed
from cases.numbers import sigmoid
from hypothesis import strategies as st

PAIR = {"prediction": "batch 6 height width", "target": "batch 6 height width"}
SCORES = {"logits": "batch seq 11", "target": "batch seq"}
LATENT = {"mean": "batch 5", "log_variance": "batch 5"}
PREDICTED = {"predicted": "batch 6 height width", "noise": "batch 6 height width"}
PLAYERS = ("discriminator", "generator")
WAYS = ("mean", "sample_sum")


def gathered(p, each):
    """The mean of everything, or the sum over each sample and then the mean."""
    return each.mean() if p["reduction"] == "mean" else each.reshape(len(each), -1).sum(1).mean()


def crossed(p, logits, target):
    """One position at a time; the right class has what smoothing leaves it, all classes share the rest."""
    classes, smoothing = logits.shape[-1], p["label_smoothing"]
    losses = []
    for scores, right in zip(logits.reshape(-1, classes), target.reshape(-1), strict=True):
        if right == p["ignored"]:
            continue
        log_shares = scores - scores.max() - np.log(np.exp(scores - scores.max()).sum())
        wanted = np.full(classes, smoothing / classes)
        wanted[right] += 1 - smoothing
        losses.append(-(wanted * log_shares).sum())
    return np.mean(losses)


def binary(p, logits, target):
    return gathered(p, -target * np.log(sigmoid(logits)) - (1 - target) * np.log(1 - sigmoid(logits)))


def unlikely(p, z, log_determinant):
    rows = z.reshape(len(z), -1)
    densities = np.prod(np.exp(-(rows**2) / 2) / math.sqrt(2 * math.pi), 1) * np.exp(log_determinant)
    nats = -np.log(densities).mean()
    return nats if p["unit"] == "nats" else nats / math.log(2) / rows.shape[1]


def denoised(predicted, noise, weight):
    each = ((noise - predicted) ** 2).reshape(len(noise), -1).mean(1)
    return (each * (1 if weight is None else weight)).mean()


def hinged(fake, real):
    if real is None:
        return -fake.mean()
    return np.maximum(0, 1 - real).mean() + np.maximum(0, 1 + fake).mean()


def fooled(fake, real):
    if real is None:
        return -np.log(sigmoid(fake)).mean()
    return -np.log(sigmoid(real)).mean() - np.log(1 - sigmoid(fake)).mean()


CALLS = [
    *(Call(name, PAIR, {"reduction": way}) for name in ("MSELoss", "L1Loss") for way in WAYS),
    *(
        Call("BinaryCrossEntropy", {"logits": "batch seq 5", "target": "batch seq 5"}, {"reduction": way})
        for way in WAYS
    ),
    Call("CrossEntropy", SCORES),
    Call("CrossEntropy", SCORES, {"label_smoothing": 0.1, "ignored": 3}),
    Call("CrossEntropy", {"logits": "batch 11", "target": "batch"}),
    Call("KLDivergence", LATENT),
    Call("KLDivergence", {"mean": "batch 2 height width", "log_variance": "batch 2 height width"}),
    *(
        Call(
            name,
            {"fake": "batch 1", "real": "batch seq"} if player == "discriminator" else {"fake": "batch 1"},
            {"player": player},
        )
        for name in ("HingeGAN", "NonSaturatingGAN")
        for player in PLAYERS
    ),
    Call("FlowLikelihood", {"z": "batch 6 seq", "log_determinant": "batch"}),
    Call("FlowLikelihood", {"z": "batch 6", "log_determinant": "batch"}, {"unit": "bits per dimension"}),
    Call("NoisePrediction", PREDICTED),
    Call("NoisePrediction", PREDICTED | {"weight": "batch"}),
]

REFERENCES = {
    "MSELoss": lambda p, s, prediction, target: gathered(p, (prediction - target) ** 2),
    "L1Loss": lambda p, s, prediction, target: gathered(p, np.abs(prediction - target)),
    "BinaryCrossEntropy": lambda p, s, logits, target: binary(p, logits, target),
    "CrossEntropy": lambda p, s, logits, target: crossed(p, logits, target),
    "KLDivergence": lambda p, s, mean, log_variance: (
        (mean**2 + np.exp(log_variance) - 1 - log_variance).reshape(len(mean), -1).sum(1).mean() / 2
    ),
    "HingeGAN": lambda p, s, fake, real=None: hinged(fake, real),
    "NonSaturatingGAN": lambda p, s, fake, real=None: fooled(fake, real),
    "FlowLikelihood": lambda p, s, z, log_determinant: unlikely(p, z, log_determinant),
    "NoisePrediction": lambda p, s, predicted, noise, weight: denoised(predicted, noise, weight),
}


@st.composite
def alike(draw, *ports, **choices):
    """Inputs of one shape; of others torch would stretch one, and the loss would mean something else."""
    shape = " ".join(AXES[: draw(st.integers(1, 4))])
    return draw(st.fixed_dictionaries(choices)), dict.fromkeys(ports, shape)


way = st.sampled_from(WAYS)
players = [
    ({"player": "discriminator"}, {"fake": "batch 1", "real": "seq height"}),
    ({"player": "generator"}, {"fake": "batch 1"}),
]
STRATEGIES = {
    "MSELoss": alike("prediction", "target", reduction=way),
    "L1Loss": alike("prediction", "target", reduction=way),
    "BinaryCrossEntropy": alike("logits", "target", reduction=way),
    "CrossEntropy": fixed({"logits": "batch seq 11", "target": "batch seq"}),
    "KLDivergence": alike("mean", "log_variance"),
    "HingeGAN": st.sampled_from(players),
    "NonSaturatingGAN": st.sampled_from(players),
    "FlowLikelihood": fixed({"z": "batch seq height", "log_determinant": "batch"}),
    "NoisePrediction": alike("predicted", "noise"),
}
