"""Functions that block files share; the code exporter copies those that a model uses, so they know torch alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


class Scores(NamedTuple):
    """What attention multiplies: softmax(q kᵀ · scale + bias) v.

    q is (batch, heads, query, head_dim), k and v are (batch, kv_heads, key, head_dim), all after RoPE.
    `bias` is None or is added to the scores, (batch or 1, heads or 1, query, key), with -inf where nothing may be seen.
    `causal` hides later keys as well.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    bias: Tensor | None
    scale: float
    causal: bool


def attend(scores: Scores, dropout_p: float = 0.0) -> Tensor:
    """Attention in one fused kernel, (batch, heads, query, head_dim); a query that may see nothing gives zeros."""
    q, k, v, bias, scale, causal = scores
    return functional.scaled_dot_product_attention(
        q,
        k,
        v,
        attn_mask=bias,
        dropout_p=dropout_p,
        is_causal=causal,
        scale=scale,
        enable_gqa=bool(q.shape[1] != k.shape[1]),  # while tracing it may be a symbol
    )


def weigh(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    score_bias: Tensor | None,
    *,
    causal: bool,
    scale: float | None = None,
) -> Scores:
    """Gather what attention multiplies; mask, bias and causality become one tensor where there are several.

    `mask` is true where a query may look at a key; both tensors stretch to (batch, heads, query, key).
    """
    if scale is None:
        scale = 1.0 / math.sqrt(q.shape[-1])
    if mask is None and score_bias is None:
        return Scores(q, k, v, None, scale, causal)
    queries, keys = q.shape[-2], k.shape[-2]
    visible = mask
    if causal:  # the kernel takes either a mask or its own causality, not both
        key = torch.arange(keys, device=q.device)
        earlier = key <= torch.arange(queries, device=q.device).unsqueeze(-1)
        visible = earlier if mask is None else mask & earlier
    bias = q.new_zeros(()) if score_bias is None else score_bias.to(q.dtype)
    if visible is not None:
        bias = torch.where(visible, bias, -math.inf)
    bias = bias[(None,) * (4 - bias.dim())]
    return Scores(q, k, v, bias.expand(-1, -1, queries, keys), scale, False)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, seq, heads · head_dim) → (batch, heads, seq, head_dim)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(batch, heads, seq, head_dim) → (batch, seq, heads · head_dim)."""
    return x.transpose(1, 2).flatten(-2)


def wide(x: Tensor) -> torch.dtype:
    """The type in which angles are computed: float32, or float64 for float64."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def rotate(x: Tensor, *others: Tensor, theta: float, interleaved: bool) -> tuple[Tensor, ...]:
    """Rotary position embedding of tensors (batch, heads, seq, head_dim) that have one length.

    Feature pairs turn by position · theta^(-2i / head_dim). A pair is (i, i + head_dim / 2), or (2i, 2i + 1) when
    interleaved. Su et al. 2021, arXiv 2104.09864.
    """
    length, head_dim = x.shape[-2:]
    every_other = torch.arange(0, head_dim, 2, device=x.device, dtype=wide(x))
    frequency = 1.0 / theta ** (every_other / head_dim)
    position = torch.arange(length, device=x.device, dtype=wide(x))
    angle = position.unsqueeze(-1) * frequency
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    turned: list[Tensor] = []
    for tensor in (x, *others):
        if interleaved:
            a, b = tensor.unflatten(-1, (-1, 2)).unbind(-1)
            turned.append(torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2))
        else:
            a, b = tensor.chunk(2, -1)
            turned.append(torch.cat((a * cos - b * sin, b * cos + a * sin), -1))
    return tuple(turned)


def activate(x: Tensor, name: str) -> Tensor:
    """The activation of that name: gelu, gelu_tanh, relu or silu."""
    if name == "gelu":
        return functional.gelu(x)
    if name == "gelu_tanh":
        return functional.gelu(x, approximate="tanh")
    if name == "relu":
        return functional.relu(x)
    if name == "silu":
        return functional.silu(x)
    raise ValueError(f"there is no activation called {name!r}")


def start_linear_layers(module: nn.Module, std: float | None) -> None:
    """Start every linear layer inside with normal weights and zero biases; None keeps PyTorch's own start."""
    if std is None:
        return
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=std)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def start_within(bound: float, *tensors: Tensor | None) -> None:
    """Start tensors uniformly between -bound and bound; None stands for one that is left out."""
    for tensor in tensors:
        if tensor is not None:
            nn.init.uniform_(tensor, -bound, bound)


def reparametrize(module: nn.Module, kind: str, axis: int = 0) -> None:
    """Let a module compute its `weight` anew at each use; `axis` is that of the results.

    "spectral" divides it by its largest singular value, found by power iteration in training; "weight" makes it a
    direction times a length for each result; "none" leaves it.
    """
    if kind == "spectral":
        nn.utils.parametrizations.spectral_norm(module, dim=axis)
    elif kind == "weight":
        nn.utils.parametrizations.weight_norm(module)


