"""Comparisons of the mirror with the provider: how far each got, what it mended, why it stopped."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin
from billing.admin.readable import pretty
from billing.models import ReconcileRun


@admin.register(ReconcileRun)
class ReconcileRunAdmin(ReadOnlyAdmin):
    """Runs, the newest first; one that is under way shows where it is."""

    list_display = ("work", "started_at", "updated_at", "where", "compared", "mended", "failed", "error")
    list_filter = ("work", ("finished_at", admin.EmptyFieldListFilter), "started_at")
    search_fields = ("error",)
    date_hierarchy = "started_at"
    ordering = ("-started_at", "-pk")
    fields = (
        "work",
        ("started_at", "updated_at", "finished_at"),
        "where",
        ("compared", "mended", "failed"),
        "by_kind",
        "error",
        ("offset", "after", "up_to"),
        ("attempts", "leased_until"),
    )

    @admin.display(description="where")
    def where(self, run: ReconcileRun) -> str:
        """Tell what it is at."""
        if run.finished_at is not None:
            return "ended"
        return f"{run.stage}: {'what is gone' if run.looking else 'what is there'}"

    @admin.display(description="by kind")
    def by_kind(self, run: ReconcileRun) -> SafeString:
        """Show what was done of each kind."""
        return pretty(run.counts)
