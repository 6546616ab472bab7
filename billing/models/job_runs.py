"""Runs of jobs: which job ran for which slot, with which result, and how far a long one has got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import models

from core.clock import database_now
from core.workers.leases import Leased, LeaseQuerySet

RECONCILE = "reconcile"
BUNDLES = "bundles"
ADDRESSES = "addresses"
# Not scheduled: an operator runs them.
REPAIR = "manage.py reconcile"
CHECK = "manage.py reconcile --check"
IMPORT = "manage.py import_site"
# A comparison of the whole site, of which each night does a part.
ROUND = "reconcile whole site"


@dataclass(frozen=True)
class Cursor:
    """Where a run continues: a stage, and the position in it.

    A stage that compares records first reads the provider's list, whose next page is at `offset`. When `is_list_read`,
    it goes through our rows by primary key, from `after` (exclusive) to `up_to`, our newest row when the stage began.
    Other stages only go through our rows.

    `reached` is the creation time of the last record that was listed: the list continues there if the provider does not
    accept the offset any more. `since` limits the lists to records that were updated after it, and `began` is when the
    run began to compare. All three are in seconds of billing's time, 0 for none.
    """

    stage: str
    offset: str = ""
    is_list_read: bool = False
    after: int = 0
    up_to: int | None = None
    reached: int = 0
    since: int = 0
    began: int = 0

    def next_stage(self, stages: Sequence[str]) -> Cursor | None:
        """Return the start of the stage that follows this one; None after the last."""
        following = stages[stages.index(self.stage) + 1 :]
        return Cursor(following[0], since=self.since, began=self.began) if following else None


class CursorField(models.JSONField):
    """A cursor, stored as JSON. Only this field reads and writes its stored form."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return the cursor; for a lookup inside the JSON, its raw value."""
        stored = super().from_db_value(value, expression, connection)
        return Cursor(**stored) if isinstance(stored, dict) else stored

    def get_prep_value(self, value: Any) -> Any:
        """Return the JSON of a cursor."""
        return super().get_prep_value(asdict(value) if isinstance(value, Cursor) else value)


class JobRun(Leased):
    """One run of one job: for a slot of its schedule, or because an operator asked for it.

    A job that works in portions has a cursor. The number of such a run marks the rows of the mirror that it has seen at
    the provider.
    """

    UNFINISHED = models.Q(finished_at__isnull=True)

    job = models.CharField(max_length=40)
    scheduled_for = models.DateTimeField(
        null=True,
        blank=True,
        help_text="The slot, on billing's clock; empty if an operator requested the run.",
    )
    started_at = models.DateTimeField(default=database_now)
    updated_at = models.DateTimeField(auto_now=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cursor = CursorField(null=True, blank=True, help_text="Where it continues, if it works in portions.")
    counts = models.JSONField(default=dict, help_text="What was done, skipped and failed.")
    counts_by_stage = models.JSONField(default=dict, help_text="The same for each stage of its cursor.")
    error = models.TextField(blank=True, help_text="Why it stopped last.")
    failures = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Unexpected errors since it last got on."
    )

    objects = LeaseQuerySet["JobRun"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "scheduled_for"], name="one_run_per_slot"),
            models.UniqueConstraint(
                fields=["job"],
                condition=models.Q(finished_at__isnull=True, cursor__isnull=False) & ~models.Q(job=CHECK),
                name="one_unfinished_run_with_a_cursor",
            ),
        ]
        indexes = [models.Index(fields=["-started_at"], name="run_newest")]

    def __str__(self) -> str:
        return f"{self.job} {self.scheduled_for or self.started_at:%Y-%m-%d %H:%M}"
