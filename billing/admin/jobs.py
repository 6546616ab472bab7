"""Job runs, billing's clock, and the position in the provider's event feed."""

from __future__ import annotations

from django.contrib import admin
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin
from billing import clock
from billing.admin.formatting import format_instant, format_json
from billing.health import progress
from billing.jobs import schedule
from billing.models import FeedCursor, JobRun, ProviderClock


@admin.register(JobRun)
class JobRunAdmin(ReadOnlyAdmin):
    """Job runs with their scheduled time, counts and error."""

    list_display = ("job", "scheduled_for", "started_at", "duration_text", "nonzero_counts", "error")
    list_filter = ("job", ("error", admin.EmptyFieldListFilter), "scheduled_for")
    search_fields = ("job", "error")
    date_hierarchy = "scheduled_for"
    ordering = ("-scheduled_for", "job")
    fields = ("job", "scheduled_for", "started_at", "finished_at", "duration_text", "all_counts", "error")

    @admin.display(description="took")
    def duration_text(self, run: JobRun) -> str:
        """Return how long it took, or its progress."""
        if run.error.startswith(schedule.SUPERSEDED):
            return "never finished"
        if run.finished_at is None:
            return f"running: {progress.describe_pace(run, timezone.now())}"
        return f"{(run.finished_at - run.started_at).total_seconds():.1f} s"

    @admin.display(description="counts")
    def nonzero_counts(self, run: JobRun) -> str:
        """Return the counts that are not 0."""
        return ", ".join(f"{name} {count}" for name, count in run.counts.items() if count) or "nothing to do"

    @admin.display(description="counts")
    def all_counts(self, run: JobRun) -> SafeString:
        """Return all counts."""
        return format_json(run.counts)


@admin.register(ProviderClock)
class ProviderClockAdmin(ReadOnlyAdmin):
    """The offset of billing's clock, which is 0 except on test sites."""

    list_display = ("billing_now", "offset_seconds", "refreshed_at")
    fields = ("billing_now", "offset_seconds", "refreshed_at")

    @admin.display(description="billing's now")
    def billing_now(self, row: ProviderClock) -> str:
        """Return billing's current time."""
        return format_instant(clock.billing_now())


@admin.register(FeedCursor)
class FeedCursorAdmin(ReadOnlyAdmin):
    """The time up to which the provider's events were read."""

    list_display = ("occurred_at",)
