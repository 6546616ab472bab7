"""`make storm`: a long search for what people, machines, faults, kills and time can break between them.

`make storm SEQUENCES=50 SEED=7` goes through 50 sequences of up to fifty steps that the number 7 stands for;
`make storm SECONDS=1800` goes on with the next numbers until the time is over. On SQLite, or on the PostgreSQL and
Redis of DATABASE_URL and REDIS_URL. What breaks a rule is told as the fewest steps that were found to do so.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare
from dev.console import CannotContinue, say
from dev.places import PYTHON, ROOT
from dev.test import suite_environment

TEST = "billing/tests/services/test_storm.py"
DEFAULT_SEQUENCES = 20
# So many between two looks at the clock.
A_ROUND = 5
SERVICES = ("DATABASE_URL", "REDIS_URL")


def _number(name: str, text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal():
        raise CannotContinue(f"{name} is {text!r}; it must be a whole number.")
    return int(text)


def rounds(seed: int, *, sequences: int | None, seconds: int | None) -> Iterator[tuple[int, int]]:
    """Give seeds and how many sequences to try with each: one, or the next until so many seconds are over."""
    if seconds is None:
        yield seed, sequences or DEFAULT_SEQUENCES
        return
    until = time.monotonic() + seconds
    for number in count(seed):
        yield number, sequences or A_ROUND
        if time.monotonic() > until:
            return


def _holds(seed: int, sequences: int) -> bool:
    say(f"\n=== {sequences} sequences, SEED={seed}")
    services = {name: os.environ[name] for name in SERVICES if os.environ.get(name)}
    ran = subprocess.run(
        [str(PYTHON), "-m", "pytest", TEST, "-q", "--show-capture=no", f"--hypothesis-seed={seed}"],
        cwd=ROOT,
        env=suite_environment(LONG_SEQUENCES=str(sequences), **services),
        check=False,
    )
    return ran.returncode == 0


def main() -> int:
    """Go through the rounds until one breaks something; return the exit code."""
    try:
        seed = _number("SEED", os.environ.get("SEED", ""))
        sequences = _number("SEQUENCES", os.environ.get("SEQUENCES", ""))
        seconds = _number("SECONDS", os.environ.get("SECONDS", ""))
        prepare.prepare_to_test()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    first = secrets.randbelow(1_000_000) if seed is None else seed
    for number, many in rounds(first, sequences=sequences, seconds=seconds):
        if not _holds(number, many):
            say(f"\nA rule was broken. The same again: make storm SEQUENCES={many} SEED={number}")
            return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
