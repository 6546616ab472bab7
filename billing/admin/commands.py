"""The log of commands, and the requests that came with an idempotency key."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin, account_link
from billing.admin.readable import pretty
from billing.models import Command, IdempotentRequest


@admin.register(Command)
class CommandAdmin(ReadOnlyAdmin):
    """Every change asked of the provider, newest first: by whom, how far it got, how it ended."""

    list_display = (
        "created_at",
        "kind",
        "account_page",
        "actor",
        "state",
        "error_code",
        "attempts",
        "finished_at",
    )
    list_filter = ("state", "kind", "error_code", "created_at")
    list_select_related = ("account",)
    search_fields = ("id", "key", "account__email", "actor", "steps")
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    fields = (
        "id",
        "kind",
        "account_page",
        "actor",
        "key",
        "state",
        "error_code",
        "attempts",
        "created_at",
        "first_sent_at",
        "next_attempt_at",
        "finished_at",
        "what_was_asked",
    )

    @admin.display(description="account", ordering="account__email")
    def account_page(self, command: Command) -> SafeString | str:
        """Link to the account."""
        return account_link(command.account)

    @admin.display(description="steps")
    def what_was_asked(self, command: Command) -> SafeString:
        """Show what is asked of the provider, in order, and how far it got."""
        return pretty(command.steps)


@admin.register(IdempotentRequest)
class IdempotentRequestAdmin(ReadOnlyAdmin):
    """Requests with a key, kept for a day; the answer is what the subscriber saw."""

    list_display = ("created_at", "key", "account_page", "status", "claimed_at")
    list_filter = ("status", "created_at")
    list_select_related = ("account",)
    search_fields = ("key", "account__email")
    ordering = ("-created_at",)
    fields = ("key", "account_page", "fingerprint", "status", "created_at", "claimed_at", "answer")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, request: IdempotentRequest) -> SafeString | str:
        """Link to the account."""
        return account_link(request.account)

    @admin.display(description="answer")
    def answer(self, request: IdempotentRequest) -> SafeString | str:
        """Show the final answer."""
        return "not final yet" if request.status is None else pretty(request.body)
