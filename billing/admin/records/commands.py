"""Commands, and requests with an idempotency key."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from accounts.admin.lists.large_tables import BoundedPaginator, LargeTableAdmin, RecentValuesFilter
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from billing.admin.formatting import format_json
from billing.models import Command
from core.models import IdempotentRequest


@admin.register(Command)
class CommandAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """Every change requested from the provider, newest first: actor, progress and outcome."""

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
    list_filter = ("state", ("kind", RecentValuesFilter), ("error_code", RecentValuesFilter), "created_at")
    list_select_related = ("account",)
    search_fields = ("id__exact", "key__exact", "account__email__startswith")
    ordering = ("-created_at",)
    fields = (
        "id",
        "kind",
        "account_page",
        "actor",
        "reason",
        "key",
        "state",
        "error_code",
        "attempts",
        "created_at",
        "first_sent_at",
        "next_attempt_at",
        "finished_at",
        "formatted_steps",
    )

    @admin.display(description="account", ordering="account__email")
    def account_page(self, command: Command) -> SafeString | str:
        """Return a link to the account."""
        return account_link(command.account)

    @admin.display(description="steps")
    def formatted_steps(self, command: Command) -> SafeString:
        """Return the provider calls of the command in order, with their states."""
        return format_json([step.to_json() for step in command.steps])


@admin.register(IdempotentRequest)
class IdempotentRequestAdmin(ReadOnlyAdmin):
    """Requests with a key, kept for a day, with the response that the subscriber received."""

    paginator = BoundedPaginator
    show_full_result_count = False
    list_display = ("created_at", "key", "account_page", "status", "next_attempt_at")
    list_filter = ("status", "created_at")
    list_select_related = ("user__account",)
    search_fields = ("key", "user__account__email")
    ordering = ("-created_at",)
    fields = ("key", "account_page", "fingerprint", "status", "created_at", "next_attempt_at", "final_answer")

    @admin.display(description="account", ordering="user__account__email")
    def account_page(self, request: IdempotentRequest) -> SafeString | str:
        """Return a link to the account."""
        # An operator's request has no account.
        return account_link(getattr(request.user, "account", None))

    @admin.display(description="answer")
    def final_answer(self, request: IdempotentRequest) -> SafeString | str:
        """Return the stored response."""
        return "not final yet" if request.status is None else format_json(request.body)
