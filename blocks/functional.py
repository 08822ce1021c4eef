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
    """Attention in one fused kernel, (batch, heads, query, value_dim); a query that may see nothing gives zeros.

    What torch's kernels do not take as it is, and would build all scores for, is brought into a form that they take:
    values as long as keys; on a GPU features in eights, and with a bias or in 32 bits keys and values for every head.
    """
    q, k, v, bias, scale, causal = scores
    value_dim = v.shape[-1]
    width = max(q.shape[-1], value_dim)
    if q.is_cuda:
        width += -width % 8
        if bias is not None or q.dtype == torch.float32:
            k, v = for_every_head(k, q.shape[1]), for_every_head(v, q.shape[1])
    found = functional.scaled_dot_product_attention(
        widen(q, width),
        widen(k, width),
        widen(v, width),
        attn_mask=bias,
        dropout_p=dropout_p,
        is_causal=causal,
        scale=scale,
        enable_gqa=bool(q.shape[1] != k.shape[1]),  # while tracing it may be a symbol
    )
    return found if width == value_dim else found[..., :value_dim]


def for_every_head(x: Tensor, heads: int) -> Tensor:
    """Keys or values that heads share, (batch, kv_heads, key, size), repeated for each of `heads`."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], 1)


def widen(x: Tensor, width: int) -> Tensor:
    """Features that are zero behind the others, up to `width` of them: they change no score, and no other feature."""
    return x if x.shape[-1] == width else functional.pad(x, (0, width - x.shape[-1]))


def weigh(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    score_bias: Tensor | None,
    *,
    causal: bool,
    scale: float | None = None,
    window: int | None = None,
    prefix: Tensor | None = None,
    decoding: bool = False,
) -> Scores:
    """Gather what attention multiplies; where there are several of mask, bias and patterns, they become one tensor.

    `mask` is true where a query may look at a key; it and the bias stretch to (batch, heads, query, key). For `window`
    and `prefix` see `reach`. `decoding` says that queries stand at the end of more keys: the kernel's own causality
    takes them to stand at the beginning.
    """
    if scale is None:
        scale = 1.0 / math.sqrt(q.shape[-1])
    if mask is None and score_bias is None and window is None and prefix is None and not (causal and decoding):
        return Scores(q, k, v, None, scale, causal)
    visible = mask
    if causal or window is not None or prefix is not None:  # the kernel takes either a mask or its own causality
        near = reach(q, k, causal=causal, window=window, prefix=prefix)
        visible = near if mask is None else mask & near
    bias = q.new_zeros(()) if score_bias is None else score_bias.to(q.dtype)
    if visible is not None:
        bias = torch.where(visible, bias, -math.inf)
    bias = bias[(None,) * (4 - bias.dim())]
    return Scores(q, k, v, bias.expand(-1, -1, q.shape[-2], k.shape[-2]), scale, False)


def reach(q: Tensor, k: Tensor, *, causal: bool, window: int | None = None, prefix: Tensor | None = None) -> Tensor:
    """Where queries may look at keys by their places alone: bools, (query, key), with a prefix (batch, 1, query, key).

    The last query stands at the last key. `causal` hides later keys; `prefix` does so too, save for the first keys of
    each sample, so many of them, which all may see. `window` hides keys that are that far away or farther.
    """
    key = torch.arange(k.shape[-2], device=q.device)
    query = torch.arange(k.shape[-2] - q.shape[-2], k.shape[-2], device=q.device)
    distance = query.unsqueeze(-1) - key
    if window is not None and not causal and prefix is None:
        return distance.abs() < window
    visible = distance >= 0
    if prefix is not None:
        visible = visible | (key < prefix[:, None, None, None])
    if window is not None:
        visible = visible & (distance.abs() < window)
    return visible


def add_sink(scores: Scores, sink: Tensor | None) -> Scores:
    """Give every head one more key, the last one, whose score is `sink`, (heads), and whose value is zero.

    It takes probability and adds nothing: the others share 1 - p. Its score needs no tensor as large as all scores: it
    travels as one more feature, a number in q that meets a 1 in this key. Features grow by 8, as kernels like it; what
    the kernel gives has to be cut back.
    """
    if sink is None:
        return scores
    q, k, v, bias, scale, causal = scores
    batch, _, queries, features = q.shape
    score = (sink / scale).to(q.dtype)[:, None, None].expand(batch, -1, queries, 1)
    key = functional.pad(k.new_ones(1), (features, 7)).expand(batch, k.shape[1], 1, -1)
    if causal:
        bias = torch.where(reach(q, k, causal=True), q.new_zeros(()), -math.inf)[None, None]
    return Scores(
        torch.cat((q, functional.pad(score, (0, 7))), -1),
        torch.cat((functional.pad(k, (0, 8)), key), -2),
        functional.pad(v, (0, 8, 0, 1)),
        None if bias is None else functional.pad(bias, (0, 1)),
        scale,
        False,
    )


def alibi_slopes(x: Tensor, heads: int) -> Tensor:
    """How steeply the bias of each head falls with distance, (heads): 2^(-8/n), 2^(-16/n) … for n heads.

    Where n is no power of two, those of the power below, then every other one of the power above.
    """
    whole = 1 << (heads.bit_length() - 1)
    exponent = torch.arange(1, whole + 1, device=x.device, dtype=wide(x)) * (8 / whole)
    if heads > whole:
        between = torch.arange(1, 2 * (heads - whole), 2, device=x.device, dtype=wide(x)) * (4 / whole)
        exponent = torch.cat((exponent, between))
    return torch.exp2(-exponent)


def alibi(q: Tensor, k: Tensor, heads: int) -> Tensor:
    """What ALiBi adds to the scores, (heads, query, key): minus slope times distance. arXiv 2108.12409.

    The last query stands at the last key.
    """
    key = torch.arange(k.shape[-2], device=q.device, dtype=wide(q))
    query = torch.arange(k.shape[-2] - q.shape[-2], k.shape[-2], device=q.device, dtype=wide(q))
    distance = (query.unsqueeze(-1) - key).abs()
    return (-alibi_slopes(q, heads)[:, None, None] * distance).to(q.dtype)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, seq, heads · head_dim) → (batch, heads, seq, head_dim)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(batch, heads, seq, head_dim) → (batch, seq, heads · head_dim)."""
    return x.transpose(1, 2).flatten(-2)


