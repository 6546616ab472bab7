"""A search for sequences of acts that break a rule, with Hypothesis' state machines on the test database.

It is short and deterministic in the ordinary suite. For a long search set `LONG_SEQUENCES` to the number of sequences
of up to fifty steps (100 are thousands of steps, and take about half an hour) and, for other sequences than last time,
`--hypothesis-seed` to any number.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.errors import StopTest
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider

LONG_SEQUENCES = int(os.environ.get("LONG_SEQUENCES", "0"))
LONG_STEPS = 50
# Actions in the provider's console.
CONSOLE_ACTIONS = (
    "cancel now",
    "cancel later",
    "keep",
    "pause now",
    "pause later",
    "take pause back",
    "resume",
    "drop change",
)

ReportProgress = Callable[[str], None]

plans = st.sampled_from([FAITH, GOSPEL, KIDS])
some_plans = st.frozensets(plans, min_size=1)


@dataclass
class SearchProgress:
    """The progress of a search: reports each sequence until one breaks a rule and is shortened."""

    report_progress: ReportProgress
    count: int = 0
    broken: bool = False

    def end_sequence(self, *, broken: bool) -> None:
        """Count and report a finished sequence."""
        if not self.broken:
            self.count, self.broken = self.count + 1, broken
            how = "broke a rule. Looking for the fewest steps that do …" if broken else "held"
            self.report_progress(f"  {self.count}: {how}")


class SequenceMachine(RuleBasedStateMachine):
    """One sequence of acts, rolled back at its end.

    A machine that `commits` starts with empty tables instead, and commits as the portal does. Then kills in the
    outermost transaction, work on commit and other threads behave as in production.
    """

    provider: Provider
    progress: SearchProgress
    commits = False

    def __init__(self) -> None:
        super().__init__()
        self._database = _emptied_database() if self.commits else _rolled_back_database()
        self._database.__enter__()

    def teardown(self) -> None:
        """Roll back, or leave the rows for the next sequence to delete."""
        self._database.__exit__(None, None, None)
        # Hypothesis ends a sequence that grows too long by an exception too, which breaks no rule.
        error = sys.exc_info()[1]
        self.progress.end_sequence(broken=error is not None and not isinstance(error, StopTest))


def search_sequences(
    machine: type[SequenceMachine],
    provider: Provider,
    *,
    sequences: int,
    steps: int,
    report_progress: ReportProgress = lambda _: None,
) -> None:
    """Try `sequences` of up to `steps` steps, or those of a long search, which reports its progress.

    Raises the error of a sequence that breaks a rule.
    """
    bounds = settings(
        max_examples=LONG_SEQUENCES or sequences,
        stateful_step_count=LONG_STEPS if LONG_SEQUENCES else steps,
        derandomize=not LONG_SEQUENCES,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    shared = {"provider": provider, "progress": SearchProgress(report_progress if LONG_SEQUENCES else lambda _: None)}
    run_state_machine_as_test(type(machine.__name__, (machine,), shared), settings=bounds)


@contextmanager
def _rolled_back_database() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def _emptied_database() -> Iterator[None]:
    # In any order: foreign keys are checked on commit. TRUNCATE takes seconds for empty tables.
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Power loss is not tested, and thousands of commits would wait for the disk.
            cursor.execute("SET synchronous_commit TO off")
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608  (names of our own)
    try:
        yield
    finally:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("RESET synchronous_commit")
