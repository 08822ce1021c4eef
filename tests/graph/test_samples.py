import json

import numpy as np
import pytest
import torch
from PIL import Image

from graph.passes import run_passes
from graph.plan import plan_document
from graph.samples import SampleError, make_inputs
from graph.sizes import SizeError, axis_names, default_sizes
from graph.templates import find


def plan_of(document):
    return run_passes(plan_document(document))[0]


def test_default_sizes_fit_the_drawing(tiny):
    assert default_sizes(plan_of(tiny("gpt"))) == {"batch": 1, "seq": 32}
    assert default_sizes(plan_of(tiny("gpt", context=1024))) == {"batch": 1, "seq": 128}
    assert default_sizes(plan_of(tiny("llama", context=16))) == {"batch": 1, "seq": 16}  # RoPE sets no limit itself
    assert default_sizes(plan_of(tiny("unet", image_size=17))) == {"batch": 1, "height": 16, "width": 16}
    assert default_sizes(plan_of(tiny("unet", image_size=3))) == {"batch": 1, "height": 4, "width": 4}
    assert axis_names(plan_of(tiny("diffusion_unet"))) == ("batch", "height", "width", "text_seq")


def test_sizes_that_cannot_be_are_refused_in_a_sentence(tiny):
    plan = plan_of(tiny("gpt"))
    for sizes, words in (
        ({"sequence": 4}, "There is no axis called sequence; the axes of this drawing are batch, seq."),
        ({"seq": 0}, "The size of seq must be a positive whole number, not 0."),
        ({"seq": 33}, "Seq is 33, and it must be at most 32: the table holds 32 positions."),
    ):
        with pytest.raises(SizeError) as caught:
            make_inputs(plan, sizes)
        assert str(caught.value) == words
    for large, sizes in (
        (plan, {"batch": 2**40}),
        (plan_of(tiny("llama", context=2**31 - 1)), {"seq": 2**31 - 1, "batch": 2**10}),
        (plan_of(tiny("unet")), {"height": 2**24, "width": 2**24}),
    ):
        with pytest.raises(SizeError, match="the inputs alone need .* of memory are free: a smaller batch or"):
            make_inputs(large, sizes)
    with pytest.raises(SizeError, match="divisible by 4: try 16 or 20"):
        make_inputs(plan_of(tiny("unet")), {"height": 18})


def test_a_text_by_bytes_says_how_long_it_is(tiny):
    plan = plan_of(tiny("gpt", vocab=256))
    inputs = make_inputs(plan, {"batch": 3}, samples={"tokens": {"kind": "text", "text": "Où?"}})
    assert inputs.sizes == {"batch": 3, "seq": 4}
    assert inputs.named["tokens"].tolist() == [list("Où?".encode())] * 3
    assert inputs.labels == {"tokens": ["O", "ù", "·", "?"]}
    assert inputs.notes == ()


def test_a_text_is_cut_repeated_and_folded_to_fit(tiny):
    plan = plan_of(tiny("gpt"))
    text = {"tokens": {"kind": "text", "text": "abc"}}
    longer = make_inputs(plan, {"seq": 7}, samples=text)
    assert longer.labels["tokens"] == list("abcabca")
    assert longer.named["tokens"][0].tolist() == [ord(c) % 61 for c in "abcabca"]
    assert longer.notes == (
        "Token input knows 61 tokens only: 3 bytes of the text were folded into them.",
        "Token input has 3 tokens and was repeated to fill 7.",
    )
    shorter = make_inputs(plan, {"seq": 2}, samples=text)
    assert shorter.labels["tokens"] == ["a", "b"]
    endless = make_inputs(plan, samples={"tokens": {"kind": "text", "text": "x" * 1000}})
    assert endless.sizes["seq"] == 32 and "cut from 1000 to 32 tokens" in endless.notes[-1]


def test_a_text_by_a_tokenizer_of_the_user(tiny, tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"to": 0, "be": 1, "or": 2, "[UNK]": 60}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "words.json"))
    sample = {"kind": "text", "text": "to be or to be", "tokenizer": "words.json"}
    inputs = make_inputs(plan_of(tiny("gpt")), samples={"tokens": sample}, folder=tmp_path)
    assert inputs.named["tokens"].tolist() == [[0, 1, 2, 0, 1]]
    assert inputs.labels["tokens"] == ["to", "be", "or", "to", "be"]
    with pytest.raises(SampleError, match="gives token 2, but the drawing knows 2 only"):
        make_inputs(plan_of(tiny("gpt", vocab=2)), samples={"tokens": sample}, folder=tmp_path)
    (tmp_path / "words.json").write_text("{}")
    with pytest.raises(SampleError, match=r"words.json is no tokenizer that can be read"):
        make_inputs(plan_of(tiny("gpt")), samples={"tokens": sample}, folder=tmp_path)
    with pytest.raises(SampleError, match=r"there is no tokenizer file none.json"):
        make_inputs(plan_of(tiny("gpt")), samples={"tokens": {**sample, "tokenizer": "none.json"}}, folder=tmp_path)


