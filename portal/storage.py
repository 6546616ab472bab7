"""Files that are whole or not there: a full disk or a killed process leaves no half one under its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class WholeFileStorage(FileSystemStorage):
    """Django's files, written beside their place and put there in one step of the file system."""

    def _save(self, name: str, content: File[Any]) -> str:
        """Write a file and return its name. Raises `OSError` with nothing left of it."""
        place = Path(self.path(name))
        place.parent.mkdir(parents=True, exist_ok=True)
        # One name for all tries, so that what a killed one left is written over by the next.
        part = place.with_name(f".{place.name}.part")
        try:
            with part.open("wb") as file:
                file.writelines(content.chunks())
                file.flush()
                os.fsync(file.fileno())
            part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return name
