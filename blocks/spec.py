"""The declaration of a block: one torch module that says what it is called, takes, gives and needs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

from torch import nn

from blocks.rules import Choice, Flag, Number, Ratio, Rule, Size, Text
from blocks.shapes import Incoming, Needs, Params, Shape, axes_of, fill, unify

__all__ = [
    "CATEGORIES",
    "DTYPES",
    "KINDS",
    "Block",
    "Choice",
    "Conflict",
    "Flag",
    "Number",
    "Param",
    "Port",
    "Ratio",
    "Rule",
    "Size",
    "Text",
]

KINDS = ("tokens", "features", "image", "mask", "number")
DTYPES = ("float", "integer", "bool", "any")
CATEGORIES = {
    "sources": "Sources",
    "linear": "Linear",
    "convolution": "Convolution",
    "pooling": "Pooling",
    "recurrent": "Recurrent",
    "normalization": "Normalization",
    "activation": "Activation",
    "attention": "Attention",
    "position": "Position",
    "transformer": "Transformer",
    "mixture": "Mixture of experts",
    "flow": "Flow",
    "diffusion": "Diffusion and image",
    "arithmetic": "Arithmetic",
    "reshaping": "Reshaping",
    "regularization": "Regularization",
    "outputs": "Outputs",
    "losses": "Losses",
    "structure": "Structure",
}
"""Folder → the heading in the palette, in the palette's order."""


@dataclass(frozen=True)
class Param:
    """One parameter of a block, read off its signature."""

    name: str
    type: type
    default: Any
    rule: Rule
    optional: bool = False

    @cached_property
    def from_wire(self) -> bool:
        """Whether a new node reads this parameter off the wire that comes in."""
        return isinstance(self.rule, Size) and self.rule.from_wire

    def fault(self, value: Any) -> str | None:
        """Why a value will not do, as the end of a sentence, or None when it will."""
        if value is None:
            return None if self.optional else "must be set"
        return self.rule.fault(value)


@dataclass(frozen=True)
class Port:
    """One input or output.

    Args:
        pattern: the axes, see `blocks.shapes`.
        kind: what travels, for the colour of the wire; an output without one takes that of the first input.
        dtype: float, integer, bool or any; an output without one takes that of the first input.
        optional: an input that may stay unwired.
        many: an input that takes any number of wires, in order.
        doc: one line on what it carries.
        below: a parameter or an axis, perhaps with something added ("vocab", "context + 1"): an output gives whole
            numbers from 0 up to, not including, that; an input takes only these, and of real numbers the larger ones
            for its largest.
        keeps: the input whose values an output gives on, moved or left out, with none that is new.
    """

    pattern: str
    kind: str | None = None
    dtype: str | None = None
    optional: bool = False
    many: bool = False
    doc: str = ""
    below: str = ""
    keeps: str = ""

    def __post_init__(self) -> None:
        axes_of(self.pattern)
        if not re.fullmatch(r"([a-z_]+( \+ [0-9]+)?)?", self.below):
            raise ValueError(f"below is {self.below!r}, not a name, perhaps with a number added, as 'context + 1'")
        if self.kind is not None and self.kind not in KINDS:
            raise ValueError(f"kind {self.kind!r} is not one of {KINDS}")
        if self.dtype is not None and self.dtype not in DTYPES:
            raise ValueError(f"dtype {self.dtype!r} is not one of {DTYPES}")

    @property
    def bound(self) -> tuple[str, int]:
        """`below` in two: the name, and what is added to it."""
        name, _, more = self.below.partition(" + ")
        return name, int(more or 0)


@dataclass(frozen=True)
class Conflict:
    """Parameters of one block that do not go together.

    Args:
        param: the parameter to look at.
        found: what is set, as a clause ("12 heads do not divide 100 features").
        needed: what would do, as a clause ("`num_heads` must divide `dim`").
        repair: values that mend it.
        fatal: False for what runs but is probably not meant; it warns.
    """

    param: str
    found: str
    needed: str
    repair: Mapping[str, Any] = field(default_factory=dict)
    fatal: bool = True


