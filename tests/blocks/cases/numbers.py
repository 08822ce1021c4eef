"""Formulas in numpy that references of several folders share."""

from __future__ import annotations

import math

import numpy as np

erf = np.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x):
    return np.where(x > 0, x, 0)


def softmax(x, axis=-1):
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


def affine(x, state, name):
    y = np.einsum("...i,oi->...o", x, state[f"{name}weight"])
    return y + state.get(f"{name}bias", 0)


def normalised(x, axes, eps, center=True):
    mean = x.mean(axes, keepdims=True) if center else 0
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)


def per_channel(vector, x):
    return vector.reshape(1, -1, *[1] * (x.ndim - 2))
