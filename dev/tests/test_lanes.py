"""The lanes of `make test`: they share one list of suites."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Event

from dev.test import Output, Suite, SuiteSkipped, run_lanes

LONG_SECONDS = 60


def test_a_free_lane_takes_the_next_suite(tmp_path: Path) -> None:
    begun = Event()

    def begin_last(_output: Output) -> bool:
        begun.set()
        return True

    def wait_for_last(_output: Output) -> bool:
        return begun.wait(LONG_SECONDS)

    suites = [Suite("long", wait_for_last), Suite("short", lambda _: True), Suite("last", begin_last)]
    assert sorted(line.split(" (")[0] for line in run_lanes(suites, tmp_path)) == [
        "  last: passed",
        "  long: passed",
        "  short: passed",
    ]


def test_a_suite_begins_when_the_one_that_makes_its_data_has_ended(tmp_path: Path) -> None:
    order: list[str] = []

    def note_begin(name: str, _output: Output) -> bool:
        order.append(name)
        return True

    needs_it = Suite("needs it", partial(note_begin, "needs it"), after="the data")
    run_lanes([needs_it, Suite("the data", partial(note_begin, "the data"))], tmp_path)
    assert order == ["the data", "needs it"]


def test_every_suite_runs_after_a_failure_and_is_summarized(tmp_path: Path) -> None:
    def skip(_output: Output) -> bool:
        raise SuiteSkipped("no server answers")

    def fail(output: Output) -> bool:
        if output:
            output.write(b"what went wrong")
        return False

    lines = run_lanes([Suite("failing", fail), Suite("skipped", skip), Suite("good", lambda _: True)], tmp_path)
    assert any(line.startswith("  failing: FAILED (") for line in lines)
    assert any(line.startswith("  skipped: ") and "no server answers" in line for line in lines)
    assert any(line.startswith("  good: passed (") for line in lines)
