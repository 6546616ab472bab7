"""`make test`: the Python suite, PostgreSQL and Redis where they answer, the frontend's tests, the browser journeys."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare
from dev.browser import ensure_browser
from dev.console import CannotContinue, say
from dev.places import PYTHON, ROOT, child_environment
from dev.services import POSTGRESQL_PORT, REDIS_PORT, answers, missing_binaries

DATABASE_URL = "postgres://postgres:postgres@127.0.0.1:5432/portal"
REDIS_URL = "redis://127.0.0.1:6379/9"
CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
# Each has a sandbox beside it, so that one core feeds two; more than four processes gain nothing.
FEWEST_WORKERS, MOST_WORKERS = 2, 4

# What the tests decide for themselves, whatever the shell that started them has set.
OURS = (
    "PORTAL_ENV",
    "VAR_DIR",
    "PORT",
    "SANDBOX_PORT",
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "OTP_PEPPER",
    "ALLOWED_HOSTS",
    "BASE_URL",
    "NUM_PROXIES",
    "EMAIL_URL",
    "DEFAULT_FROM_EMAIL",
    "ADMIN_NETWORKS",
    "LOG_LEVEL",
    "HOST",
    "WEB_CONCURRENCY",
    "WEB_THREADS",
    "DJANGO_SETTINGS_MODULE",
)


# Where a part's words go: the console, or a file while others run beside it.
Output = IO[bytes] | None
Part = Callable[[Output], bool]


class LeftOut(Exception):
    """A part could not run here; the message is the one line that says why."""


def suite_environment(**added: str) -> dict[str, str]:
    """The environment of a test run: ours and what is added, of the shell's settings none."""
    environment = child_environment()
    for name in (*OURS, *(name for name in environment if name.startswith(("CHARGEBEE_", "SANDBOX_")))):
        environment.pop(name, None)
    return {**environment, **added}


def _workers() -> str:
    """As many processes as there are cores, within bounds, or as TEST_WORKERS says."""
    cores = max(FEWEST_WORKERS, os.cpu_count() or FEWEST_WORKERS)
    return str(min(MOST_WORKERS, int(os.environ.get("TEST_WORKERS", cores))))


def _run(command: list[str], output: Output, **environment: str) -> bool:
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env=suite_environment(**environment),
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        check=False,
    )
    return ran.returncode == 0


def _pytest(*arguments: str) -> list[str]:
    return [str(PYTHON), "-m", "pytest", *arguments]


def python_suite(output: Output) -> bool:
    """The Python suite on the embedded default: SQLite, no Redis; the sandbox's card fields need a browser."""
    command = _pytest("-n", _workers(), "--dist", "loadfile", "-m", "not services")
    return _run(command, output, CHROMIUM=ensure_browser())


def services_suite(output: Output) -> bool:
    """The tests that need PostgreSQL and Redis. Raises `LeftOut` where they do not answer."""
    database = os.environ.get("TEST_DATABASE_URL", DATABASE_URL)
    redis = os.environ.get("TEST_REDIS_URL", REDIS_URL)
    if not answers(database, POSTGRESQL_PORT):
        raise LeftOut("no PostgreSQL answers at TEST_DATABASE_URL")
    if not answers(redis, REDIS_PORT):
        raise LeftOut("no Redis answers at TEST_REDIS_URL")
    # Two at once: they wait for processes of their own most of the time.
    command = _pytest("-n", "2", "--dist", "loadfile", "-m", "services")
    return _run(command, output, DATABASE_URL=database, REDIS_URL=redis)


def faults_suite(output: Output) -> bool:
    """Faults under the running portal, on servers of its own. Raises `LeftOut` where their binaries are missing."""
    if missing := missing_binaries():
        raise LeftOut(f"no {' and no '.join(missing)} on this machine")
    # Which it is does not matter: the tests start their own.
    # Two portals side by side: most of the time is waiting for time limits.
    return _run(_pytest("faults", "-n", "2", "--dist", "worksteal"), output, DATABASE_URL=DATABASE_URL)


def frontend_suite(output: Output) -> bool:
    """The frontend's unit tests."""
    return _run(["npm", "run", "--silent", "test"], output)


def first_night(data: Path, output: Output) -> bool:
    """A portal's first start and first night: the data that the journeys begin with."""
    return _run([str(PYTHON), "-m", "e2e.demo", str(data)], output)


def journeys(data: Path, output: Output) -> bool:
    """The browser journeys, against real processes."""
    command = _pytest("e2e", "-c", "e2e/pytest.ini", "-n", _workers(), "--dist", "loadfile")
    return _run(command, output, CHROMIUM=ensure_browser(), PREPARED_DEMO=str(data))


def stages(data: Path) -> tuple[dict[str, Part], ...]:
    """All parts, in stages; those of one run side by side, since each leaves cores idle for most of its time."""
    return (
        {"Python on the embedded default": python_suite},
        {
            "Python on PostgreSQL and Redis": services_suite,
            "faults below the portal": faults_suite,
            "the frontend": frontend_suite,
            "a demo's first night": partial(first_night, data),
        },
        {"browser journeys": partial(journeys, data)},
    )


def _run_side_by_side(parts: dict[str, Part], folder: Path) -> list[str]:
    """Run the parts of a stage, the first before one's eyes, and tell of the others then; return a line on each."""
    say(f"\n=== {', '.join(parts)}")
    (first, shown), *others = parts.items()

    def run(name: str, part: Part) -> tuple[str, str]:
        with tempfile.TemporaryFile(dir=folder) as output:
            line = _line(name, part, output)
            output.seek(0)
            return line, output.read().decode(errors="replace")

    with ThreadPoolExecutor(max(1, len(others))) as pool:
        beside = [(name, pool.submit(run, name, part)) for name, part in others]
        lines = [_line(first, shown, None)]
        for name, running in beside:
            line, said = running.result()
            say(f"\n=== {name}\n{said}")
            lines.append(line)
    return lines


def _line(name: str, part: Part, output: Output) -> str:
    began = time.monotonic()
    return f"  {name}: {_outcome(part, output)} ({time.monotonic() - began:.0f} s)"


def _outcome(part: Part, output: Output) -> str:
    try:
        return "passed" if part(output) else "FAILED"
    except LeftOut as reason:
        return f"FAILED: {reason}, and CI leaves nothing out" if CI else f"left out: {reason}"
    except CannotContinue as error:
        return f"FAILED: {error}"


def main() -> int:
    """Run every part to its end and sum up; return the exit code."""
    try:
        prepare.prepare_to_test()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    with tempfile.TemporaryDirectory(prefix="portal-test-") as folder:
        lines = [
            line for parts in stages(Path(folder) / "demo") for line in _run_side_by_side(parts, Path(folder))
        ]
    say("\n=== make test\n" + "\n".join(lines))
    return 1 if any("FAILED" in line for line in lines) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
