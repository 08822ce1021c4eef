"""A workspace with an engine that answers from a table, and readings as the real one gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app import theme
from app.session import Session
from app.workspace import Workspace
from graph import templates
from graph.attention_cost import Attention, blocks_of, fused_traffic, standard_traffic
from graph.engine import Reading


class TableEngine:
    """Answers each job from a table when it is polled; a job without an answer stays open."""

    def __init__(self) -> None:
        self.state = "ready"
        self.device_name = "CPU"
        self.asked: list[SimpleNamespace] = []
        self.answers: dict[str, Mapping[str, Any] | Callable[[dict[str, Any]], Any] | Exception] = {}
        self._open: list[SimpleNamespace] = []
        self._readings: list[Reading] = []

    def submit(self, job: str, document_data: Mapping[str, Any], revision: int = 0, **options: Any) -> int:
        for older in [request for request in self._open if request.job == job]:
            self._open.remove(older)
            self._say(older, "cancelled", {"reason": "superseded"})
        request = SimpleNamespace(id=len(self.asked) + 1, job=job, revision=revision, options=options)
        self.asked.append(request)
        self._open.append(request)
        return request.id

    def cancel(self, id: int) -> None:
        for request in [request for request in self._open if request.id == id]:
            self._open.remove(request)
            self._say(request, "cancelled", {"reason": "asked"})

    def poll(self) -> list[Reading]:
        for request in list(self._open):
            answer = self.answers.get(request.job)
            if answer is None:
                continue
            self._open.remove(request)
            data = answer(request.options) if callable(answer) else answer
            if isinstance(data, Exception):
                self._say(request, "error", {"message": str(data), "type": "RunError", "fault": True, "trace": ""})
            else:
                self._say(request, "result", dict(data))
        readings, self._readings = self._readings, []
        return readings

    def die(self, sentence: str) -> None:
        """Take every open request along."""
        self.state = "starting"
        for request in self._open:
            self._say(request, "died", {"message": sentence})
        self._open.clear()

    def progress(self, done: int, total: int) -> None:
        """Let every open request tell how far it is."""
        for request in self._open:
            self._say(request, "progress", {"done": done, "total": total, "text": "Working"})

    def last(self, job: str) -> dict[str, Any]:
        """The options of the last request for a job."""
        return next(request.options for request in reversed(self.asked) if request.job == job)

    def count(self, job: str) -> int:
        """How often a job was asked for."""
        return sum(request.job == job for request in self.asked)

    def _say(self, request: SimpleNamespace, kind: Any, data: dict[str, Any]) -> None:
        self._readings.append(Reading(request.id, request.revision, request.job, kind, data))


@pytest.fixture
def engine() -> TableEngine:
    return TableEngine()


@pytest.fixture
def workspace(qapp: Any, engine: TableEngine) -> Workspace:
    theme.apply("dark")
    return Workspace(engine)  # type: ignore[arg-type]


@pytest.fixture
def gpt(workspace: Workspace) -> Session:
    """A small GPT, shown."""
    values = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 256, "context": 64}
    session = Session(templates.find("gpt").build(values))
    workspace.show(session)
    return session


@pytest.fixture
def shown(qtbot: Any, workspace: Workspace) -> Callable[..., Any]:
    """Makes a panel and shows it at a size."""

    def show(cls: type, width: int = 1200, height: int = 260) -> Any:
        panel = cls(workspace)
        qtbot.addWidget(panel)
        panel.resize(width, height)
        panel.show()
        qtbot.waitExposed(panel)
        qtbot.wait(1)
        return panel

    return show


@pytest.fixture
def until(qtbot: Any, workspace: Workspace) -> Callable[..., None]:
    """Polls the engine and turns the event loop until something holds."""

    def wait(holds: Callable[[], bool], timeout: int = 5000) -> None:
        def look() -> bool:
            workspace.poll()
            return bool(holds())

        qtbot.waitUntil(look, timeout=timeout)

    return wait


@pytest.fixture
def values() -> Callable[..., dict[str, Any]]:
    return _figures


@pytest.fixture
def run_reading() -> dict[str, Any]:
    """What a run of the small GPT gives, as far as panels look at it."""
    blocks = {"tokens": ("Token input", "TokenInput", [1, 8]), "position": ("Position", "LearnedPosition", [1, 8, 32])}
    for layer in range(2):
        blocks[f"decoder.{layer}/attn"] = ("Multi-head attention", "MultiHeadAttention", [1, 8, 32])
        blocks[f"decoder.{layer}/mlp"] = ("Feed-forward", "FeedForward", [1, 8, 32])
        blocks[f"decoder.{layer}"] = ("Decoder layer", "Group", [1, 8, 32])
    blocks["head"] = ("Unembedding", "Linear", [1, 8, 256])
    activations = {
        address: {"title": title, "block": block, **_figures(shape), "milliseconds": 0.5 + place}
        for place, (address, (title, block, shape)) in enumerate(blocks.items())
    }
    return {
        "outputs": {"logits": _figures([1, 8, 256])},
        "activations": activations,
        "labels": {"tokens": list("to be or")},
        "sizes": {"batch": 1, "seq": 8},
        "seconds": 0.0123,
        "device": "cpu",
        "attention_kernel": "flash",
        "kernels": {"decoder.0/attn": "flash", "decoder.1/attn": "flash"},
        "memory": {"peak": 3 << 20, "parameters": 2 << 20, "activations": 1 << 20},
        "parameters": 12345,
        "notes": [],
    }


@pytest.fixture
def inspection() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers `inspect` with numbers that say where they are."""

    def answer(options: dict[str, Any]) -> dict[str, Any]:
        shape = options.get("shape") or [2, 8, 32]
        if options["what"] == "value":
            return {"value": 0.125, "index": options["index"], "shape": shape, "node": options["node"]}
        index = list(options.get("index") or [0])
        values = np.arange(8 * 32, dtype=np.float32).reshape(8, 32) + 1000 * index[0]
        image = np.rint(np.linspace(0, 255, values.size)).astype(np.uint8).reshape(8, 32)
        low, high = float(values.min()), float(values.max())
        return {
            "image": image, "values": values, "low": low, "high": high, "block": [1, 1], "index": index[:1],
            "shape": shape, "node": options["node"], "statistics": _figures(shape),
        }  # fmt: skip

    return answer