def wide(x: Tensor) -> torch.dtype:
    """The type in which angles are computed: float32, or float64 for float64."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


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


class AxisOrder(NamedTuple):
    """A rearrangement as read from an einops pattern: for each axis before and after, the names it is made of."""

    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]


def read_axis_order(pattern: str) -> AxisOrder:
    """Read a pattern such as "b c (h p) w -> b (c p) h w".

    Names, groups in parentheses, 1 for an axis of size 1 and ... for any axes. An axis is a tuple of names; (), is
    an axis of size 1, and "(...)" is the name of any axes laid into one.

    Raises:
        ValueError: it is no such pattern; the message says why, as a clause.
    """
    order = read_axes(pattern)
    names = [names_of(side) for side in order]
    for name in names[0]:
        if name not in names[1]:
            raise ValueError(f"`{name}` stands before the arrow and not after it")
    for name in names[1]:
        if name not in names[0]:
            raise ValueError(f"`{name}` stands after the arrow and not before it")
    return order


def read_axes(pattern: str) -> AxisOrder:
    """Read the axes before and after an arrow, each name at most once on a side.

    Raises:
        ValueError: it is no such pattern; the message says why, as a clause.
    """
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("it needs exactly one '->' between the axes before and after")
    before, after = (_read_axes(side) for side in sides)
    names = [names_of(side) for side in (before, after)]
    for side, given in zip(("before", "after"), names, strict=True):
        for name in given:
            if given.count(name) > 1:
                raise ValueError(f"`{name}` stands more than once {side} the arrow")
    if any("..." in names_of((axis,)) and axis != ("...",) for axis in before):
        raise ValueError("before the arrow '...' cannot stand in parentheses")
    return AxisOrder(before, after)


def names_of(axes: tuple[tuple[str, ...], ...]) -> list[str]:
    """The names that axes are made of, in order."""
    return ["..." if name == "(...)" else name for axis in axes for name in axis]


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
            axes.append(("(...)",) if group == ["..."] else tuple(group))
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
        elif axis == ("(...)",):
            after.append(hidden)
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
