"""The mail outbox."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts import mail as outgoing
from accounts.admin.read_only import ReadOnlyAdmin, account_link
from accounts.models import OutgoingMail


@admin.register(OutgoingMail)
class OutgoingMailAdmin(ReadOnlyAdmin):
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

    @admin.display(description="account", ordering="account__email")
    def account_page(self, mail: OutgoingMail) -> SafeString | str:
        """Link to the account."""
        return account_link(mail.account)

    @admin.action(description="Try again now", permissions=["retry"])
    def try_again(self, request: HttpRequest, mails: QuerySet[OutgoingMail]) -> None:
        """Put mails that wait or were given up back at the head of the queue; none is sent twice."""
        messages.success(request, f"Mails to be tried again now: {outgoing.try_again(mails)}.")