def margins(kernel_size: int, dilation: int, padding: int | None) -> tuple[int, int]:
    """How much is added before and after an axis under a sliding window; a padding of None keeps its size."""
    if padding is not None:
        return padding, padding
    span = dilation * (kernel_size - 1)
    return span // 2, span - span // 2


class AxisOrder(NamedTuple):
    """A rearrangement as read from an einops pattern: for each axis before and after, the names it is made of."""

    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]


def read_axis_order(pattern: str) -> AxisOrder:
    """Read a pattern such as "b c (h p) w -> b (c p) h w".

    Names, groups in parentheses, 1 for an axis of size 1 and ... for any axes. An axis is a tuple of names; (), is
    an axis of size 1.

    Raises:
        ValueError: it is no such pattern; the message says why, as a clause.
    """
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("it needs exactly one '->' between the axes before and after")
    before, after = (_read_axes(side) for side in sides)
    names = [[name for axis in side for name in axis] for side in (before, after)]
    for side, given in zip(("before", "after"), names, strict=True):
        for name in given:
            if given.count(name) > 1:
                raise ValueError(f"`{name}` stands more than once {side} the arrow")
    for name in names[0]:
        if name not in names[1]:
            raise ValueError(f"`{name}` stands before the arrow and not after it")
    for name in names[1]:
        if name not in names[0]:
            raise ValueError(f"`{name}` stands after the arrow and not before it")
    if any("..." in axis and len(axis) > 1 for axis in before):
        raise ValueError("before the arrow '...' cannot stand in parentheses")
    return AxisOrder(before, after)


def _read_axes(side: str) -> tuple[tuple[str, ...], ...]:
    axes: list[tuple[str, ...]] = []
    group: list[str] | None = None
    for word in side.replace("(", " ( ").replace(")", " ) ").replace("...", " ... ").split():
        if word == "(":
            if group is not None:
                raise ValueError("a parenthesis stands inside another")
            group = []
        elif word == ")":
            if group is None:
                raise ValueError("a parenthesis is closed that was not opened")
            axes.append(tuple(group))
            group = None
        elif word != "1" and word != "..." and not word.isidentifier():
            raise ValueError(f"`{word}` is no axis name, 1, group or '...'")
        elif group is None:
            axes.append(() if word == "1" else (word,))
        elif word != "1":
            group.append(word)
    if group is not None:
        raise ValueError("a parenthesis is not closed")
    return tuple(axes)


def read_sizes(text: str) -> dict[str, int]:
    """Read sizes of axes such as "heads=12, p=16".

    Raises:
        ValueError: it is no such text; the message says why, as a clause.
    """
    sizes: dict[str, int] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        name, _, number = (word.strip() for word in part.partition("="))
        if not name.isidentifier() or not number.isdecimal() or int(number) < 1:
            raise ValueError(f"`{part.strip()}` is not of the form name=4")
        if name in sizes:
            raise ValueError(f"`{name}` has two sizes")
        sizes[name] = int(number)
    return sizes


def write_out(order: AxisOrder, rank: int) -> AxisOrder:
    """The same order for a tensor of that rank, with a name for each axis that ... stands for."""
    if ("...",) not in order.before:
        return order
    hidden = tuple(f"...{number}" for number in range(rank - len(order.before) + 1))
    at = order.before.index(("...",))
    before = order.before[:at] + tuple((name,) for name in hidden) + order.before[at + 1 :]
    after: list[tuple[str, ...]] = []
    for axis in order.after:
        if axis == ("...",):
            after.extend((name,) for name in hidden)
        elif "..." in axis:
            at = axis.index("...")
            after.append(axis[:at] + hidden + axis[at + 1 :])
        else:
            after.append(axis)
    return AxisOrder(before, tuple(after))


def rearrange(x: Tensor, order: AxisOrder, sizes: dict[str, int], like: Tensor | None = None) -> Tensor:
    """Split, reorder and merge axes; `like` has the axes after the arrow and gives sizes that x cannot tell."""
    before, after = write_out(order, x.dim())
    known = dict(sizes)
    seen = list(zip(before, x.shape, strict=True))
    if like is not None:
        seen += [*zip(after, like.shape, strict=True), *seen]
    for axis, size in seen:
        unknown = [name for name in axis if name not in known]
        if len(unknown) == 1:
            known[unknown[0]] = size // _product(axis, known)
    split = [name for axis in before for name in axis]
    merged = [name for axis in after for name in axis]
    if any(len(axis) != 1 for axis in before):
        x = x.reshape([known[name] for name in split])
    if split != merged:
        x = x.permute([split.index(name) for name in merged])
    if any(len(axis) != 1 for axis in after):
        x = x.reshape([_product(axis, known) for axis in after])
    return x


def _product(axis: tuple[str, ...], known: dict[str, int]) -> int:
    product = 1
    for name in axis:
        product *= known.get(name, 1)
    return product