def test_a_picture_is_cut_to_the_middle_and_scaled(tiny, tmp_path):
    grid = np.zeros((40, 80, 3), np.uint8)
    grid[:, 20:60, 0] = 255  # the middle square is red
    Image.fromarray(grid).save(tmp_path / "red.png")
    plan = plan_of(tiny("unet"))
    inputs = make_inputs(plan, {"batch": 2}, samples={"image": {"kind": "image", "path": "red.png"}}, folder=tmp_path)
    image = inputs.named["image"]
    assert image.shape == (2, 3, 16, 16) and image.dtype == torch.float32
    assert image[:, 0, :, 1:-1].min() == 1.0 and image[:, 1:].max() == 0.0
    grey = plan_of(tiny("unet", in_channels=1))
    one = make_inputs(grey, {"width": 8}, samples={"image": {"kind": "image", "path": tmp_path / "red.png"}})
    assert one.named["image"].shape == (1, 1, 16, 8)
    (tmp_path / "no.png").write_text("text")
    for drawn, name, words in (
        (plan, "no.png", "no.png cannot be read: it is no picture that can be read."),
        (plan, "none.png", "none.png cannot be read: No such file or directory."),
        (plan_of(tiny("unet", in_channels=2)), "red.png", "A picture has 1, 3 or 4 channels, but Image takes 2."),
    ):
        with pytest.raises(SampleError) as caught:
            make_inputs(drawn, samples={"image": {"kind": "image", "path": name}}, folder=tmp_path)
        assert str(caught.value) == words


def test_a_file_of_numbers_says_its_sizes(tiny, tmp_path):
    plan = plan_of(tiny("gpt"))
    np.save(tmp_path / "ids.npy", np.array([[1, 2, 60], [4, 5, 6]]))
    sample = {"tokens": {"kind": "file", "path": str(tmp_path / "ids.npy")}}
    inputs = make_inputs(plan, samples=sample)
    assert inputs.sizes == {"batch": 2, "seq": 3}
    assert inputs.named["tokens"].tolist() == [[1, 2, 60], [4, 5, 6]]
    assert inputs.labels["tokens"] == ["1", "2", "60"]
    with pytest.raises(SampleError, match="2 × 3: seq would have to be 5"):
        make_inputs(plan, {"seq": 5}, samples=sample)
    for array, words in (
        (np.array([[1, 61]]), "takes tokens from 0 to 60, but 61 is among them"),
        (np.array([[-1, 1]]), "but -1 is among them"),
        (np.array([1, 2]), "takes batch × seq, but the file holds 2."),
        (np.array([[0.5]]), "holds float64, but Token input takes integer numbers"),
    ):
        np.save(tmp_path / "ids.npy", array)
        with pytest.raises(SampleError, match=words):
            make_inputs(plan, samples=sample)


