"""`make storm`: a long search for what people, machines, faults, kills and time can break between them.

`make storm SEQUENCES=50 SEED=7` goes through 50 sequences of up to fifty steps that the number 7 stands for;
`make storm SECONDS=1800` goes on with the next numbers until the time is over. On SQLite, or on the PostgreSQL and
Redis of DATABASE_URL and REDIS_URL, where many threads resume. What breaks a rule is told as the fewest steps that were
found to do so, and with the numbers that lead there again.
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
A_ROUND = 2
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


def services() -> dict[str, str]:
    """Return the addresses of the PostgreSQL and the Redis to storm; empty for SQLite."""
    given = {name: os.environ[name] for name in SERVICES if os.environ.get(name)}
    return given if given.get("DATABASE_URL", "").startswith("postgres") else {}


def _holds(seed: int, sequences: int) -> bool:
    say(f"\n=== SEED={seed}: {sequences} sequences")
    chosen = "services" if services() else "not services"
    ran = subprocess.run(
        [
            str(PYTHON),
            "-m",
            "pytest",
            TEST,
            "-m",
            chosen,
            "-qq",
            "--show-capture=no",
            f"--hypothesis-seed={seed}",
        ],
        cwd=ROOT,
        env=suite_environment(LONG_SEQUENCES=str(sequences), **services()),
        check=False,
    )
    return ran.returncode == 0


def _raise_storms(first: int, *, sequences: int | None, seconds: int | None) -> int:
    """Go through the rounds until one breaks something; return the exit code."""
    where = "PostgreSQL and Redis, where eight threads resume" if services() else "SQLite"
    say(f"\nStorms on {where}. A sequence takes about a quarter of a minute.")
    began, held = time.monotonic(), 0
    for seed, many in rounds(first, sequences=sequences, seconds=seconds):
        if not _holds(seed, many):
            same = " on the same DATABASE_URL and REDIS_URL" if services() else ""
            say(f"\nA rule was broken. The same again{same}: make storm SEQUENCES={many} SEED={seed}")
            return 1
        held += many
    numbers = f"SEED={first}" if seed == first else f"SEED={first} to {seed}"
    say(f"\nEvery rule held: {held} sequences in {time.monotonic() - began:.0f} s, {numbers}.")
    return 0


def main() -> int:
    """Prepare, raise the storms that the environment asks for, and return the exit code."""
    try:
        seed = _number("SEED", os.environ.get("SEED", ""))
        sequences = _number("SEQUENCES", os.environ.get("SEQUENCES", ""))
        seconds = _number("SECONDS", os.environ.get("SECONDS", ""))
        prepare.prepare_to_test()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    first = secrets.randbelow(1_000_000) if seed is None else seed
    return _raise_storms(first, sequences=sequences, seconds=seconds)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
