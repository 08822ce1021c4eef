"""The command line: what it prints, how it ends, and that it needs no window."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys

import numpy
import pytest

from app import display
from app.cli import main
from app.cli.common import Unusable, pairs
from graph.files import load

TINY = {
    "gpt": ["dim=32", "layers=3", "num_heads=4", "vocab=256", "context=32"],
    "unet": ["channels=4", "depth=2", "image_size=16"],
}


def new(tmp_path, template, *extra):
    path = tmp_path / f"{template}.json"
    words = [word for pair in (*TINY[template], *extra) for word in ("-D", pair)]
    assert main(["new", template, *words, "-o", str(path)]) == 0
    return str(path)


@pytest.fixture
def gpt(tmp_path, capsys):
    path = new(tmp_path, "gpt")
    capsys.readouterr()
    return path


@pytest.fixture
def unet(tmp_path, capsys):
    path = new(tmp_path, "unet")
    capsys.readouterr()
    return path


@pytest.fixture
def printed(capsys):
    """The one JSON document that a command printed."""

    def read():
        return json.loads(capsys.readouterr().out)

    return read


def refusal(capsys):
    """The one line on stderr of a command that could not use its input."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_blocks(printed):
    assert main(["blocks", "--json"]) == 0
    blocks = {block["name"]: block for block in printed()}
    linear = blocks["Linear"]
    assert linear.keys() >= {"name", "category", "title", "summary", "inputs", "outputs", "params"}
    assert linear["equation"].startswith(r"y = x\,W^{\top} + b")
    assert linear["inputs"]["x"]["pattern"] == "... in_features"
    assert linear["params"][0]["name"] == "in_features"
    assert linear["params"][0]["from_wire"] is True


def test_templates(printed):
    assert main(["templates", "--json"]) == 0
    templates = {template["name"]: template for template in printed()}
    assert templates["gpt"]["variables"]["dim"] == 768
    assert templates["gpt"]["variables"].keys() >= {
        "layers",
        "num_heads",
        "kv_heads",
        "hidden",
        "vocab",
        "context",
        "tied",
    }
    assert templates["unet"]["variables"].keys() == {"channels", "depth", "image_size", "in_channels", "out_channels"}


