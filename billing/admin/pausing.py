"""Pause schedules: what was promised, what became of it, and resuming before the date."""

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

from accounts.admin import acts, journal
from accounts.admin.read_only import ReadOnlyAdmin, account_link
from accounts.models import Account
from billing import clock
from billing.admin.readable import page_link
from billing.catalog import find_plan
from billing.errors import QuoteChanged
from billing.models import PauseSchedule
from billing.money import format_cents
from billing.services import resume_retries, resumes
from portal.errors import PortalError


class OverdueFilter(admin.SimpleListFilter):
    """Pauses in effect that should have ended by now."""

    title = "overdue"
    parameter_name = "overdue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the one choice there is."""
        return [("yes", "past the resume date and still paused")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[PauseSchedule]) -> QuerySet[PauseSchedule]:
        """Narrow the list to them."""
        if self.value() != "yes":
            return queryset
        return queryset.filter(state=PauseSchedule.State.PAUSED, resume_date__lte=clock.now())


@dataclass(frozen=True)
class Row:
    """One pause in the question: what resuming it does; without a quote there is nothing to confirm."""

    schedule: PauseSchedule
    account: Account
    told: str
    key: str
    quote: str = ""


@admin.register(PauseSchedule)
class PauseScheduleAdmin(ReadOnlyAdmin):
    """One row per pause, newest first."""

    list_display = (
        "subscription_page",
        "account_page",
        "state",
        "pause_date",
        "resume_date",
        "attempts",
        "last_error",
        "next_try_at",
        "given_up_at",
        "closed_because",
    )
    account_lookup = "subscription__customer__account__id__exact"
    list_filter = ("state", OverdueFilter, ("given_up_at", admin.EmptyFieldListFilter), "resume_date")
    list_select_related = ("subscription__customer__account",)
    search_fields = ("subscription__provider_id", "subscription__customer__email")
    date_hierarchy = "pause_date"
    ordering = ("-created_at", "-pk")
    fields = (
        "subscription_page",
        "account_page",
        "state",
        "pause_date",
        "resume_date",
        "created_at",
        "closed_at",
        "closed_because",
        "attempts",
        "declines",
        "declined_with",
        "last_error",
        "next_try_at",
        "given_up_at",
    )
    actions = ("resume_now",)

    def has_resume_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may resume for a subscriber, which charges them."""
        return request.user.has_perm("billing.change_pauseschedule")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, and how many pauses are overdue (contract, rule 1)."""
        late, given_up = resumes.overdue(now=clock.now()), resume_retries.given_up()
        told = f"{late} past the resume date and still paused, {given_up} of them not tried any more"
        told = told if late else "None is overdue."
        return super().changelist_view(request, {"subtitle": told, **(extra_context or {})})

    @admin.display(description="subscription", ordering="subscription__provider_id")
    def subscription_page(self, schedule: PauseSchedule) -> SafeString | str:
        """Link to the subscription."""
        return page_link(schedule.subscription)

    @admin.display(description="account", ordering="subscription__customer__account__email")
    def account_page(self, schedule: PauseSchedule) -> SafeString | str:
        """Link to the account."""
        return account_link(schedule.subscription.customer.account)

    @admin.action(description="Resume now…", permissions=["resume"])
    def resume_now(self, request: HttpRequest, schedules: QuerySet[PauseSchedule]) -> HttpResponse | None:
        """Say what resuming charges and ask; once confirmed, resume each and say how it went."""
        chosen = list(schedules.select_related("subscription__customer__account"))
        if "confirmed" not in request.POST:
            return self._ask(request, chosen)
        changed = [
            schedule
            for schedule, account in _with_accounts(chosen)
            if not self._resume(request, schedule, account)
        ]
        return self._ask(request, changed) if changed else None

    def _ask(self, request: HttpRequest, chosen: Iterable[PauseSchedule]) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "Resume now?",
            "opts": self.model._meta,
            "rows": [_row(schedule, account) for schedule, account in _with_accounts(chosen)],
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "admin/billing/pauseschedule/resume_now.html", context)

    def _resume(self, request: HttpRequest, schedule: PauseSchedule, account: Account) -> bool:
        """Resume one and say how it went; return False where the operator must be asked again with new figures."""
        try:
            resumes.resume(
                account,
                subscription_ids=[schedule.subscription.provider_id],
                # A pause whose figures the operator never saw has none that hold.
                quote=acts.quote_given(request, f"quote-{schedule.pk}"),
                key=acts.key_given(request, f"key-{schedule.pk}"),
                actor=journal.actor_of(request),
                now=clock.now(),
            )
        except QuoteChanged:
            messages.warning(request, f"{_named(schedule)}: the amount has changed. Nothing was charged.")
            return False
        except PortalError as error:
            messages.error(request, f"{_named(schedule)}: {acts.told(error)}")
        else:
            # The log names nobody but by the account, which may be erased one day.
            journal.note(request, account, f"Resumed {schedule.subscription.provider_id}.")
            messages.success(request, f"{_named(schedule)} is resumed.")
        return True


def _with_accounts(chosen: Iterable[PauseSchedule]) -> Iterator[tuple[PauseSchedule, Account]]:
    """Give the schedules whose customer has an account: nobody else can be charged through the portal."""
    for schedule in chosen:
        account = schedule.subscription.customer.account
        if account is not None:
            yield schedule, account


def _named(schedule: PauseSchedule) -> str:
    """Name a pause by its plan, its subscriber and its subscription."""
    subscription = schedule.subscription
    plan = find_plan(subscription.plan_id)
    name = plan.name if plan else subscription.plan_id
    return f"{name} of {subscription.customer.email} ({subscription.provider_id})"


def _row(schedule: PauseSchedule, account: Account) -> Row:
    """Tell what resuming would charge, or why it cannot be done."""
    key = acts.new_key()
    try:
        found = resumes.estimate(
            account, subscription_ids=[schedule.subscription.provider_id], days=None, now=clock.now()
        )
    except PortalError as error:
        return Row(schedule, account, f"cannot be resumed: {error.message}", key)
    return Row(schedule, account, f"charges {format_cents(found.amount_due)} now", key, found.quote)
