"""Pause schedules. A subscription is resumed on its account's page, with a reason."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from accounts.admin.lists.large_tables import LargeTableAdmin
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from billing import clock
from billing.admin.formatting import page_link
from billing.changes import resumes
from billing.jobs.resumes import retry
from billing.models import PauseSchedule


class OverdueFilter(admin.SimpleListFilter):
    """Filters pauses whose resume date has passed."""

    title = "overdue"
    parameter_name = "overdue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the only choice."""
        return [("yes", "overdue")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[PauseSchedule]) -> QuerySet[PauseSchedule]:
        """Return the overdue pauses when the filter is on."""
        if self.value() != "yes":
            return queryset
        return queryset.filter(state=PauseSchedule.State.PAUSED, resume_date__lte=clock.billing_now())


@admin.register(PauseSchedule)
class PauseScheduleAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """Pauses, newest first."""

    list_display = (
        "subscription_page",
        "account_page",
        "state",
        "pause_date",
        "resume_date",
        "failed_attempts",
        "last_error",
        "retry_at",
        "given_up_at",
        "closed_because",
    )
    account_lookup = "subscription__customer__account__id__exact"
    list_filter = ("state", OverdueFilter, ("given_up_at", admin.EmptyFieldListFilter), "resume_date")
    list_select_related = ("subscription__customer__account",)
    search_fields = ("subscription__provider_id__exact", "subscription__customer__email__startswith")
    fields = (
        "subscription_page",
        "account_page",
        "state",
        "pause_date",
        "resume_date",
        "created_at",
        "closed_at",
        "closed_because",
        "failed_attempts",
        "declines",
        "declined_with",
        "last_error",
        "retry_at",
        "given_up_at",
    )

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, with the number of overdue pauses (docs/rules.md, rule 1)."""
        overdue, given_up = resumes.count_overdue_resumes(now=clock.billing_now()), retry.count_given_up()
        subtitle = f"{overdue} overdue, {given_up} of them no longer retried"
        subtitle = subtitle if overdue else "None overdue"
        return super().changelist_view(request, {"subtitle": subtitle, **(extra_context or {})})

    @admin.display(description="subscription", ordering="subscription__provider_id")
    def subscription_page(self, schedule: PauseSchedule) -> SafeString | str:
        """Return a link to the subscription."""
        return page_link(schedule.subscription)

    @admin.display(description="account", ordering="subscription__customer__account__email")
    def account_page(self, schedule: PauseSchedule) -> SafeString | str:
        """Return a link to the account."""
        return account_link(schedule.subscription.customer.account)
