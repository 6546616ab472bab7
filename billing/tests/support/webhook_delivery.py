"""Webhooks that may be lost, repeated and reordered on their way to the portal, and the log of all events."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.test import Client

from billing.mirror.events import webhook_processing
from billing.tests.support.live_provider import Provider

Event = dict[str, Any]


@dataclass
class WebhookDelivery:
    """The provider's events, oldest first (`story`), and those that are not delivered yet (`under_way`)."""

    provider: Provider
    story: list[Event] = field(default_factory=list)
    under_way: list[Event] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def collect_new(self) -> list[Event]:
        """Read and return the events since the last call."""
        fresh = [event for event in self._new_events() if event["id"] not in self._known]
        self._known.update(event["id"] for event in fresh)
        self.story.extend(fresh)
        self.under_way.extend(fresh)
        return fresh

    def events_about(self, subscription_id: str) -> list[Event]:
        """Return the events of a subscription, oldest first."""
        return [event for event in self.story if event["content"].get("subscription", {}).get("id") == subscription_id]

    def deliver_some(self, chance: random.Random, *, lost: bool, doubled: bool) -> None:
        """Deliver some events in random order, and process them in random order."""
        chance.shuffle(self.under_way)
        count = chance.randint(0, len(self.under_way))
        delivered, rest = self.under_way[:count], self.under_way[count:]
        self.under_way = [] if lost else rest
        for event in delivered * (2 if doubled else 1):
            self._post_event(event)
        waiting = webhook_processing.due_event_ids()
        chance.shuffle(waiting)
        for pk in waiting * (2 if doubled else 1):
            webhook_processing.process_event(pk)

    def deliver_all(self) -> None:
        """Deliver and process all events that are under way."""
        for event in self.under_way:
            self._post_event(event)
        self.under_way = []
        webhook_processing.process_due_events()

    def _new_events(self) -> list[Event]:
        since = self.story[-1]["occurred_at"] - 1 if self.story else 0
        events: list[Event] = []
        page: dict[str, Any] = {
            "limit": 100,
            "occurred_at": {"after": since},
            "sort_by": {"asc": "occurred_at"},
        }
        while True:
            answer = self.provider.sdk.Event.list(page)
            events.extend(entry.event.raw_data for entry in answer.list)
            if not answer.next_offset:
                return events
            page["offset"] = answer.next_offset

    @staticmethod
    def _post_event(event: Event) -> None:
        pair = f"{settings.CHARGEBEE_WEBHOOK_USERNAME}:{settings.CHARGEBEE_WEBHOOK_PASSWORDS[0]}"
        basic = base64.b64encode(pair.encode()).decode()
        answer = Client().post(
            "/webhooks/chargebee",
            json.dumps(event),
            content_type="application/json",
            headers={"Authorization": f"Basic {basic}"},
        )
        assert answer.status_code == 200
