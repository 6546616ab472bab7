"""`make test`: Python, PostgreSQL and Redis, faults, a rehearsal of production, the frontend, the browser journeys."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Condition
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import CannotContinue, print_line
from dev.paths import PYTHON, ROOT, child_environment
from dev.rehearse import run_rehearsal
from dev.servers import POSTGRESQL_PORT, REDIS_PORT, is_listening, missing_binaries
from dev.setup import prepare
from dev.setup.chromium import ensure_browser
from dev.setup.system_packages import ensure_nginx, ensure_pgbouncer, ensure_promtool

DATABASE_URL = "postgres://postgres:postgres@127.0.0.1:5432/portal"
REDIS_URL = "redis://127.0.0.1:6379/9"
CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
# More than four gain nothing.
FEWEST_WORKERS, MOST_WORKERS = 2, 4
# Every process would load this plugin for a second, and only the suite on SQLite uses it.
WITHOUT_FUZZING = ("-p", "no:schemathesis")

# Variables that the tests set themselves, whatever the shell has set.
OWN_VARIABLES = (
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
    "WEB_PROCESSES",
    "WEB_THREADS",
    "DJANGO_SETTINGS_MODULE",
)


# Where a suite's output goes: the console (None), or a file while other suites run.
Output = IO[bytes] | None


@dataclass(frozen=True)
class Suite:
    """A suite of tests: `run` returns whether it passed. It begins once the suite named by `after` has ended."""

    name: str
    run: Callable[[Output], bool]
    after: str = ""


class SuiteSkipped(Exception):
    """A suite cannot run here; the message says why in one line."""


def suite_environment(**added: str) -> dict[str, str]:
    """Return the environment of a test run: ours and what is added, without the shell's settings."""
    environment = child_environment()
    for name in (
        *OWN_VARIABLES,
        *(name for name in environment if name.startswith(("CHARGEBEE_", "SANDBOX_"))),
    ):
        environment.pop(name, None)
    return {**environment, **added}


def _worker_count(*, spare: int = 0) -> str:
    """Return TEST_WORKERS, or the number of cores and some to spare, within bounds."""
    workers = max(FEWEST_WORKERS, os.cpu_count() or FEWEST_WORKERS) + spare
    return str(min(MOST_WORKERS, int(os.environ.get("TEST_WORKERS", workers))))


def _run_suite(command: list[str], output: Output, **environment: str) -> bool:
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=suite_environment(**environment),
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        check=False,
    )
    return result.returncode == 0


def _pytest_command(*arguments: str) -> list[str]:
    return [str(PYTHON), "-m", "pytest", *arguments]


def python_suite(output: Output) -> bool:
    """Run the Python suite on SQLite without Redis; the sandbox's card fields need a browser."""
    ensure_promtool()
    # One more than cores: a test waits for its sandbox, and the last files wait for processes of their own.
    command = _pytest_command("-n", _worker_count(spare=1), "--dist", "loadfile", "-m", "not services")
    return _run_suite(command, output, CHROMIUM=ensure_browser())


def services_files() -> list[str]:
    """Return the test files with a test that needs services: collecting all others takes longer than running these."""
    files = sorted(ROOT.glob("*/tests/**/test_*.py"))
    return [str(file) for file in files if "pytest.mark.services" in file.read_text()]


def services_suite(output: Output) -> bool:
    """Run the tests that need PostgreSQL and Redis. Raises `SuiteSkipped` if they do not answer."""
    database = os.environ.get("TEST_DATABASE_URL", DATABASE_URL)
    redis = os.environ.get("TEST_REDIS_URL", REDIS_URL)
    if not is_listening(database, POSTGRESQL_PORT):
        raise SuiteSkipped("no PostgreSQL answers at TEST_DATABASE_URL")
    if not is_listening(redis, REDIS_PORT):
        raise SuiteSkipped("no Redis answers at TEST_REDIS_URL")
    # Two at once: most of the time they wait for processes of their own.
    command = _pytest_command(*services_files(), *WITHOUT_FUZZING, "-n", "2", "--dist", "loadfile", "-m", "services")
    return _run_suite(command, output, DATABASE_URL=database, REDIS_URL=redis)


def faults_suite(output: Output) -> bool:
    """Run the fault tests on servers of their own. Raises `SuiteSkipped` if their binaries are missing."""
    ensure_nginx()
    ensure_pgbouncer()
    if missing := missing_binaries():
        raise SuiteSkipped(f"no {' and no '.join(missing)} on this machine")
    # DATABASE_URL only selects PostgreSQL: the tests start their own server.
    # Two portals at once: most of the time they wait for time-outs.
    command = _pytest_command("faults", *WITHOUT_FUZZING, "-n", "2", "--dist", "worksteal")
    return _run_suite(command, output, DATABASE_URL=DATABASE_URL)


