"""The webhook inbox, with replay."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin import journal
from accounts.admin.read_only import ReadOnlyAdmin
from billing.admin.readable import pretty
from billing.models import WebhookEvent
from billing.services import webhooks


@admin.register(WebhookEvent)
class WebhookEventAdmin(ReadOnlyAdmin):
    """Events of the provider, newest first; parked ones failed too often and wait for an operator."""

    list_display = (
        "event_id",
        "event_type",
        "state",
        "source",
        "occurred_at",
        "received_at",
        "processed_at",
        "attempts",
        "error",
    )
    list_filter = ("state", "source", "event_type", "received_at")
    search_fields = ("event_id", "event_type", "payload__names")
    date_hierarchy = "received_at"
    ordering = ("-received_at", "-pk")
    fields = (
        "event_id",
        "event_type",
        "state",
        "source",
        "occurred_at",
        "received_at",
        "processed_at",
        "attempts",
        "next_attempt_at",
        "error",
        "names",
    )
    actions = ("replay",)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may have an event processed again."""
        return request.user.has_perm("billing.change_webhookevent")

    @admin.display(description="names")
    def names(self, event: WebhookEvent) -> SafeString:
        """Show the ids that the event names: all we keep of its content."""
        return pretty(event.payload)

    @admin.action(description="Process again", permissions=["replay"])
    def replay(self, request: HttpRequest, events: QuerySet[WebhookEvent]) -> None:
        """Have the chosen events processed again from the start; what they name is read anew, so nothing is undone."""
        chosen = list(events)
        for event in chosen:
            webhooks.replay(event.pk)
            journal.note(request, event, "Had it processed again.")
        messages.success(request, f"Events to be processed again: {len(chosen)}.")
