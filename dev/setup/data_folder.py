"""The folder of the demo's data: held by one run at a time, writable, with room, and with readable databases."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dev.console import CannotContinue
from dev.paths import var_dir
from dev.setup.folder_lock import FolderHeld, hold_folder

# The demo's data and static files take a tenth of it; logs, mails and PDFs come with time.
NEEDED_MEGABYTES = 200
MEGABYTE = 1024 * 1024
DATABASES = ("db.sqlite3", "sandbox.sqlite3")


@contextlib.contextmanager
def hold_data_folder(*, needed_megabytes: int = NEEDED_MEGABYTES) -> Iterator[None]:
    """Make the folder, check it and keep other runs out of it during the block. Raises `CannotContinue`."""
    folder = var_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotContinue(f"VAR_DIR cannot be made: {error}") from error
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(hold_folder(folder))
        except FolderHeld as error:
            raise CannotContinue(
                f"Another `make run` uses {folder}. Stop it, or choose another folder and ports: "
                "make run VAR_DIR=… PORT=… SANDBOX_PORT=…"
            ) from error
        _check_writable(folder)
        _check_space(folder, needed_megabytes)
        for name in DATABASES:
            _check_database(folder / name)
        yield


def _check_writable(folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
    except OSError as error:
        raise CannotContinue(f"VAR_DIR cannot be written to: {error.strerror}: {folder}") from error


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free // MEGABYTE
    if free < needed:
        raise CannotContinue(
            f"VAR_DIR has {free} MB left, and the demo needs {needed} MB. Make room there, or choose another "
            f"folder: make run VAR_DIR=… ({folder})"
        )


def _check_database(file: Path) -> None:
    """Raise `CannotContinue` if an SQLite file is damaged: with it, each process would fail in its own way."""
    if not file.exists():
        return
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            [(outcome,)] = database.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.DatabaseError as error:
        outcome = str(error)
    if outcome != "ok":
        raise CannotContinue(f"The demo's database {file} is damaged ({outcome}). Start afresh: make reset run")
