"""File storage with atomic writes: a full disk or a killed process leaves no partial file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class WholeFileStorage(FileSystemStorage):
    """Django's file storage, which writes to a temporary file and renames it."""

    def _save(self, name: str, content: File[Any]) -> str:
        """Write a file and return its name. Raises `OSError` and leaves nothing behind."""
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        # The same name for every try, so that the next one overwrites what a killed process left.
        part = target.with_name(f".{target.name}.part")
        try:
            with part.open("wb") as file:
                file.writelines(content.chunks())
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return name
