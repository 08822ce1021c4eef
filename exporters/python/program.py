"""A plan as the text of one Python file."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from exporters.python import facts, writing
from exporters.python.calls import Calls
from exporters.python.construction import Construction
from exporters.python.groups import GroupClass, Groups, blocks_of, wired_ports
from exporters.python.inlining import is_expression
from exporters.python.library import Library, Use, library
from exporters.python.names import phrase
from exporters.python.native import native
from exporters.python.sources import Import
from exporters.trials import shape_of
from graph.sizes import default_sizes

if TYPE_CHECKING:
    from graph.plan import Entry, Plan

HEADER = '''"""{title}: a PyTorch model, drawn with Blockwright.

It needs nothing but torch, and safetensors to load the weights that lie beside it:

    model = Model.load()
    {results} = model({inputs})
"""

from __future__ import annotations
'''

LOAD = '''
    @classmethod
    def load(cls, path: str | Path = Path(__file__).with_suffix(".safetensors")) -> Model:
        """The model with the weights of a file, ready to run."""
        from safetensors.torch import load_model

        model = cls()
        load_model(model, path)
        return model.eval()
'''


def program(plan: Plan) -> str:
    """The file's text."""
    shared = library(_uses(plan))
    groups = Groups(plan, shared.names)
    taken = shared.names | {cls.name for cls in groups.classes} | {"torch", "functional", "math", "Tensor", "Path"}
    imports = {*shared.imports, Import("pathlib", "Path", "Path"), Import("torch", "Tensor", "Tensor")}
    sections = ["\n".join(text) for text in shared.texts]
    for cls in groups.classes:
        calls = Calls(cls, groups, taken)
        sections.append("\n".join(_class(cls, groups, shared, calls, [f'"""{_sentence(cls)}"""'])))
        imports |= calls.imports
    calls = Calls(groups.top, groups, taken)
    model = _class(groups.top, groups, shared, calls, _interface(plan, groups))
    sections.append("\n".join(model) + "\n" + LOAD.rstrip())
    imports |= calls.imports
    sections.append("\n".join(_demonstration(plan, imports)))
    head = HEADER.format(
        title=writing.one_line(plan.title) or "Model",
        results=", ".join(exit.name for exit in plan.exits),
        inputs=", ".join(calls.inputs),
    )
    return "\n\n\n".join((f"{head}\n{_import_lines(imports)}", *sections)) + "\n"


def _uses(plan: Plan) -> frozenset[Use]:
    params: dict[type, dict[str, set[facts.Atom]]] = {}
    ports: dict[type, dict[str, set[facts.Atom]]] = {}
    for step in blocks_of(plan):
        if is_expression(step) or native(step):
            continue
        for name, value in step.params.items():
            params.setdefault(step.block, {}).setdefault(name, set()).add(facts.atom(value, exact=False))
        for name, wired in wired_ports(step).items():
            atom = facts.OBJECT if wired else facts.exactly(None)
            ports.setdefault(step.block, {}).setdefault(name, set()).add(atom)
        params.setdefault(step.block, {})
    return frozenset(
        Use(
            block,
            frozenset((name, frozenset(atoms)) for name, atoms in given.items()),
            frozenset((name, frozenset(atoms)) for name, atoms in ports.get(block, {}).items()),
        )
        for block, given in params.items()
    )


def _class(cls: GroupClass, groups: Groups, shared: Library, calls: Calls, docstring: list[str]) -> list[str]:
    construction = Construction(cls, groups, shared)
    lines = [f"class {cls.name}(nn.Module):", *(f"    {line}" for line in docstring), ""]
    modules = construction.lines()
    ties = _ties(cls.plans[0])
    if modules or ties:
        opening = f"    def __init__(self{construction.signature()}) -> None:"
        lines += [opening, "        super().__init__()", *modules, *ties, ""]
    inputs = "".join(f", {name}: Tensor" for name in calls.inputs)
    results = "Tensor" if len(cls.plans[0].exits) == 1 else f"tuple[{', '.join('Tensor' for _ in cls.plans[0].exits)}]"
    lines += _wrapped(f"    def forward(self{inputs}) -> {results}:")
    return lines + calls.lines()