def test_files_that_are_no_numbers_are_refused_without_reading_them(tiny, tmp_path):
    plan = plan_of(tiny("unet"))

    def refused(name, words):
        with pytest.raises(SampleError, match=words):
            make_inputs(plan, samples={"image": {"kind": "file", "path": name}}, folder=tmp_path)

    (tmp_path / "a.npy").write_bytes(b"no numbers")
    refused("a.npy", "a.npy cannot be read: it is no .npy file of numbers.")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    refused("objects.npy", "it is no .npy file of numbers")
    np.savez(tmp_path / "b.npz", a=np.zeros(3))
    refused("b.npz", "b.npz is an archive")
    refused("none.npy", "No such file or directory")
    header = json.dumps({"descr": "<f4", "fortran_order": False, "shape": [1, 3, 10**6, 10**6]})
    header = header.replace("false", "False").replace("[", "(").replace("]", ")").ljust(117) + "\n"
    (tmp_path / "huge.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    refused("huge.npy", "huge.npy cannot be read")


def test_random_samples_are_each_their_own(tiny):
    plan = plan_of(tiny("diffusion_unet"))
    inputs = make_inputs(plan)
    assert [tuple(t.shape) for t in inputs.tensors] == [(1, 3, 8, 8), (1,), (1, 128, 6)]
    assert inputs.named["image"].min() >= 0 and inputs.named["image"].max() < 1
    again = make_inputs(plan)
    assert all(torch.equal(a, b) for a, b in zip(inputs.tensors, again.tensors, strict=True))
    other = make_inputs(plan, samples={"text": {"kind": "random", "seed": 1}})
    assert torch.equal(other.named["image"], inputs.named["image"])
    assert not torch.equal(other.named["text"], inputs.named["text"])
    assert not torch.equal(make_inputs(plan, seed=1).named["image"], inputs.named["image"])


def test_one_value_everywhere(tiny):
    plan = plan_of(tiny("diffusion_unet"))
    inputs = make_inputs(plan, samples={"time_step": {"kind": "value", "value": 10}})
    assert inputs.named["time_step"].tolist() == [10.0]
    tokens = plan_of(tiny("gpt"))
    assert make_inputs(tokens, samples={"tokens": {"kind": "value", "value": 3}}).named["tokens"].unique().tolist() == [
        3
    ]
    for value in (61, -1, 0.5, "x", None):
        with pytest.raises(SampleError):
            make_inputs(tokens, samples={"tokens": {"kind": "value", "value": value}})


def test_masks_let_everything_be_seen_unless_asked(chain):
    document = chain(("mask", "MaskInput", {"axes": "batch 1 seq seq"}), ("out", "Output", {}))
    plan = plan_of(document)
    assert make_inputs(plan).named["mask"].all()
    mask = make_inputs(plan, samples={"mask": {"kind": "random"}}).named["mask"]
    assert mask.dtype == torch.bool and mask.shape == (1, 1, 128, 128)
    assert 0.7 < mask.float().mean() < 0.8 and mask[..., 0].all()


def test_a_sample_of_the_wrong_kind_is_named(tiny):
    plan = plan_of(tiny("unet"))
    for sample, words in (
        ({"kind": "text", "text": "x"}, "takes batch × 3 × height × width, not a text"),
        ({"kind": "film"}, "a sample is one of random, noise, text, image, file, table, value"),
        ({"kind": "image"}, "no file is chosen"),
    ):
        with pytest.raises(SampleError, match=words):
            make_inputs(plan, samples={"image": sample})
    with pytest.raises(SampleError, match="There is no input called picture; the inputs are image."):
        make_inputs(plan, samples={"picture": {}})
    with pytest.raises(SampleError, match="the text is empty"):
        make_inputs(plan_of(tiny("gpt")), samples={"tokens": {"kind": "text", "text": ""}})


def test_pictures_of_16_bits_keep_their_greys(tiny, tmp_path):
    ramp = np.linspace(0, 65535, 256).reshape(16, 16).astype(np.uint16)
    Image.fromarray(ramp).save(tmp_path / "scan.png")
    made = make_inputs(
        plan_of(tiny("unet")),
        {"height": 16, "width": 16},
        samples={"image": {"kind": "image", "path": "scan.png"}},
        folder=tmp_path,
    )
    assert np.allclose(made.named["image"][0, 0].numpy(), ramp / 65535, atol=1 / 255)


def test_a_table_is_typed_row_by_row():
    plan = plan_of(find("xor").build())
    typed = make_inputs(plan)
    assert typed.named["points"].tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert typed.sizes == {"batch": 4} and typed.notes == ()
    other = make_inputs(plan, {"batch": 3}, samples={"points": {"kind": "table", "text": "1, -2.5\n\n 3e1 0"}})
    assert other.named["points"].tolist() == [[1, -2.5], [30, 0], [1, -2.5]]
    assert other.notes == ("Two truth values has 2 rows and was repeated to fill 3.",)
    cut = make_inputs(plan, {"batch": 2})
    assert cut.notes == ("Two truth values was cut from 4 to 2 rows.",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is fed a table, but nothing is typed into it."),
        ("0 1\n1", "is fed a table whose rows differ in length."),
        ("0 one", "is fed a table in which 'one' is no number."),
        ("0 1 2", "takes batch × 2, but the table holds 1 × 3."),
    ],
)
def test_a_table_that_is_none_is_refused_in_a_sentence(text, words):
    with pytest.raises(SampleError) as caught:
        make_inputs(plan_of(find("xor").build()), samples={"points": {"kind": "table", "text": text}})
    assert str(caught.value) == f"Two truth values {words}"


def test_tokens_are_no_table(tiny):
    with pytest.raises(SampleError, match="Token input takes .*, not a table"):
        make_inputs(plan_of(tiny("gpt")), samples={"tokens": {"kind": "table", "text": "1 2"}})


def test_noise_is_normal_and_for_numbers_only(tiny):
    plan = plan_of(tiny("unet"))
    noise = {"image": {"kind": "noise", "seed": 1}}
    z = make_inputs(plan, {"batch": 64}, samples=noise).named["image"]
    assert z.mean().item() == pytest.approx(0, abs=0.05) and z.std().item() == pytest.approx(1, abs=0.05)
    assert torch.equal(z, make_inputs(plan, {"batch": 64}, samples=noise).named["image"])
    with pytest.raises(SampleError, match="Token input takes .*, not noise"):
        make_inputs(plan_of(tiny("gpt")), samples={"tokens": {"kind": "noise"}})


@pytest.mark.parametrize("value", [-1, 10])
def test_whole_numbers_out_of_bounds_are_refused(chain, tmp_path, value):
    document = chain(("n", "IntegerInput", {"below": 10, "axes": "batch"}), ("o", "Output", {}))
    np.save(tmp_path / "n.npy", np.array([3, value]))
    for sample in ({"kind": "value", "value": value}, {"kind": "file", "path": "n.npy"}):
        with pytest.raises(SampleError, match=rf"takes whole numbers from 0 to 9, but {value} is among them"):
            make_inputs(plan_of(document), samples={"n": sample}, folder=tmp_path)
    numbers = make_inputs(plan_of(document), {"batch": 500}).named["n"]
    assert (int(numbers.min()), int(numbers.max())) == (0, 9)
