"""Sizes that agree only for some remainders: told at the source, met with others, and used for every default."""

from __future__ import annotations

import pytest

from exporters.trials import ranges, tracing_sizes, trial_sizes
from graph.commands import AddNode, Connect
from graph.document import Document, Node, Wire
from graph.passes import run_passes
from graph.plan import plan_document
from graph.samples import make_inputs
from graph.sizes import SizeError, complete_sizes, default_sizes
from graph.validate import validate

ODD = {"kernel_size": 3, "stride": 2, "padding": 0}
EVEN = {"kernel_size": 2, "stride": 2, "padding": 0}


def there_and_back(*levels: dict, side: int = 16) -> Document:
    """Levels of a U-Net that are added up: down, up and the sum with what went down."""
    document = Document()
    places: list[tuple[str, str]] = [("image", "image")]
    document.apply(AddNode((), Node("image", "ImageInput", {"channels": 4, "image_size": side})))

    def add(id: str, block: str, params: dict, *sources: tuple[str, str]) -> None:
        document.apply(AddNode((), Node(id, block, params)))
        for order, source in enumerate(sources):
            document.apply(Connect((), Wire(*source, id, "x", order)))

    for depth, window in enumerate(levels):
        add(f"down_{depth}", "Conv2d", {"in_channels": 4, "out_channels": 4, **window}, places[-1])
        places.append((f"down_{depth}", "y"))
    last = places.pop()
    for depth in reversed(range(len(levels))):
        add(f"up_{depth}", "ConvTranspose2d", {"in_channels": 4, "out_channels": 4, **levels[depth]}, last)
        add(f"sum_{depth}", "Add", {}, (f"up_{depth}", "y"), places.pop())
        last = (f"sum_{depth}", "y")
    add("out", "Output", {}, last)
    return document


def plan_of(document: Document):
    return run_passes(plan_document(document))[0]


@pytest.mark.parametrize(
    ("levels", "words", "first"),
    [
        ([ODD], "height must be odd", 3),
        ([ODD, ODD], "height must leave 3 when divided by 4", 7),
        ([ODD, ODD, ODD], "height must leave 7 when divided by 8", 15),
        ([ODD, EVEN], "height must leave 1 when divided by 4", 5),
        ([EVEN, ODD], "height must leave 2 when divided by 4", 6),
        ([EVEN, EVEN], "height must be divisible by 4", 4),
    ],
)
def test_what_the_height_must_leave(levels, words, first):
    report = validate(there_and_back(*levels))
    assert report.valid
    assert str(report.requirements[0]) == words
    assert str(report.signal(("up_0",), "y")) == "batch × 4 × height × width"
    allowed = report.remainders["height"]
    plan = plan_of(there_and_back(*levels))
    fitting = [height for height in range(1, 33) if plan.sizes_fault({"height": height, "width": height}) is None]
    assert fitting == [height for height in range(first, 33) if height in allowed]


def test_sizes_of_runs_estimates_and_exports_leave_what_they_must():
    from graph.compile import compile_plan
    from graph.estimate import estimate

    plan = plan_of(there_and_back(ODD, ODD))
    assert default_sizes(plan) == {"batch": 1, "height": 15, "width": 15}
    with pytest.raises(SizeError, match=r"Height is 16, and it must leave 3 when divided by 4: try 15 or 19\."):
        complete_sizes(plan, {"height": 16})
    assert complete_sizes(plan, {"height": 19}) == {"batch": 1, "height": 19, "width": 15}
    known = ranges(plan)["height"]
    assert (known.low, known.step) == (3, 4)
    tried = [*trial_sizes(plan), tracing_sizes(plan)]
    assert len({(sizes["height"], sizes["width"]) for sizes in tried}) > 3
    model = compile_plan(plan)
    for sizes in tried:
        (picture,) = make_inputs(plan, sizes).tensors
        assert model(picture).shape == picture.shape
        assert picture.shape[2] % 4 == 3
    assert estimate(plan).sizes["height"] == 15


def test_demands_that_contradict_each_other_are_one_clear_error():
    document = there_and_back(ODD)
    for id, block, source in (("pool", "MaxPool2d", "image.image"), ("grow", "UpSample", "pool.y")):
        params = {"kernel_size": 2, "stride": 2} if block == "MaxPool2d" else {"factor": 2}
        document.apply(AddNode((), Node(id, block, params)))
        document.apply(Connect((), Wire(*source.split("."), id, "x")))
    document.apply(AddNode((), Node("merge", "Add", title="Merge")))
    document.apply(Connect((), Wire("grow", "y", "merge", "x", 0)))
    document.apply(Connect((), Wire("image", "image", "merge", "x", 1)))
    document.apply(AddNode((), Node("second", "Output")))
    document.apply(Connect((), Wire("merge", "y", "second", "x")))
    errors = [issue for issue in validate(document).issues if issue.severity == "error"]
    assert [str(issue) for issue in errors] == [
        "Add. For it height must be odd, while for Merge it must be divisible by 2.",
        "Add. For it width must be odd, while for Merge it must be divisible by 2.",
    ]
    again = Document()
    for id in reversed(list(document.top.nodes)):
        again.apply(AddNode((), document.top.nodes[id]))
    for wire in reversed(document.top.wires()):
        again.apply(Connect((), wire))
    assert [str(issue) for issue in validate(again).issues if issue.severity == "error"] == [str(e) for e in errors]


def test_what_is_written_for_programs():
    report = validate(there_and_back(ODD))
    assert report.requirements[0].as_data() == {
        "size": "height", "text": "height must be odd", "divided_by": 2, "leaves": [1],
    }  # fmt: skip
    assert validate(there_and_back(EVEN)).requirements[0].as_data()["divisible_by"] == 2


def test_an_exported_file_takes_what_leaves_the_same(make_example, tmp_path):
    import onnx

    from exporters.base import find

    example = make_example(there_and_back(ODD, ODD))
    result = find("onnx").write(example.model, example.plan, tmp_path / "it.onnx")
    assert result["max_abs_error"] < 1e-4
    assert result["warnings"] == [], "the tracer is told that heights are four of something and three more"
    assert all(sizes["height"] % 4 == sizes["width"] % 4 == 3 for sizes in result["sizes_checked"])
    graph = onnx.load(tmp_path / "it.onnx").graph
    (out,) = graph.output
    assert [size.dim_param or size.dim_value for size in out.type.tensor_type.shape.dim] == [
        "batch", 4, "height", "width",
    ]  # fmt: skip
