"""Searching for a sequence of acts that breaks a rule (Hypothesis' state machines), on one database that is undone.

Short and always the same in the ordinary suite. For a long search set `LONG_SEQUENCES` to how many sequences of up to
fifty steps to try (100 are thousands of steps, and take about half an hour) and, for other ones than last time,
`--hypothesis-seed` to any number.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from billing.tests.live import FAITH, GOSPEL, KIDS, Provider

LONG = int(os.environ.get("LONG_SEQUENCES", "0"))
LONG_STEPS = 50
# What may be done in the provider's own console.
CONSOLE = (
    "cancel now",
    "cancel later",
    "keep",
    "pause now",
    "pause later",
    "take pause back",
    "resume",
    "drop change",
)

plans = st.sampled_from([FAITH, GOSPEL, KIDS])
some_plans = st.frozensets(plans, min_size=1)


class Sequence(RuleBasedStateMachine):
    """One sequence of acts; what it leaves in the database is undone."""

    provider: Provider

    def __init__(self) -> None:
        super().__init__()
        self._database = _undone()
        self._database.__enter__()

    def teardown(self) -> None:
        """Undo it."""
        self._database.__exit__(None, None, None)


def search(machine: type[Sequence], provider: Provider, *, sequences: int, steps: int) -> None:
    """Try so many sequences of up to so many steps, or a long search's. Raises what a sequence breaks."""
    bounds = settings(
        max_examples=LONG or sequences,
        stateful_step_count=LONG_STEPS if LONG else steps,
        derandomize=not LONG,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(type(machine.__name__, (machine,), {"provider": provider}), settings=bounds)


@contextmanager
def _undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
