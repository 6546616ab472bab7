"""The outbox."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from accounts.admin import audit_log
from accounts.admin.lists.large_tables import LargeTableAdmin, RecentValuesFilter
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from accounts.admin.mail_previews import MailPreviews
from accounts.mail import outbox, queue
from accounts.models import OutgoingMail


@admin.register(OutgoingMail)
class OutgoingMailAdmin(MailPreviews, LargeTableAdmin, ReadOnlyAdmin):
    """The mails of the outbox. Their contexts contain no sign-in codes."""

    list_display = ("created_at", "kind", "to", "state", "attempts", "last_error", "account_page")
    list_filter = ("state", "queue", ("kind", RecentValuesFilter), "created_at")
    list_select_related = ("account",)
    ordering = ("-created_at",)
    search_fields = ("to__exact", "dedupe_key__exact", "account__email__startswith")
    fields = (
        "kind",
        "queue",
        "to",
        "account_page",
        "state",
        "attempts",
        "last_error",
        "created_at",
        "next_attempt_at",
        "expires_at",
        "sent_at",
        "given_up_at",
        "dedupe_key",
        "context",
    )
    actions = ("try_again",)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may retry mails."""
        return request.user.has_perm("accounts.change_outgoingmail")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list with a summary of the outbox's health."""
        health = outbox.outbox_health()
        since = f", oldest {health.oldest:%Y-%m-%d %H:%M} UTC" if health.oldest else ""
        summary = f"{health.waiting} waiting{since}. Last 24 hours: {health.lapsed} expired, {health.given_up} failed."
        return super().changelist_view(request, {"subtitle": summary, **(extra_context or {})})

    @admin.display(description="account", ordering="account__email")
    def account_page(self, mail: OutgoingMail) -> SafeString | str:
        """Return a link to the account."""
        return account_link(mail.account)

    @admin.action(description="Try again now", permissions=["retry"])
    def try_again(self, request: HttpRequest, mails: QuerySet[OutgoingMail]) -> None:
        """Retry the pending and failed mails now; none is sent twice."""
        retried = queue.retry_mails(mails.select_related("account"))
        for mail in retried:
            _log_retry(request, mail)
        messages.success(request, f"Emails to retry now: {len(retried)}.")


def _log_retry(request: HttpRequest, mail: OutgoingMail) -> None:
    # Logged on the account, not on the mail with its address: erasing an account anonymizes only the entries on it.
    message = f"Had mail {mail.pk} ({mail.kind}) tried again."
    if mail.account is not None:
        audit_log.log_action(request, mail.account, message)
    else:
        audit_log.log_table_action(request, OutgoingMail, message)