@pytest.fixture
def attention() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers `attention` for two layers of two heads over eight tokens: each looks at itself and a little back."""

    def answer(options: dict[str, Any]) -> dict[str, Any]:
        address = options["node"]
        layers = [0, 1] if "." not in address else [int(address.partition(".")[2][0])]
        heads = [0, 1] if options.get("head") is None else [options["head"]]
        weights = np.tril(np.ones((8, 8), np.float32)) + 3 * np.eye(8, dtype=np.float32)
        weights /= weights.sum(-1, keepdims=True)
        maps = np.broadcast_to(weights, (len(layers), len(heads), 8, 8)).copy()
        data: dict[str, Any] = {
            "maps": maps, "tile": [8, 8], "highs": maps.max((-1, -2)), "layers": layers, "heads": heads,
            "addresses": [f"decoder.{layer}/attn" for layer in layers], "query": 8, "key": 8, "block": [1, 1],
            "labels": list("to be or"), "key_labels": list("to be or"), "self_check": 3.6e-7, "kernel": "flash",
            "title": "Multi-head attention", "sizes": {"batch": 1, "seq": 8},
        }  # fmt: skip
        for name, figure in (("entropy", np.log(2.0)), ("first", 0.31), ("previous", 0.22), ("distance", 2.6)):
            data[name] = np.full((len(layers), len(heads)), figure, np.float32)
        if options.get("atlas"):
            data["maps"] = np.tile(np.arange(17, dtype=np.uint8) * 15, (17, 1))
        return data

    return answer


@pytest.fixture
def estimation() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers `estimate` in proportion to batch × seq."""

    def answer(options: dict[str, Any]) -> dict[str, Any]:
        sizes = {"batch": 1, "seq": 64, **(options.get("sizes") or {})}
        count, training = sizes["batch"] * sizes["seq"], bool(options.get("training"))
        parts = {"parameters": 4 << 20, "buffers": 0, "activations": count << 14, "gradients": 0, "optimizer": 0}
        if training:
            parts |= {"gradients": 4 << 20, "optimizer": 8 << 20}
        node = {"block": "MultiHeadAttention", "rounds": 2, "parameters": 8448, "flops": 5_000_000}
        return {
            "parameters": 20000, "parameters_unique": 12000, "flops": 40_000_000, "at_peak": parts,
            "memory": {**parts, "kv_cache": 1 << 16, "peak": sum(parts.values())},
            "peak_at": {"address": "head", "title": "Unembedding", "phase": "forward", "operation": "linear"},
            "nodes": [
                {"address": "decoder/attn", "title": "Multi-head attention", "activations": 1 << 20, **node},
                {"address": "head", "title": "Unembedding", "activations": 1 << 10, **node, "rounds": 1},
            ],
            "sizes": sizes, "dtype": options.get("dtype", "float32"), "training": training, "notes": [],
            "available": 1 << 30, "device": "cpu",
            "attention": _attention(sizes["batch"], sizes["seq"], options.get("sram", 100_000)),
        }  # fmt: skip

    return answer


def _attention(batch: int, seq: int, sram: int) -> dict[str, Any]:
    """What the estimate says of the attention of the small GPT, and of a reader of it that is not in the drawing."""

    def of(address: str, rounds: int, keys: int, kept: int) -> dict[str, Any]:
        size = Attention(batch, 2, seq, keys, 16, 16)
        cut, moved = blocks_of(size, sram), {"standard": standard_traffic(size), "fused": fused_traffic(size, sram)}
        return {
            "address": address, "title": "Multi-head attention", "block": "MultiHeadAttention", "part": "",
            "rounds": rounds, "batch": batch, "heads": 2, "query": seq, "key": keys, "head_dim": 16, "value_dim": 16,
            "scores": _held(size.scores), "statistics": _held(size.statistics), "kv_cache": _held(kept),
            "blocks": {"rows": cut.rows, "query": cut.queries, "key": cut.keys, "pairs": cut.pairs},
            **{k: _held(t.total) | {"reads": t.reads, "writes": t.writes} for k, t in moved.items()},
        }  # fmt: skip

    nodes = [of("decoder/attn", 2, seq, 64 * seq), of("head", 1, 8, 0)]
    total = {
        what: {unit: sum(node["rounds"] * node[what][unit] for node in nodes) for unit in nodes[0][what]}
        for what in ("scores", "statistics", "kv_cache", "standard", "fused")
    }
    return {"sram": sram, "calls": 3, "nodes": nodes, "total": total}


def _held(elements: int) -> dict[str, int]:
    return {"elements": elements, "bytes": 4 * elements}


def _figures(shape: list[int], **changes: Any) -> dict[str, Any]:
    """The statistics of a value."""
    return {
        "shape": shape, "dtype": "float32", "mean": 0.01, "std": 0.98, "min": -2.5, "max": 2.25, "norm": 9.0,
        "zeros": 0.25, "nan": 0, "inf": 0,
        "histogram": {"edges": np.linspace(-2.5, 2.25, 65), "counts": np.arange(64)},
        "exponents": {"low": -8, "counts": np.arange(10)},
    } | changes  # fmt: skip