def _wrapped(opening: str) -> list[str]:
    text = opening.strip()
    return writing.laid_out(text, "    ") if len(opening) > writing.WIDTH else [opening]


def _ties(plan: Plan) -> list[str]:
    """Parameters that are one tensor."""
    return [f"        self{_attribute(name)} = self{_attribute(to)}" for name, to in plan.ties.items()]


def _attribute(path: str) -> str:
    return "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in path.split("."))


def _sentence(cls: GroupClass) -> str:
    titles = [writing.one_line(title) or cls.name for title in dict.fromkeys(map(phrase, cls.titles))]
    text = ", ".join(titles[:4])
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _interface(plan: Plan, groups: Groups) -> list[str]:
    """What goes in and what comes out, with shapes, as a docstring."""
    ins = ", ".join(f"{entry.name} ({_axes(entry.signal.shape)})" for entry in plan.entries)
    outs = ", ".join(f"{exit.name} ({_axes(groups.simple(exit.signal.shape))})" for exit in plan.exits)
    text = writing.one_line(f"{ins} → {outs}.")
    if len(text) + len('    """"""') <= writing.WIDTH:
        return [f'"""{text}"""']
    wrapped = [line for part in (ins, f"→ {outs}.") for line in textwrap.wrap(writing.one_line(part), 110)]
    return [f'"""{wrapped[0]}', *wrapped[1:], '"""']


def _axes(shape: Sequence[object]) -> str:
    return ", ".join(map(str, shape))


def _import_lines(imports: Iterable[Import]) -> str:
    """Imports in two parts, the standard library and the rest; names of one module on one line."""
    known = set(imports)
    lines: dict[bool, list[str]] = {True: [], False: []}
    for source in sorted({one.source for one in known}):
        own = source.partition(".")[0] in sys.stdlib_module_names
        same = [one for one in known if one.source == source]
        lines[own] += sorted(one.line for one in same if not one.name)
        named = [one for one in same if one.name]
        if named:
            shown = [one.name if one.bound == one.name else f"{one.name} as {one.bound}" for one in named]
            ordered = sorted(shown, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
            lines[own].append(f"from {source} import {', '.join(ordered)}")
    parts = [sorted(part, key=lambda line: (line.startswith("from"), line)) for part in (lines[True], lines[False])]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _demonstration(plan: Plan, imports: set[Import]) -> list[str]:
    imports.add(Import("torch", "", "torch"))
    lines = ['if __name__ == "__main__":', "    model = Model().eval()"]
    sizes = default_sizes(plan)
    names: list[str] = []
    for entry in plan.entries:
        names.append(f"{entry.name}_" if entry.name in ("model", "torch") else entry.name)
        lines.append(f"    {names[-1]} = {_example(entry, sizes)}")
    call = f"model({', '.join(names)})"
    if len(plan.exits) == 1:
        return [*lines, f"    print(tuple({call}.shape))"]
    return [*lines, f"    print([tuple(result.shape) for result in {call}])"]


def _example(entry: Entry, sizes: Mapping[str, int]) -> str:
    """Code for a random input."""
    numbers = shape_of(entry, sizes)
    shape, listed = writing.literal(numbers), ", ".join(map(str, numbers)) or "()"
    if entry.signal.dtype == "integer":
        return f"torch.randint({entry.signal.below or 2}, {shape})"
    if entry.signal.dtype == "bool":
        return f"torch.ones({shape}, dtype=torch.bool)"
    if entry.signal.below is not None:
        return f"torch.rand({listed}) * {entry.signal.below}"
    return f"torch.randn({listed})"
