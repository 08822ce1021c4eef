"""Rectangles, ports and wires of a level, without a screen: kept up to date, hit, and routed past nodes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from app.canvas.geometry import LevelGeometry
from app.canvas.routes import Lanes, Span, crosses, route
from benchmarks.canvas import network
from graph import edits, grouping, interface, templates
from graph.commands import AddNode, Connect, Disconnect, Move, RemoveNode, Rename, Sequence, SetNode, SetParam
from graph.document import Document, EditError, Node, Tie, Wire
from graph.validate import Validator

TEMPLATES = tuple(templates.all_templates())


def geometry_of(document, at=(), validator=None):
    report = (validator or Validator(document)).report()
    geometry = LevelGeometry()
    geometry.update(document.level(at), report.level(at))
    return geometry


def every_level(document):
    yield ()
    yield from (path for path, node in document.walk() if node.is_group)


def assert_same(left, right):
    assert left.ids == right.ids
    assert np.array_equal(left.rects, right.rects)
    assert left.ports == right.ports
    assert left.wires == right.wires
    assert np.array_equal(left.ends, right.ends)
    assert np.array_equal(left.wire_nodes, right.wire_nodes)
    assert np.array_equal(left._outputs, right._outputs)
    assert np.array_equal(left._ranks, right._ranks)
    assert np.array_equal(left.skips, right.skips)


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_nodes_of_a_template_overlap(name):
    document = templates.find(name).build()
    for at in every_level(document):
        rects = geometry_of(document, at).rects
        for row, rect in enumerate(rects):
            others = np.delete(rects, row, axis=0)
            apart = (others[:, 0] >= rect[2] + 16) | (others[:, 2] <= rect[0] - 16)
            apart |= (others[:, 1] >= rect[3] + 16) | (others[:, 3] <= rect[1] - 16)
            assert apart.all(), f"{at}: a node lies on or close to another"


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_wire_of_a_template_ends_at_its_ports(name):
    document = templates.find(name).build()
    for at in every_level(document):
        geometry = geometry_of(document, at)
        assert geometry.settle(seconds=60)
        for row, wire in enumerate(geometry.wires):
            source = geometry.port(wire.source, wire.output, is_input=False)
            target = geometry.port(wire.target, wire.input, is_input=True, order=wire.order)
            assert np.allclose(geometry.lines[row][0], (source.x, source.y))
            assert np.allclose(geometry.lines[row][-1], (target.x, target.y))
            low, high = geometry.lines[row].min(axis=0), geometry.lines[row].max(axis=0)
            assert np.allclose(geometry.wire_bounds[row], [*low, *high])


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_wire_of_a_template_runs_behind_a_node(name):
    document = templates.find(name).build()
    for at in every_level(document):
        geometry = geometry_of(document, at)
        geometry.settle(seconds=60)
        for row in range(len(geometry.wires)):
            ends = tuple(geometry.wire_nodes[row].tolist())
            assert crosses(geometry.lines[row], geometry.rects, ends) == 0, geometry.wires[row]


@pytest.fixture
def drawing():
    document = templates.find("gpt").build()
    return document, Validator(document)


def test_it_follows_every_kind_of_edit(drawing):
    document, validator = drawing
    at = ("decoder",)
    geometry = geometry_of(document, at, validator)
    new = Node("extra", "GELU", position=(100.0, 400.0))
    wire = Wire("attn_add", "y", "extra", "x")
    many = Wire("extra", "y", "mlp_add", "x", 2)
    steps = [
        AddNode(at, new),
        Connect(at, wire),
        Connect(at, many),
        Move(at, {"extra": (160.0, 440.0), "attn": (400.0, -60.0)}),
        SetNode(at, "extra", "title", "A title that is rather long and makes the node wide"),
        SetParam(at, "attn", "num_heads", 7),
        Disconnect(at, many),
        RemoveNode(at, "extra"),
    ]
    undo = []
    for step in steps:
        undo.append(document.apply(step))
        assert geometry.update(document.level(at), validator.report().level(at))
        assert_same(geometry, geometry_of(document, at))
    for step in reversed(undo):
        document.apply(step)
        geometry.update(document.level(at), validator.report().level(at))
        assert_same(geometry, geometry_of(document, at))


def random_edit(document, chance):
    """Some edit of the top level; impossible ones change nothing."""
    level = document.top
    ids = list(level.nodes)
    id, other = chance.choice(ids), chance.choice(ids)
    wires = level.wires()
    place = (float(chance.randrange(0, 1600, 4)), float(chance.randrange(0, 900, 4)))
    fresh = document.fresh_id((), "new")
    new = AddNode((), Node(fresh, chance.choice(["GELU", "Add", "Linear", "Split", "Reroute"]), position=place))
    name, value = chance.choice([("collapsed", True), ("collapsed", False), ("muted", True), ("muted", False)])
    several = [SetNode((), each, name, value) for each in chance.sample(ids, min(len(ids), 4))]
    joined = Connect((), Wire(id, "y", other, "x", chance.randrange(3)))
    ways = [
        new, RemoveNode((), id), joined, joined, joined, Move((), {id: place}), Rename((), id, fresh),
        SetNode((), id, "title", chance.choice(["", "Short", "A title that is rather long"])),
        SetParam((), id, "out_features", chance.choice([8, 64, 100_000])), SetParam((), id, "parts", 4),
        Sequence((RemoveNode((), id), AddNode((), Node(id, "GELU", position=place)))), Sequence(tuple(several)),
    ]  # fmt: skip
    if wires:
        ways += [Disconnect((), chance.choice(wires))] * 3
    try:
        return document.apply(chance.choice(ways))
    except EditError:
        return None


@pytest.mark.parametrize("seed", range(4))
def test_what_is_carried_over_equals_what_is_laid_anew(seed):
    chance = random.Random(seed)
    document = network(24)
    validator = Validator(document)
    geometry = geometry_of(document, (), validator)
    undo = []
    for _ in range(50):
        undo += [random_edit(document, chance) for _ in range(chance.choice([1, 1, 1, 4]))]
        if len(document.top.nodes) < 4:
            break
        if chance.random() < 0.4:
            geometry.settle(seconds=chance.choice([0.0, 60.0]))
        geometry.update(document.top, validator.report().top)
        anew = geometry_of(document)
        assert_same(geometry, anew)
        assert geometry.boxes == anew.boxes
        for row, line in enumerate(geometry.lines):
            assert np.allclose(line[[0, -1]].ravel(), geometry.ends[row]), "also where a detour was kept"
            assert np.allclose(geometry.wire_bounds[row], [*line.min(axis=0), *line.max(axis=0)])
            assert geometry.wire_row(geometry.wires[row]) == row
    geometry.settle(seconds=60)
    assert not geometry._stale.any()
    for inverse in reversed([step for step in undo if step is not None]):
        document.apply(inverse)
    geometry.update(document.top, validator.report().top)
    assert_same(geometry, geometry_of(document))


def test_a_kept_wire_keeps_its_line():
    document = network(24)
    validator = Validator(document)
    geometry = geometry_of(document, (), validator)
    geometry.settle(seconds=60)
    before = {wire: geometry.lines[row] for row, wire in enumerate(geometry.wires)}
    gone = geometry.wires[3]
    document.apply(Disconnect((), gone))
    geometry.update(document.top, validator.report().top)
    assert gone not in geometry.wires
    same = [geometry.lines[row] is before[wire] for row, wire in enumerate(geometry.wires)]
    assert sum(same) >= len(same) - 4, "only those of nodes that changed their size are laid anew"


def test_it_says_when_nothing_has_changed(drawing):
    document, validator = drawing
    geometry = geometry_of(document, (), validator)
    version = geometry.version
    assert not geometry.update(document.top, validator.report().top)
    assert geometry.version == version


def test_it_can_show_another_level(drawing):
    document, validator = drawing
    geometry = geometry_of(document, (), validator)
    geometry.settle(seconds=60)
    geometry.update(document.level(("decoder",)), validator.report().level(("decoder",)))
    assert_same(geometry, geometry_of(document, ("decoder",)))
    geometry.update(document.top, validator.report().top)
    assert_same(geometry, geometry_of(document))


def test_a_drag_is_shown_and_taken_back(drawing):
    document, validator = drawing
    at = ("decoder",)
    geometry = geometry_of(document, at, validator)
    geometry.settle(seconds=60)
    before = [line.copy() for line in geometry.lines]
    rects = geometry.rects.copy()
    geometry.shift(["attn"], 40, 200)
    row = geometry.index["attn"]
    assert geometry.rects[row, 1] == rects[row, 1] + 200
    assert geometry.port("attn", "x", is_input=True).y == rects[row, 1] + 200 + 18
    geometry.shift(["attn"], 0, 0, rest=True)
    geometry.settle(seconds=60)
    assert np.array_equal(geometry.rects, rects)
    assert all(np.allclose(a[[0, -1]], b[[0, -1]]) for a, b in zip(geometry.lines, before, strict=True))


def test_wires_make_room_for_a_node_that_is_put_on_them():
    document = Document()
    for id, block, x, y in (("a", "GELU", 0, 0), ("b", "GELU", 600, 0), ("c", "GELU", 300, 300)):
        AddNode((), Node(id, block, position=(float(x), float(y)))).apply(document)
    Connect((), Wire("a", "y", "b", "x")).apply(document)
    validator = Validator(document)
    geometry = geometry_of(document, (), validator)
    geometry.settle(seconds=60)
    assert len(np.unique(geometry.lines[0][:, 1])) == 1, "nothing is in the way"
    document.apply(Move((), {"c": (300.0, 0.0)}))
    geometry.update(document.top, validator.report().top)
    geometry.settle(seconds=60)
    assert crosses(geometry.lines[0], geometry.rects, (0, 1)) == 0
    document.apply(Move((), {"c": (300.0, 300.0)}))
    geometry.update(document.top, validator.report().top)
    geometry.settle(seconds=60)
    assert len(np.unique(geometry.lines[0][:, 1])) == 1, "it is straight again"


def test_hits(drawing):
    document, validator = drawing
    geometry = geometry_of(document, (), validator)
    geometry.settle(seconds=60)
    left, top, right, bottom = geometry.bounds(["decoder"])
    assert geometry.node_at((left + right) / 2, (top + bottom) / 2) == "decoder"
    assert geometry.node_at(left - 1, top) is None
    place = geometry.port("decoder", "x", is_input=True)
    assert geometry.port_at(place.x - 12, place.y + 9, 20) == place
    assert geometry.port_at(place.x - 12, place.y + 19, 20) is None
    near = geometry.port_at(place.x, place.y, 400, inputs=False)
    assert not near.is_input
    for row, wire in enumerate(geometry.wires):
        x, y, _ = geometry.middles[row].tolist()
        assert geometry.wire_at(x, y + 3, 6) == wire
    assert geometry.wire_at(left, top - 500, 6) is None
    assert geometry.nodes_in(left + 1, top + 1, left + 2, top + 2) == ["decoder"]
    assert geometry.bounds([]) is None
    extent = geometry.extent()
    assert extent[0] <= geometry.bounds()[0]
    assert extent[2] >= geometry.bounds()[2]


def test_of_two_nodes_the_upper_one_is_hit():
    document = Document()
    for id in ("a", "b"):
        AddNode((), Node(id, "GELU")).apply(document)
    assert geometry_of(document).node_at(10, 10) == "b"


def test_what_is_seen(drawing):
    document, validator = drawing
    geometry = geometry_of(document, (), validator)
    left, top, right, bottom = geometry.bounds()
    assert geometry.seen_nodes(left, top, right, bottom).tolist() == list(range(len(geometry.ids)))
    row = geometry.index["logits"]
    x, y, far, low = geometry.rects[row].tolist()
    assert geometry.seen_nodes(x + 1, y + 1, far - 1, low - 1).tolist() == [row]
    assert not len(geometry.seen_nodes(left - 900, top, left - 800, bottom))
    assert not len(geometry.seen_wires(left - 900, top, left - 800, bottom))


def test_each_output_has_one_shape_on_its_straightest_wire(drawing):
    document, validator = drawing
    geometry = geometry_of(document, ("decoder",), validator)
    geometry.settle(seconds=60)
    rows = geometry.label_rows(-1e6, -1e6, 1e6, 1e6)
    outputs = [(geometry.wires[row].source, geometry.wires[row].output) for row in rows]
    assert len(outputs) == len(set(outputs))
    assert ("layer_input", "x") in outputs
    assert next(geometry.wires[r].target for r in rows if geometry.wires[r].source == "layer_input") == "attn_norm"


def test_wires_at_ports_that_are_not_there_are_still_drawn():
    document = Document()
    AddNode((), Node("a", "Unheard", position=(0.0, 0.0))).apply(document)
    AddNode((), Node("b", "GELU", position=(300.0, 0.0))).apply(document)
    Connect((), Wire("a", "what", "b", "else")).apply(document)
    geometry = geometry_of(document)
    geometry.settle(seconds=60)
    assert np.allclose(geometry.lines[0][0], (geometry.rects[0, 2], 18))
    assert geometry.port("b", "else", is_input=True) is not None


def test_insertion_asks_before_it_touches():
    from app.canvas.insertion import fits_in
    from app.session import Session

    document = templates.find("gpt").build({"layers": 2})
    session = Session(document)
    revision = document.revision
    wire = next(w for w in document.top.wires() if w.target == "final_norm")
    into_group = next(w for w in document.top.wires() if w.target == "decoder")
    import blocks

    def fits(block, wire):
        return fits_in(session, edits.new_node(document, (), blocks.find(block), (0, 0)), wire)

    assert fits("Dropout", wire)
    assert fits("LayerNorm", into_group)
    assert not fits("Conv2d", wire)
    assert not fits("Embedding", wire)
    assert not fits("TokenInput", wire)
    assert not fits("Linear", into_group), "it would change what the group receives"
    assert document.revision == revision


def test_a_wire_in_the_hand_goes_round_nothing_at_the_origin():
    from app.canvas.in_hand import NOWHERE

    points = route(Span((100.0, 0.0), (-40.0, 180.0), 0, 0), NOWHERE, Lanes(0))
    assert points.lane is not None
    assert points.lane.y == 90.0, "half way between both"


def test_the_ports_of_a_group_follow_what_is_inside_though_it_is_seen_from_outside():
    document = Document()
    document.apply(AddNode((), Node("norm", "LayerNorm")))
    made, group = grouping.group(document, (), ["norm"])
    document.apply(made)
    validator = Validator(document)
    geometry = LevelGeometry()

    def ports():
        geometry.update(document.top, validator.report().top)
        assert_same(geometry, geometry_of(document))
        return [place.port for place in geometry.ports]

    assert ports() == []
    undo = [document.apply(interface.add_port(document, (group,), side)[0]) for side in ("input", "output")]
    assert ports() == ["x", "y"]
    undo.append(document.apply(interface.rename_port(document, (group,), "output", "y", "result")))
    assert ports() == ["x", "result"]
    document.apply(undo.pop())
    assert ports() == ["x", "y"]
    document.apply(undo.pop())
    assert ports() == ["x"]


def test_a_tie_that_does_not_hold_has_its_room_at_once():
    document = Document()
    for id in ("one", "two"):
        document.apply(AddNode((), Node(id, "Linear", title="A longer title than any", position=(0.0, 0.0))))
    validator = Validator(document)
    geometry = LevelGeometry()
    geometry.update(document.top, validator.report().top)
    document.apply(SetNode((), "one", "ties", {"weight": Tie("two.weight", when=False)}))
    geometry.update(document.top, validator.report().top)
    assert_same(geometry, geometry_of(document))
