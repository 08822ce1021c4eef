"""A text as token ids: by bytes, or by a tokenizer.json that the user picks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LONGEST = 1 << 20


class TokenError(ValueError):
    """A text that cannot be cut into tokens; one sentence."""


def read_text(text: Any, tokenizer: Any, vocab: int, folder: Path) -> tuple[list[int], list[str], int]:
    """Token ids, what each reads as, and how many bytes were folded into a vocabulary that is smaller than 256.

    Args:
        text: what was typed.
        tokenizer: "bytes", or the path of a tokenizer.json.
        vocab: how many tokens the model knows.
        folder: where a relative path begins.

    Raises:
        TokenError: the text is empty or the tokenizer does not fit.
    """
    if not isinstance(text, str) or not text:
        raise TokenError("the text is empty.")
    if tokenizer in (None, "", "bytes"):
        return _read_bytes(text, vocab)
    ids, labels = _read_with(folder / str(tokenizer), text)
    worst = max(ids)
    if worst >= vocab:
        raise TokenError(f"the tokenizer gives token {worst}, but the drawing knows {vocab} only.")
    return ids, labels, 0


def _read_bytes(text: str, vocab: int) -> tuple[list[int], list[str], int]:
    ids: list[int] = []
    labels: list[str] = []
    for character in text[:LONGEST]:
        data = character.encode("utf-8", errors="replace")
        ids.extend(data)
        labels.extend((character, *("·" * (len(data) - 1))))
    folded = sum(id >= vocab for id in ids)
    return [id % vocab for id in ids], labels, folded


def _read_with(path: Path, text: str) -> tuple[list[int], list[str]]:
    from tokenizers import Tokenizer

    if not path.is_file():
        raise TokenError(f"there is no tokenizer file {path.name}.")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise TokenError(f"{path.name} is no tokenizer that can be read ({error}).") from None
    ids = tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids
    if not ids:
        raise TokenError("the tokenizer makes no tokens of this text.")
    return ids, [tokenizer.decode([id], skip_special_tokens=False) or f"⟨{id}⟩" for id in ids]
