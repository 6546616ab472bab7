"""Reconcile runs: comparisons of the mirror with the provider."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin
from billing.admin.formatting import format_json
from billing.models import ReconcileRun


@admin.register(ReconcileRun)
class ReconcileRunAdmin(ReadOnlyAdmin):
    """Runs, newest first, with their progress, counts and last error."""

    list_display = (
        "work",
        "started_at",
        "updated_at",
        "current_stage",
        "compared",
        "mended",
        "failed",
        "error",
    )
    list_filter = ("work", ("finished_at", admin.EmptyFieldListFilter), "started_at")
    search_fields = ("error",)
    date_hierarchy = "started_at"
    ordering = ("-started_at", "-pk")
    fields = (
        "work",
        ("started_at", "updated_at", "finished_at"),
        "current_stage",
        ("compared", "mended", "failed"),
        "counts_by_kind",
        "error",
        ("offset", "after", "up_to"),
        ("attempts", "next_attempt_at"),
    )

    @admin.display(description="where")
    def current_stage(self, run: ReconcileRun) -> str:
        """Return the stage it is at."""
        if run.finished_at is not None:
            return "ended"
        return f"{run.stage}: {'missing records' if run.looking else 'existing records'}"

    @admin.display(description="by kind")
    def counts_by_kind(self, run: ReconcileRun) -> SafeString:
        """Return the counts by kind of record."""
        return format_json(run.counts)