def rehearsal_suite(output: Output) -> bool:
    """Rehearse production on this machine. Raises `SuiteSkipped` if something that it needs is missing."""
    ensure_nginx()
    try:
        return run_rehearsal(output)
    except CannotContinue as error:
        raise SuiteSkipped(str(error)) from error


def frontend_suite(output: Output) -> bool:
    """Run the frontend's unit tests."""
    return _run_suite(["npm", "run", "--silent", "test"], output)


def prepare_journey_data(data: Path, output: Output) -> bool:
    """Run a demo through its first start and first night: the data that the journeys begin with."""
    return _run_suite([str(PYTHON), "-m", "e2e.support.demo_portal", str(data)], output)


def browser_suite(data: Path, output: Output) -> bool:
    """Run the browser journeys against real processes."""
    command = _pytest_command("e2e", "-c", "e2e/pytest.ini", "-n", _worker_count(), "--dist", "loadfile")
    return _run_suite(command, output, CHROMIUM=ensure_browser(), PREPARED_DEMO=str(data))


def listed_suites(data: Path) -> list[Suite]:
    """Return all suites in the order in which they begin: the longest first, so that both lanes end at about one time.

    The faults mostly wait, for time-outs, so they leave the Python suite the cores that it needs.
    """
    night = "a demo's first night"
    return [
        Suite("Python on the embedded default", python_suite),
        Suite(night, partial(prepare_journey_data, data)),
        Suite("faults below the portal", faults_suite),
        Suite("browser journeys", partial(browser_suite, data), after=night),
        Suite("Python on PostgreSQL and Redis", services_suite),
        Suite("a rehearsal of production", rehearsal_suite),
        Suite("the frontend", frontend_suite),
    ]


class SuiteList:
    """Suites that wait to be run; lanes take them, each the first that it may begin."""

    def __init__(self, suites: Sequence[Suite]) -> None:
        self._waiting = list(suites)
        self._ended: set[str] = set()
        self._change = Condition()

    def take_suite(self) -> Suite | None:
        """Return a suite whose data is there, if need be once another lane has made it; None if no suite is left."""
        with self._change:
            while self._waiting:
                for suite in self._waiting:
                    if not suite.after or suite.after in self._ended:
                        self._waiting.remove(suite)
                        return suite
                self._change.wait()
            return None

    def drop_rest(self) -> None:
        """Let no further suite begin."""
        with self._change:
            self._waiting.clear()
            self._change.notify_all()

    def mark_ended(self, suite: Suite) -> None:
        """Let those begin that wait for this suite."""
        with self._change:
            self._ended.add(suite.name)
            self._change.notify_all()


def run_lanes(suites: Sequence[Suite], folder: Path) -> list[str]:
    """Run suites in two lanes, one on the console, and print the other's output afterwards; return summaries."""
    waiting = SuiteList(suites)
    with ThreadPoolExecutor(1) as pool:
        captured = pool.submit(_run_captured, waiting, folder)
        try:
            lines = _run_shown(waiting)
        except BaseException:
            # Ctrl-C ends the suite of the other lane, too, which would take the next one.
            waiting.drop_rest()
            raise
        for line, output in captured.result():
            print_line(output)
            lines.append(line)
    return lines


def _run_shown(suites: SuiteList) -> list[str]:
    lines = []
    while suite := suites.take_suite():
        print_line(f"\n=== {suite.name}")
        try:
            lines.append(_run_and_summarize(suite, None))
        finally:
            suites.mark_ended(suite)
    return lines


def _run_captured(suites: SuiteList, folder: Path) -> list[tuple[str, str]]:
    """Run the suites of a lane; return the summary and the output of each."""
    outcomes = []
    while suite := suites.take_suite():
        with tempfile.TemporaryFile(dir=folder) as output:
            try:
                line = _run_and_summarize(suite, output)
            finally:
                suites.mark_ended(suite)
            output.seek(0)
            outcomes.append((line, f"\n=== {suite.name}\n{output.read().decode(errors='replace')}"))
    return outcomes


def _run_and_summarize(suite: Suite, output: Output) -> str:
    began = time.monotonic()
    return f"  {suite.name}: {_suite_outcome(suite, output)} ({time.monotonic() - began:.0f} s)"


def _suite_outcome(suite: Suite, output: Output) -> str:
    try:
        return "passed" if suite.run(output) else "FAILED"
    except SuiteSkipped as reason:
        return f"FAILED: {reason}, and CI leaves nothing out" if CI else f"left out: {reason}"
    except CannotContinue as error:
        return f"FAILED: {error}"


def main() -> int:
    """Run all suites, even after a failure, and print a summary; return the exit code."""
    try:
        prepare.prepare_to_test()
    except CannotContinue as error:
        print_line(f"\n{error}")
        return 1
    with tempfile.TemporaryDirectory(prefix="portal-test-") as folder:
        lines = run_lanes(listed_suites(Path(folder) / "demo"), Path(folder))
    print_line("\n=== make test\n" + "\n".join(lines))
    return 1 if any("FAILED" in line for line in lines) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