class Block(nn.Module):
    """A palette entry and an ordinary torch module in one class.

    A subclass gives `inputs`, `outputs`, a keyword-only `__init__` whose annotations carry a rule each, and
    `forward`, whose arguments are the inputs in order. The first line of the docstring is the tooltip, the rest is
    the help page, below `equation`: what the block computes, in LaTeX, of several lines with a double backslash
    between; a wide space (quad) is where a line may be broken. See docs/architecture.md.
    """

    category: ClassVar[str] = ""
    title: ClassVar[str] = ""
    equation: ClassVar[str] = ""
    synonyms: ClassVar[tuple[str, ...]] = ()
    was: ClassVar[tuple[str, ...]] = ()
    role: ClassVar[str] = "module"
    shown: ClassVar[tuple[str, ...]] = ()
    inputs: ClassVar[Mapping[str, Any]] = {}
    outputs: ClassVar[Mapping[str, Any]] = {}
    _params: ClassVar[tuple[Param, ...] | None] = None

    def __init_subclass__(cls, *, category: str | None = None, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        if category is None:  # a class that blocks share, not a block
            return
        cls.category = category
        cls._params = None
        if "title" not in vars(cls):
            cls.title = _title(cls.__name__)
        if "was" not in vars(cls):
            cls.was = ()
        _check_category(cls)
        cls.inputs = {name: _port(cls, name, port, "any", True) for name, port in cls.inputs.items()}
        cls.outputs = {name: _port(cls, name, port, None, False) for name, port in cls.outputs.items()}
        if not (cls.__doc__ or "").strip():
            raise TypeError(f"{cls.__name__}: the docstring is missing; its first line is the tooltip")
        _check_params(cls)
        _check_values(cls)
        if cls.role == "module":
            _check_forward(cls)

    @classmethod
    def params(cls) -> tuple[Param, ...]:
        """The parameters in the order of the signature."""
        if cls._params is None:
            cls._params = tuple(_read_params(cls))
        return cls._params

    @classmethod
    def ports(cls, params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
        """Inputs and outputs under given parameters; override where they depend on them."""
        return dict(cls.inputs), dict(cls.outputs)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Shapes out, given shapes in; override only where a pattern cannot say it.

        Raises:
            ShapeClash: the shapes cannot go in.
        """
        inputs, outputs = cls.ports(params)
        axes = cls.unify(inputs, shapes, params, need)
        return {name: fill(port.pattern, axes, params) for name, port in outputs.items()}

    @classmethod
    def unify(cls, inputs: Mapping[str, Port], shapes: Incoming, params: Params, need: Needs) -> dict[str, Any]:
        """The size of each axis that the input patterns name."""
        triples: list[tuple[str, str, Shape]] = []
        for name, port in inputs.items():
            if name not in shapes:
                continue
            arrived = shapes[name] if port.many else (shapes[name],)
            triples.extend((name, port.pattern, shape) for shape in arrived)
        return unify(triples, params, need, cls.words())

    @classmethod
    def words(cls) -> Mapping[str, str]:
        """What each parameter counts, for messages."""
        table = vars(cls).get("_words")
        if table is None:
            table = {param.name: param.rule.doc for param in cls.params()}
            cls._words = table
        return table

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Parameters that are each fine and do not go together."""
        return iter(())

    @classmethod
    def takes(cls, port: str, largest: int, below: int, params: Params) -> bool:
        """Whether an input takes whole numbers up to the largest; `below` is the bound of its port."""
        return largest < below

    @classmethod
    def cached_values(cls, params: Params) -> Mapping[str, int]:
        """Input → numbers kept of each of its tokens and samples while decoding; nothing for blocks without a cache."""
        return {}

    @classmethod
    def behind(cls, kind: str) -> Mapping[str, Any]:
        """What a new node starts with behind a wire of that kind, where the defaults would seldom be meant."""
        return {}

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """Whether under these parameters it gives just what it receives, in training too."""
        return False

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]


def _title(name: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    first, *rest = words.split(" ")
    return " ".join([first, *(word if word.isupper() else word.lower() for word in rest)])


def _check_category(cls: type[Block]) -> None:
    package, _, rest = cls.__module__.partition(".")
    if package == "blocks" and "." in rest:
        folder = rest.partition(".")[0]
        if CATEGORIES.get(folder) != cls.category:
            raise TypeError(
                f"{cls.__name__}: it lives in blocks/{folder}, so its category is {CATEGORIES.get(folder)!r}, "
                f"not {cls.category!r}"
            )


def _port(cls: type[Block], name: str, port: Any, dtype: str | None, is_input: bool) -> Port:
    if not name.isidentifier():
        raise TypeError(f"{cls.__name__}: port name {name!r} is no Python name")
    try:
        if isinstance(port, str):
            port = Port(port, dtype="float" if is_input else None)
        elif not isinstance(port, Port):
            raise ValueError(f"{port!r} is neither a pattern nor a Port")
        elif is_input and port.dtype is None:
            port = replace(port, dtype=dtype)
    except ValueError as error:
        raise TypeError(f"{cls.__name__}, port {name}: {error}") from None
    if not is_input and (port.many or port.optional):
        raise TypeError(f"{cls.__name__}, port {name}: only inputs are optional or take many wires")
    return port


def _read_params(cls: type[Block]) -> Iterator[Param]:
    init = cls.__init__
    if init is nn.Module.__init__ or init is Block.__init__:
        return
    hints = get_type_hints(init, include_extras=True)
    for parameter in list(inspect.signature(init).parameters.values())[1:]:
        where = f"{cls.__name__}, parameter {parameter.name}"
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            raise TypeError(f"{where}: parameters are keyword-only; put a * before them")
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"{where}: a default is missing; dropping a block must always work")
        hint = hints.get(parameter.name)
        if get_origin(hint) is not Annotated:
            raise TypeError(f"{where}: write Annotated[type, rule]; the rule gives the form and the limits")
        base, *rules = get_args(hint)
        if len(rules) != 1 or not callable(getattr(rules[0], "fault", None)):
            raise TypeError(f"{where}: it needs exactly one rule such as Size or Choice")
        members = [kind for kind in get_args(base) if kind is not type(None)] or [base]
        optional = type(None) in get_args(base)
        if len(members) != 1 or members[0] not in (int, float, bool, str):
            raise TypeError(f"{where}: its type is int, float, bool or str, perhaps with None; not {base}")
        param = Param(parameter.name, members[0], parameter.default, rules[0], optional)
        fault = param.fault(param.default)
        if fault:
            raise TypeError(f"{where}: the default {fault}")
        yield param


def _check_params(cls: type[Block]) -> None:
    params = {param.name: param for param in cls.params()}
    axes = {axis for port in cls.inputs.values() for axis in axes_of(port.pattern)}
    for param in params.values():
        if param.from_wire and param.name not in axes:
            raise TypeError(
                f"{cls.__name__}, parameter {param.name}: it is to be read off a wire, but no input has such an axis"
            )
    for name in cls.shown:
        if name not in params:
            raise TypeError(f"{cls.__name__}: it shows {name!r}, which is no parameter of it")


def _check_values(cls: type[Block]) -> None:
    named = {param.name for param in cls.params()} | {
        axis for port in cls.inputs.values() for axis in axes_of(port.pattern)
    }
    for name, port in (*cls.inputs.items(), *cls.outputs.items()):
        if port.below and port.bound[0] not in named:
            raise TypeError(f"{cls.__name__}, port {name}: {port.bound[0]!r} is no parameter of it, nor an axis")
        if port.keeps and (port is cls.inputs.get(name) or port.keeps not in cls.inputs):
            raise TypeError(f"{cls.__name__}, port {name}: an output keeps the values of an input, not {port.keeps!r}")


def _check_forward(cls: type[Block]) -> None:
    if cls.ports.__func__ is not Block.ports.__func__:  # type: ignore[attr-defined]
        return  # the ports depend on parameters: the contract tests compare them
    given: list[str] = []
    for parameter in list(inspect.signature(cls.forward).parameters.values())[1:]:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.name == "cache":
            continue
        given.append(parameter.name)
        port = cls.inputs.get(parameter.name)
        if port is None:
            continue
        if port.many != (parameter.kind is inspect.Parameter.VAR_POSITIONAL):
            raise TypeError(
                f"{cls.__name__}: port {parameter.name} takes many wires, so forward takes *{parameter.name}"
            )
        if port.optional and parameter.default is not None:
            raise TypeError(f"{cls.__name__}: port {parameter.name} is optional, so forward gives it the default None")
    if given != list(cls.inputs):
        raise TypeError(f"{cls.__name__}: forward takes {given}, but its ports are {list(cls.inputs)}")
