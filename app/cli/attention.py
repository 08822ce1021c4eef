"""Write the attention maps of a node: who looks at whom, by layer and head."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.cli import inputs
from app.cli.common import Unusable, check_target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    inputs.add_arguments(parser)
    parser.add_argument(
        "--node", required=True, help="an attention block: decoder/attn, or decoder.3/attn for one layer"
    )
    parser.add_argument("--layer", type=int, help="one round of a repeated group")
    parser.add_argument("--head", type=int, help="one head")
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        required=True,
        metavar="OUT.npy|.png",
        help="an array (layers, heads, query, key) or a picture",
    )


def run(options: argparse.Namespace) -> int:
    """Write the maps."""
    import numpy

    from graph.running import RunError

    check_target(options.output, (".npy", ".png"))
    bench, given = inputs.bench_of(options)
    try:
        bench.run(given)
        data = bench.attention(options.node, layer=options.layer, head=options.head, size=None)
    except RunError as error:
        raise Unusable(str(error)) from None
    maps = data["maps"]
    if options.layer is not None or len(data["layers"]) == 1 and _names_a_round(options.node):
        maps = maps[0]
    if options.head is not None:
        maps = maps[..., 0, :, :]
    _write(options.output, maps)
    unknown = int(numpy.isnan(maps).sum())
    print(
        f"Wrote {' × '.join(map(str, maps.shape))} to {options.output}; "
        f"map times values equals the kernel's output to {data['self_check']:.1e}."
        + (f" {unknown} of {maps.size} weights are NaN." if unknown else "")
    )
    return 0


def _names_a_round(node: str) -> bool:
    return any("." in part for part in node.split("/"))


def _write(path: Path, maps: Any) -> None:
    import io

    import numpy

    from graph.files import FileError, write_atomically

    buffer = io.BytesIO()
    if path.suffix.lower() == ".npy":
        numpy.save(buffer, maps)
    else:
        from PIL import Image

        Image.fromarray(_picture(maps)).save(buffer, format="png")
    try:
        write_atomically(path, buffer.getvalue())
    except FileError as error:
        raise Unusable(str(error)) from None


def _picture(maps: Any) -> Any:
    """Maps as a grid of grey tiles, layers down and heads across, each tile at least 128 pixels wide; NaN is white."""
    import numpy

    grid = numpy.nan_to_num(maps.reshape((1,) * (4 - maps.ndim) + maps.shape))
    layers, heads, rows, columns = grid.shape
    scale = max(1, -(-128 // max(rows, columns)))
    gap = 4
    height, width = rows * scale, columns * scale
    picture = numpy.full((layers * (height + gap) - gap, heads * (width + gap) - gap), 255, numpy.uint8)
    for layer in range(layers):
        for head in range(heads):
            tile = grid[layer, head] / max(float(grid[layer, head].max()), 1e-12)
            pixels = numpy.kron(255 - numpy.round(tile * 255), numpy.ones((scale, scale))).astype(numpy.uint8)
            top, left = layer * (height + gap), head * (width + gap)
            picture[top : top + height, left : left + width] = pixels
    return picture
