"""Pause schedules, and resuming before the resume date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from accounts.admin import audit_log
from accounts.admin.desk import account_actions, confirmations
from accounts.admin.lists.large_tables import LargeTableAdmin
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from accounts.models import Account
from billing import clock
from billing.admin.formatting import page_link
from billing.changes import resumes
from billing.errors import QuoteChanged
from billing.jobs.resumes import retry
from billing.models import PauseSchedule
from billing.money import format_cents
from core.errors import PortalError


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


@dataclass(frozen=True)
class ResumeRow:
    """A pause on the confirmation page and what resuming it charges. Without a quote it cannot be confirmed."""

    schedule: PauseSchedule
    account: Account
    description: str
    key: str
    quote: str = ""


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
    actions = ("resume_now",)

    def has_resume_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may resume subscriptions, which charges the subscriber."""
        return request.user.has_perm("billing.act_resume")

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

    @admin.action(description="Resume now…", permissions=["resume"])
    def resume_now(self, request: HttpRequest, schedules: QuerySet[PauseSchedule]) -> HttpResponse | None:
        """Ask for confirmation with the charges, then resume each pause and report the outcome."""
        selected = list(schedules.select_related("subscription__customer__account"))
        if "confirmed" not in request.POST:
            return self._ask_to_resume(request, selected)
        requoted = [
            schedule
            for schedule, account in _with_accounts(selected)
            if not self._resume_paused(request, schedule, account)
        ]
        return self._ask_to_resume(request, requoted) if requoted else None

    def _ask_to_resume(self, request: HttpRequest, schedules: Iterable[PauseSchedule]) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "Resume now?",
            "opts": self.model._meta,
            "rows": [_resume_row(schedule, account) for schedule, account in _with_accounts(schedules)],
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "admin/billing/pauseschedule/resume_now.html", context)

    def _resume_paused(self, request: HttpRequest, schedule: PauseSchedule, account: Account) -> bool:
        """Resume a pause and report the outcome; return False when the quote changed and must be confirmed again."""
        try:
            resumes.resume_subscriptions(
                account,
                subscription_ids=[schedule.subscription.provider_id],
                # Empty for a pause whose figures the operator never saw: no quote matches it.
                quote=confirmations.submitted_quote(request, f"quote-{schedule.pk}"),
                key=confirmations.submitted_key(request, f"key-{schedule.pk}"),
                actor=audit_log.operator_actor(request),
                now=clock.billing_now(),
            )
        except QuoteChanged:
            messages.warning(request, f"{_pause_label(schedule)}: the amount has changed. Nothing was charged.")
            return False
        except PortalError as error:
            messages.error(request, f"{_pause_label(schedule)}: {account_actions.describe_error(error)}")
        else:
            # No name or address: the log outlives an erased account.
            audit_log.log_action(request, account, f"Resumed {schedule.subscription.provider_id}.")
            messages.success(request, f"{_pause_label(schedule)} is active again.")
        return True


def _with_accounts(schedules: Iterable[PauseSchedule]) -> Iterator[tuple[PauseSchedule, Account]]:
    """Yield the schedules whose customer has an account; others cannot be charged through the portal."""
    for schedule in schedules:
        account = schedule.subscription.customer.account
        if account is not None:
            yield schedule, account


def _pause_label(schedule: PauseSchedule) -> str:
    """Return the plan and the subscriber of a pause."""
    subscription = schedule.subscription
    return f"{subscription.plan.name} of {subscription.customer.email}"


def _resume_row(schedule: PauseSchedule, account: Account) -> ResumeRow:
    """Return what resuming would charge, or why it is impossible."""
    key = confirmations.new_action_key()
    try:
        estimate = resumes.estimate_resume(
            account, subscription_ids=[schedule.subscription.provider_id], days=None, now=clock.billing_now()
        )
    except PortalError as error:
        return ResumeRow(schedule, account, f"can't be resumed: {error.message}", key)
    charge = format_cents(estimate.amount_due, estimate.currency_code)
    return ResumeRow(schedule, account, f"charges {charge} now", key, estimate.quote)
