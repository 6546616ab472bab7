"""`make storm`: a long search for sequences of actions, faults, kills and passing time that break a rule.

`make storm SEQUENCES=50 SEED=7` tries the 50 sequences of up to fifty steps that seed 7 generates; `make storm
SECONDS=1800` continues with the next seeds until the time is over. It runs on SQLite, or on the PostgreSQL and Redis of
DATABASE_URL and REDIS_URL, where many threads resume. A broken rule is reported with the shortest sequence found and
the seed that reproduces it.
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

from dev.console import CannotContinue, print_line
from dev.paths import PYTHON, ROOT
from dev.setup import prepare
from dev.test import suite_environment

STORM_TEST = "billing/tests/storm/test_storm.py"
DEFAULT_SEQUENCES = 20
# Sequences between two checks of the time.
SEQUENCES_PER_ROUND = 2
SERVICES = ("DATABASE_URL", "REDIS_URL")


def _parse_number(name: str, text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal():
        raise CannotContinue(f"{name} is {text!r}; it must be a whole number.")
    return int(text)


def plan_rounds(seed: int, *, sequences: int | None, seconds: int | None) -> Iterator[tuple[int, int]]:
    """Yield seeds with the number of sequences to try: one seed, or the next ones until the seconds are over."""
    if seconds is None:
        yield seed, sequences or DEFAULT_SEQUENCES
        return
    until = time.monotonic() + seconds
    for number in count(seed):
        yield number, sequences or SEQUENCES_PER_ROUND
        if time.monotonic() > until:
            return


def server_urls() -> dict[str, str]:
    """Return the URLs of the PostgreSQL and Redis to use; empty for SQLite."""
    urls = {name: os.environ[name] for name in SERVICES if os.environ.get(name)}
    return urls if urls.get("DATABASE_URL", "").startswith("postgres") else {}


def _run_round(seed: int, sequences: int) -> bool:
    print_line(f"\n=== SEED={seed}: {sequences} sequences")
    chosen = "services" if server_urls() else "not services"
    result = subprocess.run(
        [
            str(PYTHON),
            "-m",
            "pytest",
            STORM_TEST,
            "-m",
            chosen,
            "-qq",
            "--show-capture=no",
            f"--hypothesis-seed={seed}",
        ],
        cwd=ROOT,
        env=suite_environment(LONG_SEQUENCES=str(sequences), **server_urls()),
        check=False,
    )
    return result.returncode == 0


def _run_rounds(first: int, *, sequences: int | None, seconds: int | None) -> int:
    """Run rounds until one breaks a rule; return the exit code."""
    where = "PostgreSQL and Redis, where eight threads resume" if server_urls() else "SQLite"
    print_line(f"\nStorms on {where}. A sequence takes about a quarter of a minute.")
    began, held = time.monotonic(), 0
    for seed, many in plan_rounds(first, sequences=sequences, seconds=seconds):
        if not _run_round(seed, many):
            same = " on the same DATABASE_URL and REDIS_URL" if server_urls() else ""
            print_line(f"\nA rule was broken. The same again{same}: make storm SEQUENCES={many} SEED={seed}")
            return 1
        held += many
    numbers = f"SEED={first}" if seed == first else f"SEED={first} to {seed}"
    print_line(f"\nEvery rule held: {held} sequences in {time.monotonic() - began:.0f} s, {numbers}.")
    return 0


def main() -> int:
    """Prepare, run the rounds that the environment asks for, and return the exit code."""
    try:
        seed = _parse_number("SEED", os.environ.get("SEED", ""))
        sequences = _parse_number("SEQUENCES", os.environ.get("SEQUENCES", ""))
        seconds = _parse_number("SECONDS", os.environ.get("SECONDS", ""))
        prepare.prepare_to_test()
    except CannotContinue as error:
        print_line(f"\n{error}")
        return 1
    first = secrets.randbelow(1_000_000) if seed is None else seed
    return _run_rounds(first, sequences=sequences, seconds=seconds)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
