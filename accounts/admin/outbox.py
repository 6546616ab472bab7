"""The mail outbox."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from accounts import mail as outgoing
from accounts import outbox
from accounts.admin import journal
from accounts.admin.previews import MailPreviews
from accounts.admin.read_only import ReadOnlyAdmin, account_link
from accounts.models import OutgoingMail


@admin.register(OutgoingMail)
class OutgoingMailAdmin(MailPreviews, ReadOnlyAdmin):
    """What was sent, what waits, what was given up. A sign-in code stands in no context."""

    list_display = ("created_at", "kind", "to", "state", "attempts", "last_error", "account_page")
    list_filter = ("state", "kind", "created_at")
    list_select_related = ("account",)
    search_fields = ("to", "dedupe_key", "account__email")
    date_hierarchy = "created_at"
    fields = (
        "kind",
        "to",
        "account_page",
        "state",
        "attempts",
        "last_error",
        "created_at",
        "next_attempt_at",
        "expires_at",
        "sent_at",
        "dedupe_key",
        "context",
    )
    actions = ("try_again",)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may have a mail tried again."""
        return request.user.has_perm("accounts.change_outgoingmail")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, and whether mail gets away."""
        found = outbox.health()
        since = f", the oldest since {found.oldest:%Y-%m-%d %H:%M} UTC" if found.oldest else ""
        told = f"{found.waiting} waiting{since}. Of the last day's: {found.lapsed} lapsed, {found.given_up} given up."
        return super().changelist_view(request, {"subtitle": told, **(extra_context or {})})

    @admin.display(description="account", ordering="account__email")
    def account_page(self, mail: OutgoingMail) -> SafeString | str:
        """Link to the account."""
        return account_link(mail.account)

    @admin.action(description="Try again now", permissions=["retry"])
    def try_again(self, request: HttpRequest, mails: QuerySet[OutgoingMail]) -> None:
        """Put mails that wait or were given up back at the head of the queue; none is sent twice."""
        tried = outgoing.try_again(mails.select_related("account"))
        for mail in tried:
            _note(request, mail)
        messages.success(request, f"Mails to be tried again now: {len(tried)}.")


def _note(request: HttpRequest, mail: OutgoingMail) -> None:
    # By the account and never by the mail's address: the log outlives both, and only the account's name is erased.
    said = f"Had mail {mail.pk} ({mail.kind}) tried again."
    if mail.account is not None:
        journal.note(request, mail.account, said)
    else:
        journal.note_about_all(request, OutgoingMail, said)
