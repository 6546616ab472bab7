"""`make audit`: ask PyPI and npm for known vulnerabilities of the locked packages; report what could not be asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.check_list import BIN
from dev.console import CannotContinue, print_line
from dev.paths import ROOT, child_environment
from dev.setup import prepare

TIMEOUT_SECONDS = 180
CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


class AuditUnavailable(Exception):
    """The registry could not be asked or does not know the packages; the message says why in one line."""


def _json_answer(command: list[str | Path]) -> dict[str, Any]:
    """Run a command and return its JSON output. Raises `AuditUnavailable` if there is none."""
    try:
        result = subprocess.run(
            [str(part) for part in command],
            cwd=ROOT,
            env=child_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise AuditUnavailable(f"no answer within {TIMEOUT_SECONDS} s") from error
    try:
        answer: dict[str, Any] = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        raise AuditUnavailable(_last_line(result.stderr)) from error
    return answer


def _last_line(text: str) -> str:
    return ([line.strip() for line in text.splitlines() if line.strip()] or ["no answer"])[-1]


def audit_python(lock: str) -> list[str]:
    """Return the known vulnerabilities of a lock file's packages. Raises `AuditUnavailable`."""
    options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    return parse_python_answer(_json_answer([BIN / "pip-audit", *options, "-r", lock]))


def parse_python_answer(answer: dict[str, Any]) -> list[str]:
    """Parse pip-audit's output. Raises `AuditUnavailable` if it found nothing and a package was unknown to it."""
    packages = answer["dependencies"]
    holes = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'none'}"
        for package in packages
        for hole in package.get("vulns", ())
    ]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped and not holes:
        raise AuditUnavailable(f"{len(skipped)} of {len(packages)} packages were not found, {skipped[0]} for one")
    return holes


def audit_npm() -> list[str]:
    """Return the known vulnerabilities of the packages in package-lock.json. Raises `AuditUnavailable`."""
    return parse_npm_answer(_json_answer(["npm", "audit", "--json"]))


def parse_npm_answer(answer: dict[str, Any]) -> list[str]:
    """Parse npm's output. Raises `AuditUnavailable` if it is an error."""
    if "vulnerabilities" not in answer:
        raise AuditUnavailable(str(answer.get("message", "no answer")))
    return [f"{name}: {hole['severity']}, {hole['range']}" for name, hole in answer["vulnerabilities"].items()]


AUDITS: dict[str, Callable[[], list[str]]] = {
    "requirements.txt": lambda: audit_python("requirements.txt"),
    "requirements-dev.txt": lambda: audit_python("requirements-dev.txt"),
    "requirements-node.txt": lambda: audit_python("requirements-node.txt"),
    "package-lock.json": audit_npm,
}


def audit_outcome(audit: Callable[[], list[str]], *, strict: bool) -> tuple[bool, str]:
    """Return whether an audit passed, and a summary. If `strict`, an audit that could not be made fails."""
    try:
        holes = audit()
    except AuditUnavailable as reason:
        return not strict, f"NOT AUDITED: {reason}"
    return not holes, "\n    ".join([f"{len(holes)} known holes", *holes]) if holes else "no known hole"


def main() -> int:
    """Audit every lock file; return the exit code."""
    try:
        prepare.prepare_tools()
    except CannotContinue as error:
        print_line(f"\n{error}")
        return 1
    passed = True
    for name, audit in AUDITS.items():
        audit_passed, summary = audit_outcome(audit, strict=CI)
        passed = passed and audit_passed
        print_line(f"  {name}: {summary}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
