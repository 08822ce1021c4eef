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


def weight_of(s):
    """The weight that a state stands for, however it is kept in bounds; results come first."""
    if "weight" in s:
        return s["weight"]
    name = "parametrizations.weight."
    if f"{name}original" not in s:
        length, direction = s[f"{name}original0"], s[f"{name}original1"]
        return length * direction / np.sqrt((direction**2).sum(tuple(range(1, direction.ndim)), keepdims=True))
    weight, u, v = s[f"{name}original"], s[f"{name}0._u"], s[f"{name}0._v"]
    axis = 0 if len(u) == len(weight) and len(v) == weight.size // len(weight) else 1
    flat = np.moveaxis(weight, axis, 0).reshape(len(u), -1)
    return weight / (u @ flat @ v)
