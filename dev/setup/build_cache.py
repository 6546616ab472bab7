"""Stamps of finished work: a stamp holds a digest of the input, and work with the same digest is skipped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path


def _list_files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(file for file in place.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        elif place.exists():
            yield place


def digest_files(places: Iterable[Path], *words: str) -> str:
    """Return one digest of the names and contents of files and folders, and of `words`."""
    digest = hashlib.sha256("\0".join(words).encode())
    for file in _list_files(places):
        digest.update(str(file).encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


class Stamp:
    """A piece of work that is done once for each input."""

    def __init__(self, file: Path, value: str) -> None:
        self.file = file
        self.value = value

    @property
    def is_current(self) -> bool:
        """Whether the work was done with this input."""
        return self.file.is_file() and self.file.read_text() == self.value

    def mark_done(self) -> None:
        """Record that the work is done."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.value)
