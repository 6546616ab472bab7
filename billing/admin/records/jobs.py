"""Job runs, billing's clock, and the position in the provider's event feed."""

from __future__ import annotations

from dataclasses import asdict

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.admin import audit_log
from accounts.admin.lists.display import format_instant
from accounts.admin.lists.read_only import ReadOnlyAdmin
from billing import clock, job_runs
from billing.admin.formatting import format_json
from billing.health import progress
from billing.jobs import schedule
from billing.models import FeedCursor, JobRun, ProviderClock


@admin.register(JobRun)
class JobRunAdmin(ReadOnlyAdmin):
    """Job runs, newest first, with their slot, progress, counts and error."""

    list_display = (
        "job",
        "scheduled_for",
        "started_at",
        "duration_text",
        "current_stage",
        "nonzero_counts",
        "error",
    )
    list_filter = (
        "job",
        ("error", admin.EmptyFieldListFilter),
        ("finished_at", admin.EmptyFieldListFilter),
        "started_at",
    )
    search_fields = ("job", "error")
    date_hierarchy = "started_at"
    ordering = ("-started_at", "-pk")
    actions = ("run_again",)
    fields = (
        ("job", "scheduled_for"),
        ("started_at", "updated_at", "finished_at"),
        "duration_text",
        "current_stage",
        "all_counts",
        "all_counts_by_stage",
        "error",
        "position",
        ("attempts", "next_attempt_at"),
    )

    def has_run_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may run jobs again."""
        return request.user.has_perm("billing.change_jobrun")

    @admin.action(description="Run again", permissions=["run"])
    def run_again(self, request: HttpRequest, runs: QuerySet[JobRun]) -> None:
        """Run the selected jobs again, each from its newest run. What is done is not done twice."""
        for run in runs:
            if schedule.run_again(run):
                audit_log.log_action(request, run, "Had it run again.")
                messages.success(request, f"{run.job} runs again.")
            else:
                messages.error(
                    request,
                    f"{run} was not run again. Choose the job's newest run, one that no worker has. "
                    "A command of manage.py is run again on the server.",
                )

    @admin.display(description="took")
    def duration_text(self, run: JobRun) -> str:
        """Return how long it took, or its progress."""
        if run.error.startswith(job_runs.ABANDONED):
            return "never finished"
        if run.finished_at is None:
            return f"running: {progress.describe_pace(run, timezone.now())}"
        return f"{(run.finished_at - run.started_at).total_seconds():.1f} s"

    @admin.display(description="stage")
    def current_stage(self, run: JobRun) -> str:
        """Return the stage of a run that works in portions."""
        return progress.describe_stage(run)

    @admin.display(description="counts")
    def nonzero_counts(self, run: JobRun) -> str:
        """Return the counts that are not 0."""
        return ", ".join(f"{name} {count}" for name, count in run.counts.items() if count) or "nothing to do"

    @admin.display(description="counts")
    def all_counts(self, run: JobRun) -> SafeString:
        """Return all counts."""
        return format_json(run.counts)

    @admin.display(description="counts by stage")
    def all_counts_by_stage(self, run: JobRun) -> SafeString:
        """Return the counts of each stage."""
        return format_json(run.counts_by_stage)

    @admin.display(description="continues at")
    def position(self, run: JobRun) -> SafeString:
        """Return the cursor."""
        return format_json(asdict(run.cursor) if run.cursor else {})


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

    list_display = ("reading", "occurred_at")
