"""The command line where things around it are unusual: streams, terminals, and weights that a drawing names."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.cli.common import console, one_line, print_json

COMMAND = [sys.executable, "-c", "import sys; from app.cli import main; sys.exit(main(sys.argv[1:]))"]


@pytest.fixture
def gpt(tmp_path, capsys):
    path = tmp_path / "gpt.json"
    words = [word for pair in ("dim=16", "layers=1", "num_heads=2", "vocab=256", "context=16") for word in ("-D", pair)]
    assert main(["new", "gpt", *words, "-o", str(path)]) == 0
    capsys.readouterr()
    return path


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("words", [["check"], ["check", "--json"], ["summary"], ["summary", "--json"]])
def test_every_terminal_can_be_printed_on(encoding, words, gpt, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    main([words[0], str(gpt), "-D", "dim==4**99", *words[1:]])  # whose issue has a ⁶³ in it
    main([words[0], str(gpt), *words[1:]])
    text = written.getvalue().decode(encoding)
    assert text
    if "--json" in words:
        issues, data = map(json.loads, text.splitlines())
        assert issues["issues"][0]["message"].endswith("beyond 2⁶³.")
        assert data.keys() >= {"shapes"} or data.keys() >= {"memory"}


def test_json_has_no_word_for_nan_and_for_half_a_character(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8", errors="backslashreplace"))
    print_json({"mean": float("nan"), "title": "\udcff", "sign": "×"})
    sys.stdout.flush()
    assert json.loads(written.getvalue()) == {"mean": None, "title": "\udcff", "sign": "×"}


def test_what_goes_into_a_file_is_not_cut_to_a_terminal(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    console().print("word " * 60)
    assert written.getvalue().count("\n") == 1


def test_a_line_is_one_line_and_steers_no_terminal():
    assert one_line("a\nb\t c \x1b[31m×") == "a b c ?[31m×"


@pytest.mark.parametrize("words", [["blocks"], ["blocks", "--json"], ["templates"]])
def test_a_reader_that_leaves_is_no_error(words):
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == b""
    assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "templates"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


@pytest.fixture
def weighted(gpt):
    """A drawing that names its weights, which are not those of its seed."""
    from graph import files
    from graph.commands import SetDocument
    from graph.running import Workbench

    document = files.load(gpt)
    bench = Workbench("cpu")
    bench.prepare_document(document, seed=77)
    bench.save_weights(gpt.with_name("gpt.safetensors"))
    document.apply(SetDocument("weights", {"path": "gpt.safetensors"}))
    files.save(document, gpt)
    return gpt


def mean(capsys, *words):
    assert main(["run", *map(str, words), "--text", "hello", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["outputs"]["logits"]["mean"]


def test_a_drawing_runs_with_the_weights_that_it_names(weighted, capsys, tmp_path, monkeypatch):
    own = mean(capsys, weighted)
    monkeypatch.chdir(os.sep)  # the path begins at the drawing, not where the command is given
    assert mean(capsys, weighted) == own
    assert mean(capsys, weighted, "--weights", weighted.with_name("gpt.safetensors")) == own
    assert mean(capsys, weighted, "--seed", 77) == own
    assert mean(capsys, weighted, "--seed", 78) != own
    out = tmp_path / "maps.npy"
    assert main(["attention", str(weighted), "--node", "decoder/attn", "-o", str(out)]) == 0


def test_weights_that_are_not_there_or_fit_in_part_are_told(weighted, capsys):
    assert main(["run", str(weighted), "-D", "vocab=300", "--size", "seq=4"]) == 0
    out = capsys.readouterr().out
    assert out.count("token_embedding.weight is 256 × 16 there and 300 × 16 here") == 1
    assert out.count("was cut from") == 1
    weighted.with_name("gpt.safetensors").unlink()
    assert main(["run", str(weighted)]) == 2
    assert capsys.readouterr().err.endswith("With --seed it starts with fresh weights.\n")
    assert main(["run", str(weighted), "--seed", "1"]) == 0


@pytest.mark.parametrize("words", [["--seed", "5"], ["-D", "vocab=300"]])
def test_an_export_spares_the_weights_that_the_drawing_names(words, weighted, capsys):
    before = weighted.with_name("gpt.safetensors").read_bytes()
    assert main(["export", str(weighted), "--to", "pytorch", *words, "-o", str(weighted.with_name("gpt.py"))]) == 2
    assert "holds the weights of the drawing" in capsys.readouterr().err
    assert weighted.with_name("gpt.safetensors").read_bytes() == before


def test_a_tokenizer_cuts_the_text_of_the_drawing(gpt, tmp_path, capsys):
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"To": 0, "be": 1, "?": 2}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(tmp_path / "words.json"))
    assert main(["run", str(gpt), "--tokenizer", str(tmp_path / "words.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"]["tokens"][:1] == ["To"]
    assert main(["run", str(gpt), "--tokenizer", "missing.json"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
