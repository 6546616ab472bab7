"""Work that is done once: a stamp holds a digest of what went in, and the same digest means nothing to do."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(
                file for file in place.rglob("*") if file.is_file() and "__pycache__" not in file.parts
            )
        elif place.exists():
            yield place


def digest(places: Iterable[Path], *words: str) -> str:
    """Return one digest for the names and contents of files and folders, and for some words beside them."""
    total = hashlib.sha256("\0".join(words).encode())
    for file in _files(places):
        total.update(str(file).encode() + b"\0")
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


class Stamp:
    """One piece of work that need not be done again."""

    def __init__(self, file: Path, value: str) -> None:
        self.file = file
        self.value = value

    @property
    def holds(self) -> bool:
        """Whether the work was done with the same input."""
        return self.file.is_file() and self.file.read_text() == self.value

    def set(self) -> None:
        """Note that the work is done."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.value)
