"""`make audit`: ask PyPI and npm whether what is locked has known holes; say so where they cannot be asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare
from dev.checks import BIN
from dev.console import CannotContinue, say
from dev.places import ROOT, child_environment

SECONDS = 180
CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


class NotAsked(Exception):
    """The register could not be asked, or knows none of it; the message is the one line that says why."""


def _answer(command: list[str | Path]) -> dict[str, Any]:
    """Run a command that answers in JSON. Raises `NotAsked` when it does not."""
    try:
        result = subprocess.run(
            [str(part) for part in command],
            cwd=ROOT,
            env=child_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise NotAsked(f"no answer within {SECONDS} s") from error
    try:
        answer: dict[str, Any] = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        raise NotAsked(_last_line(result.stderr)) from error
    return answer


def _last_line(text: str) -> str:
    return ([line.strip() for line in text.splitlines() if line.strip()] or ["no answer"])[-1]


def python_holes(lock: str) -> list[str]:
    """Give the known holes of the packages of a lock file. Raises `NotAsked`."""
    quietly = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    return holes_of_python(_answer([BIN / "pip-audit", *quietly, "-r", lock]))


def holes_of_python(answer: dict[str, Any]) -> list[str]:
    """Read pip-audit's answer. Raises `NotAsked` when nothing is known and a package could not be looked up."""
    packages = answer["dependencies"]
    holes = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'none'}"
        for package in packages
        for hole in package.get("vulns", ())
    ]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped and not holes:
        raise NotAsked(f"{len(skipped)} of {len(packages)} packages were not found, {skipped[0]} for one")
    return holes


def npm_holes() -> list[str]:
    """Give the known holes of what package-lock.json names. Raises `NotAsked`."""
    return holes_of_npm(_answer(["npm", "audit", "--json"]))


def holes_of_npm(answer: dict[str, Any]) -> list[str]:
    """Read npm's answer. Raises `NotAsked` when it is an error."""
    if "vulnerabilities" not in answer:
        raise NotAsked(str(answer.get("message", "no answer")))
    return [
        f"{name}: {hole['severity']}, {hole['range']}" for name, hole in answer["vulnerabilities"].items()
    ]


AUDITS: dict[str, Callable[[], list[str]]] = {
    "requirements.txt": lambda: python_holes("requirements.txt"),
    "requirements-dev.txt": lambda: python_holes("requirements-dev.txt"),
    "package-lock.json": npm_holes,
}


def outcome(audit: Callable[[], list[str]], *, strict: bool) -> tuple[bool, str]:
    """Give whether an audit is passed, and the words for it. What could not be asked fails where `strict`."""
    try:
        holes = audit()
    except NotAsked as reason:
        return not strict, f"NOT AUDITED: {reason}"
    return not holes, "\n    ".join([f"{len(holes)} known holes", *holes]) if holes else "no known hole"


def main() -> int:
    """Audit every lock file; return the exit code."""
    try:
        prepare.prepare_tools()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    passed = True
    for name, audit in AUDITS.items():
        good, words = outcome(audit, strict=CI)
        passed = passed and good
        say(f"  {name}: {words}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
