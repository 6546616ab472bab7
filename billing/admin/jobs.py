"""Scheduled jobs, billing's clock, and how far the provider's feed was read."""

from __future__ import annotations

from django.contrib import admin
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin
from billing import clock
from billing.admin.readable import pretty, when
from billing.models import FeedCursor, JobRun, ProviderClock
from billing.services import jobs, progress


@admin.register(JobRun)
class JobRunAdmin(ReadOnlyAdmin):
    """Which job ran for which instant, what it did, what failed."""

    list_display = ("job", "scheduled_for", "started_at", "took", "counted", "error")
    list_filter = ("job", ("error", admin.EmptyFieldListFilter), "scheduled_for")
    search_fields = ("job", "error")
    date_hierarchy = "scheduled_for"
    ordering = ("-scheduled_for", "job")
    fields = ("job", "scheduled_for", "started_at", "finished_at", "took", "all_counts", "error")

    @admin.display(description="took")
    def took(self, run: JobRun) -> str:
        """Tell how long it took, or how far it is."""
        if run.error.startswith(jobs.SUPERSEDED):
            return "never finished"
        if run.finished_at is None:
            return f"not finished: {progress.pace(run, timezone.now())}"
        return f"{(run.finished_at - run.started_at).total_seconds():.1f} s"

    @admin.display(description="counts")
    def counted(self, run: JobRun) -> str:
        """Tell what it did, leaving out what it did nothing of."""
        return ", ".join(f"{name} {count}" for name, count in run.counts.items() if count) or "nothing to do"

    @admin.display(description="counts")
    def all_counts(self, run: JobRun) -> SafeString:
        """Show all counts."""
        return pretty(run.counts)


@admin.register(ProviderClock)
class ProviderClockAdmin(ReadOnlyAdmin):
    """How far billing's clock is ahead; only a test site's ever is."""

    list_display = ("now", "offset_seconds", "refreshed_at")
    fields = ("now", "offset_seconds", "refreshed_at")

    @admin.display(description="billing's now")
    def now(self, row: ProviderClock) -> str:
        """Tell what billing's clock says."""
        return when(clock.now())


@admin.register(FeedCursor)
class FeedCursorAdmin(ReadOnlyAdmin):
    """Up to when the provider's events were read."""

    list_display = ("occurred_at",)
