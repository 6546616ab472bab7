"""Webhook events, with replay."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin import audit_log
from accounts.admin.lists.large_tables import LargeTableAdmin, RecentValuesFilter
from accounts.admin.lists.read_only import ReadOnlyAdmin
from billing.admin.formatting import format_json
from billing.mirror.events import webhook_processing
from billing.models import WebhookEvent


@admin.register(WebhookEvent)
class WebhookEventAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """The provider's events, newest first. Parked events failed too often and wait for an operator."""

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
    # An event names its customer as the provider does.
    account_lookup = "owner__exact"
    list_filter = ("state", "source", ("event_type", RecentValuesFilter), "received_at")
    search_fields = ("event_id__exact", "owner__exact")
    search_help_text = "Id of an event or a customer"
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
        "named_ids",
    )
    actions = ("replay",)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may replay events."""
        return request.user.has_perm("billing.change_webhookevent")

    @admin.display(description="names")
    def named_ids(self, event: WebhookEvent) -> SafeString:
        """Return the ids that the event names; nothing else of its content is stored."""
        return format_json(event.payload)

    @admin.action(description="Process again", permissions=["replay"])
    def replay(self, request: HttpRequest, events: QuerySet[WebhookEvent]) -> None:
        """Process the selected events again. Their records are read anew, so no newer change is lost."""
        selected = list(events)
        for event in selected:
            webhook_processing.replay_event(event.pk)
            audit_log.log_action(request, event, "Had it processed again.")
        messages.success(request, f"Events to process again: {len(selected)}.")