@pytest.mark.parametrize("command", ["blocks", "templates"])
def test_lists_for_people(command, capsys):
    assert main([command]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 10


def test_check(gpt, printed):
    assert main(["check", gpt, "--json"]) == 0
    data = printed()
    assert data["valid"] is True
    assert data["issues"] == []
    assert data["shapes"]["token_embedding.y"] == ["batch", "seq", 32]
    assert data["shapes"]["decoder/attn.y"] == ["batch", "seq", 32]
    assert data["requirements"][0]["at_most"] == 32


def test_check_of_a_drawing_with_errors(gpt, printed, capsys):
    assert main(["check", gpt, "-D", "num_heads=5", "--json"]) == 1
    data = printed()
    assert data["valid"] is False
    issue = data["issues"][0]
    assert (issue["severity"], issue["where"]) == ("error", "decoder/attn")
    assert issue["repair"] == "Set the variable `num_heads` to 4"
    assert main(["check", gpt, "-D", "num_heads=5"]) == 1
    captured = capsys.readouterr()
    assert "5 heads do not divide 32 features" in captured.err
    assert main(["run", gpt, "-D", "num_heads=5"]) == 1
    assert main(["summary", gpt, "-D", "num_heads=5", "--json"]) == 1


def test_requirements_of_a_unet(unet, printed):
    assert main(["check", unet, "--json"]) == 0
    assert {need["size"]: need["divisible_by"] for need in printed()["requirements"]} == {"height": 4, "width": 4}


def test_summary(gpt, printed):
    assert main(["summary", gpt, "--json", "--size", "batch=2", "seq=8", "--training"]) == 0
    data = printed()
    assert data["parameters"] - data["parameters_unique"] == 256 * 32
    assert data["memory"].keys() == {"parameters", "activations", "kv_cache", "gradients", "optimizer", "peak"}
    assert data["memory"]["parameters"] == 4 * data["parameters_unique"]
    assert data["memory"]["optimizer"] >= 2 * data["memory"]["gradients"]
    assert data["memory"]["kv_cache"] == 2 * 3 * 2 * 8 * 32 * 4
    assert any(node["address"] == "decoder/attn" for node in data["nodes"])
    assert data["attention"]["sram"] == 100_000
    assert data["attention"]["total"]["scores"] == {"elements": 3 * 2 * 4 * 64, "bytes": 3 * 2 * 4 * 64 * 4}


def test_summary_tells_what_attention_moves(gpt, unet, printed, capsys):
    assert main(["summary", gpt, "--size", "seq=32", "--sram", "64"]) == 0
    text = capsys.readouterr().out
    assert "Attention in 3 calls, with 64 numbers in fast memory" in text
    assert "scores      48 KiB if they were built; the fused kernel keeps 1.5 KiB" in text
    assert main(["summary", gpt, "--size", "seq=32", "--sram", "64", "--json"]) == 0
    (node,) = printed()["attention"]["nodes"]
    assert node["blocks"] == {"rows": 2, "query": 16, "key": 16, "pairs": 256}
    assert main(["summary", unet]) == 0
    assert "Attention" not in capsys.readouterr().out


def test_summary_of_a_model_that_fits_nowhere(tmp_path, printed, capsys):
    path = str(tmp_path / "llama.json")
    assert main(["new", "llama", "--preset", "7b", "-o", path]) == 0
    capsys.readouterr()
    assert main(["summary", path, "--json", "--dtype", "bfloat16"]) == 0
    data = printed()
    assert data["parameters_unique"] == 6_738_415_616
    assert data["memory"]["parameters"] == 2 * 6_738_415_616


def test_run(gpt, printed, tmp_path):
    out = tmp_path / "out.npz"
    assert main(["run", gpt, "--text", "To be, or not to be", "--seed", "3", "--json", "-o", str(out)]) == 0
    data = printed()
    assert data["outputs"]["logits"]["shape"] == [1, 19, 256]
    assert data["outputs"]["logits"].keys() >= {"shape", "mean", "std", "min", "max"}
    assert "decoder.2/attn" in data["activations"]
    assert data["attention_kernel"] == "flash"
    assert data["seconds"] > 0
    with numpy.load(out) as arrays:
        assert arrays["logits"].shape == (1, 19, 256)
        assert abs(float(arrays["logits"].mean()) - data["outputs"]["logits"]["mean"]) < 1e-6


def test_seeds_repeat_and_differ(gpt, printed):
    means = []
    for seed in ("1", "1", "2"):
        assert main(["run", gpt, "--text", "hello", "--seed", seed, "--json"]) == 0
        means.append(printed()["outputs"]["logits"]["mean"])
    assert means[0] == means[1] != means[2]


def test_run_on_a_picture_and_on_an_array(unet, printed, tmp_path):
    from PIL import Image

    picture = tmp_path / "cat.png"
    Image.new("RGB", (50, 40), (200, 30, 60)).save(picture)
    assert main(["run", unet, "--image", str(picture), "--json"]) == 0
    shape = printed()["outputs"]["segmentation"]["shape"]
    assert shape[:2] == [1, 2]
    assert shape[2] % 4 == 0
    assert shape[3] % 4 == 0
    array = tmp_path / "x.npy"
    numpy.save(array, numpy.zeros((2, 3, 8, 12), numpy.float32))
    assert main(["run", unet, "--input", f"image={array}", "--json"]) == 0
    assert printed()["outputs"]["segmentation"]["shape"] == [2, 2, 8, 12]


@pytest.mark.parametrize(
    ("words", "shape"),
    [
        ([], (3, 4, 5, 5)),
        (["--layer", "1"], (4, 5, 5)),
        (["--head", "2"], (3, 5, 5)),
        (["--layer", "1", "--head", "2"], (5, 5)),
    ],
)
def test_attention_maps(gpt, tmp_path, words, shape, capsys):
    out = tmp_path / "maps.npy"
    assert main(["attention", gpt, "--node", "decoder/attn", "--text", "hello", *words, "-o", str(out)]) == 0
    maps = numpy.load(out)
    assert maps.shape == shape
    assert numpy.allclose(maps.sum(-1), 1, atol=1e-5)
    assert numpy.allclose(numpy.triu(maps, 1), 0)


def test_attention_of_one_round_and_as_a_picture(gpt, tmp_path):
    out, picture = tmp_path / "maps.npy", tmp_path / "maps.png"
    assert main(["attention", gpt, "--node", "decoder.2/attn", "--text", "hello", "-o", str(out)]) == 0
    assert numpy.load(out).shape == (4, 5, 5)
    assert main(["attention", gpt, "--node", "decoder/attn", "--text", "hello", "-o", str(picture)]) == 0
    from PIL import Image

    with Image.open(picture) as image:
        assert image.width > image.height > 128


def test_export_to_onnx(gpt, tmp_path, printed):
    import onnx

    out = tmp_path / "gpt.onnx"
    assert main(["export", gpt, "--to", "onnx", "--seed", "1", "-o", str(out), "--json"]) == 0
    data = printed()
    assert data.keys() >= {"path", "opset", "nodes", "max_abs_error", "sizes_checked"}
    assert data["max_abs_error"] < 1e-4
    assert len(data["sizes_checked"]) >= 4
    model = onnx.load(out)
    assert [d.dim_param for d in model.graph.input[0].type.tensor_type.shape.dim] == ["batch", "seq"]


def test_export_to_pytorch(gpt, tmp_path, printed):
    out = tmp_path / "model.py"
    assert main(["export", gpt, "--to", "pytorch", "--seed", "1", "-o", str(out), "--json"]) == 0
    assert printed()["path"]
    assert (tmp_path / "model.safetensors").exists()
    program = (
        "import torch, model\n"
        "m = model.Model(); m.eval(); m = model.Model.load('model.safetensors').eval()\n"
        "print(tuple(m(torch.zeros(2, 5, dtype=torch.long)).shape))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(2, 5, 256)", done.stderr


BAD = [
    (["check", "missing.json"], "There is no file missing.json"),
    (["picture"], "is no command"),
    (["new", "gpd", "-o", "x.json"], "no template 'gpd'"),
    (["new", "gpt", "--preset", "huge", "-o", "x.json"], "no preset 'huge'"),
    (["new", "gpt", "-D", "width=3", "-o", "x.json"], "no variable 'width'"),
    (["new", "gpt", "-D", "dim", "-o", "x.json"], "NAME=VALUE"),
    (["new", "unet", "-D", "depth=99", "-o", "x.json"], "from 1 to 7"),
    (["new", "gpt", "-o", "nowhere/x.json"], "There is no folder"),
    (["new", "gpt", "-o", "x.txt"], "must end in .json"),
    (["run", "{gpt}", "-D", "width=3"], "has no variable 'width'"),
    (["run", "{unet}", "-D", "depth=3"], "blockwright new unet"),
    (["run", "{gpt}", "--size", "seq=0"], "positive whole number"),
    (["run", "{gpt}", "--size", "seq=99"], "at most 32"),
    (["run", "{gpt}", "--size", "height=8"], "height"),
    (["run", "{unet}", "--size", "height=10"], "divisible by 4"),
    (["run", "{gpt}", "--image", "x.png"], "no input for it"),
    (["run", "{unet}", "--text", "hello"], "no input for it"),
    (["run", "{unet}", "--image", "x.png"], "x.png"),
    (["run", "{gpt}", "--input", "x=y.npy"], "no input 'x'"),
    (["run", "{gpt}", "--weights", "w.safetensors"], "w.safetensors"),
    (["run", "{gpt}", "--device", "abacus"], "abacus"),
    (["attention", "{gpt}", "--node", "head", "-o", "x.npy"], "head"),
    (["attention", "{gpt}", "--node", "decoder/attn", "--head", "9", "-o", "x.npy"], "9"),
    (["attention", "{gpt}", "--node", "decoder/attn", "--layer", "9", "-o", "x.npy"], "9"),
    (["export", "{gpt}", "--to", "onnx", "-o", "x.py"], "must end in .onnx"),
    (["check"], "the following arguments are required: FILE; `blockwright check --help` says"),
    (["check", "{gpt}", "more"], "unrecognized arguments: more"),
    (["summary", "{gpt}", "--dtype", "int8"], "invalid choice: 'int8'"),
    (["summary", "{gpt}", "--size"], "expected at least one argument"),
    (["summary", "{gpt}", "--sram", "8"], "A fast memory of 8 numbers holds no row"),
    (["new", "gpt"], "required: -o"),
    (["new", "gpt", "-o", "."], ". must end in .json"),
    (["new", "gpt", "-D", "dim=\udcff", "-o", "x.json"], "holds bytes that are not text"),
    (["check", "{gpt}", "-D", "dim=\udcff"], "holds bytes that are not text"),
    (["draw", "a", "cat"], "There is no file draw, and draw is no command"),
    (["--colour"], "unrecognized arguments: --colour"),
    (["summary", "{gpt}", "-D", "context=2147483647", "--size", "seq=2147483647", "batch=2147483647"], "any machine"),
    (["run", "{gpt}", "--size", "batch=2147483647"], "the inputs alone need"),
    (["check", "\x1b[31mred.json"], "There is no file ?[31mred.json"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_unusable_input_is_one_line(words, sentence, gpt, unet, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([word.format(gpt=gpt, unet=unet) for word in words]) == 2
    assert sentence in refusal(capsys)


def test_pairs():
    assert pairs(["a=1", "b=x=y"], "-D") == {"a": "1", "b": "x=y"}
    with pytest.raises(Unusable):
        pairs(["=1"], "-D")


def test_without_a_display_the_window_is_refused_in_words(monkeypatch, capsys, gpt):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert main([gpt]) == 2
    assert "demo --headless" in refusal(capsys)


@pytest.mark.skipif(sys.platform != "linux", reason="X servers are asked on Linux")
def test_a_display_that_does_not_answer_is_refused_in_words(monkeypatch, capsys, gpt):
    """Qt would abort the whole process."""
    for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":987")
    monkeypatch.setattr(display.ctypes, "CDLL", lambda name, real=ctypes.CDLL: name if "cursor" in name else real(name))
    assert main([gpt]) == 2
    assert refusal(capsys).startswith("blockwright: The display :987 does not answer.")


def test_without_the_library_that_qt_needs_it_is_named(monkeypatch, capsys, gpt):
    def missing(name):
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":987")
    monkeypatch.setattr(display.ctypes, "CDLL", missing)
    assert main([gpt]) == 2
    told = refusal(capsys)
    assert all(package in told for package in display.NEEDED.values())
    monkeypatch.setattr(display.ctypes, "CDLL", lambda name: missing(name) if "icccm" in name else name)
    assert main([gpt]) == 2
    assert "Qt needs libxcb-icccm4 to open a window" in refusal(capsys)


def test_new_says_what_is_wrong_and_keeps_what_was_there(tmp_path, capsys):
    file = tmp_path / "it.json"
    file.write_text("my work", encoding="utf-8")
    assert main(["new", "gpt", "-D", "num_heads=7", "-o", str(file)]) == 1
    told = capsys.readouterr()
    assert "7 heads do not divide 768 features" in told.err
    assert "it.bak.json" in told.out
    assert (tmp_path / "it.bak.json").read_text(encoding="utf-8") == "my work"
    assert load(file).variables["num_heads"] == 7


def test_half_the_precision(gpt, capsys):
    assert main(["run", gpt, "--dtype", "bfloat16", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dtype"] == "bfloat16"


@pytest.mark.parametrize("template", ["gpt", "unet"])
def test_the_demo_does_the_main_job_and_needs_no_qt(template, tmp_path):
    program = (
        "import sys\n"
        "from app.cli import main\n"
        f"code = main(['demo', '--headless', '--template', '{template}'])\n"
        "assert not any(name.startswith(('PySide6', 'pyqtgraph')) for name in sys.modules)\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for word in ("Validate", "Estimate", "Compile", "Run", "Inspect", "Export", "Compare", "largest difference"):
        assert word in done.stdout
    assert (tmp_path / f"{template}-demo.onnx").exists()
