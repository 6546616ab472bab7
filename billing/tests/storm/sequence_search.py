"""Searching for a sequence of acts that breaks a rule (Hypothesis' state machines), on one database that is undone.

Short and always the same in the ordinary suite. For a long search set `LONG_SEQUENCES` to how many sequences of up to
fifty steps to try (100 are thousands of steps, and take about half an hour) and, for other ones than last time,
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
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider

LONG_SEQUENCES = int(os.environ.get("LONG_SEQUENCES", "0"))
LONG_STEPS = 50
# What may be done in the provider's own console.
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

Tell = Callable[[str], None]

plans = st.sampled_from([FAITH, GOSPEL, KIDS])
some_plans = st.frozensets(plans, min_size=1)


@dataclass
class SearchProgress:
    """How far a search has got: each sequence is told until one breaks a rule, then only that it is shortened."""

    tell: Tell
    count: int = 0
    broken: bool = False

    def end_sequence(self, *, broken: bool) -> None:
        """Say that a sequence is over."""
        if not self.broken:
            self.count, self.broken = self.count + 1, broken
            how = "broke a rule. Looking for the fewest steps that do …" if broken else "held"
            self.tell(f"  {self.count}: {how}")


class SequenceMachine(RuleBasedStateMachine):
    """One sequence of acts; what it leaves in the database is undone.

    One that `commits` finds an empty database instead, and commits as the portal does: a process that dies in the
    outermost transaction, what is published after it and what other threads see are then as they are in earnest.
    """

    provider: Provider
    progress: SearchProgress
    commits = False

    def __init__(self) -> None:
        super().__init__()
        self._database = _emptied_database() if self.commits else _rolled_back_database()
        self._database.__enter__()

    def teardown(self) -> None:
        """Undo it, or leave it for the next one to empty."""
        self._database.__exit__(None, None, None)
        self.progress.end_sequence(broken=sys.exc_info()[0] is not None)


def search_sequences(
    machine: type[SequenceMachine],
    provider: Provider,
    *,
    sequences: int,
    steps: int,
    tell: Tell = lambda _: None,
) -> None:
    """Try so many sequences of up to so many steps, or a long search's, of whose progress it tells.

    Raises what a sequence breaks.
    """
    bounds = settings(
        max_examples=LONG_SEQUENCES or sequences,
        stateful_step_count=LONG_STEPS if LONG_SEQUENCES else steps,
        derandomize=not LONG_SEQUENCES,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    shared = {"provider": provider, "progress": SearchProgress(tell if LONG_SEQUENCES else lambda _: None)}
    run_state_machine_as_test(type(machine.__name__, (machine,), shared), settings=bounds)


@contextmanager
def _rolled_back_database() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def _emptied_database() -> Iterator[None]:
    # In any order: what refers to what is looked at when it is committed. TRUNCATE takes seconds for empty tables.
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A machine that loses its power is not among the troubles, and thousands of commits wait for the disk.
            cursor.execute("SET synchronous_commit TO off")
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608  (names of our own)
    try:
        yield
    finally:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("RESET synchronous_commit")
