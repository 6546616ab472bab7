"""The provider's webhooks between there and the portal, where anything may become of them, and the story they tell."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.test import Client

from billing.services import webhooks
from billing.tests.live import Provider

Event = dict[str, Any]


@dataclass
class Post:
    """What the provider told of, oldest first (`story`), and what of it no webhook has brought yet."""

    provider: Provider
    story: list[Event] = field(default_factory=list)
    under_way: list[Event] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def collect(self) -> list[Event]:
        """Take in what the provider has told of since the last time, and return that."""
        fresh = [event for event in self._told_lately() if event["id"] not in self._known]
        self._known.update(event["id"] for event in fresh)
        self.story.extend(fresh)
        self.under_way.extend(fresh)
        return fresh

    def about(self, subscription_id: str) -> list[Event]:
        """Return what the provider told of a subscription, oldest first."""
        return [
            one for one in self.story if one["content"].get("subscription", {}).get("id") == subscription_id
        ]

    def bring(self, chance: random.Random, *, lost: bool, doubled: bool) -> None:
        """Bring some of what is under way to the portal, in any order, which then processes it in any order."""
        chance.shuffle(self.under_way)
        count = chance.randint(0, len(self.under_way))
        brought, left = self.under_way[:count], self.under_way[count:]
        self.under_way = [] if lost else left
        for event in brought * (2 if doubled else 1):
            self._post(event)
        waiting = webhooks.due()
        chance.shuffle(waiting)
        for pk in waiting * (2 if doubled else 1):
            webhooks.process(pk)

    def bring_all(self) -> None:
        """Bring everything that is under way to the portal, which then processes it."""
        for event in self.under_way:
            self._post(event)
        self.under_way = []
        webhooks.process_due()

    def _told_lately(self) -> list[Event]:
        since = self.story[-1]["occurred_at"] - 1 if self.story else 0
        told: list[Event] = []
        page: dict[str, Any] = {
            "limit": 100,
            "occurred_at": {"after": since},
            "sort_by": {"asc": "occurred_at"},
        }
        while True:
            answer = self.provider.sdk.Event.list(page)
            told.extend(entry.event.raw_data for entry in answer.list)
            if not answer.next_offset:
                return told
            page["offset"] = answer.next_offset

    @staticmethod
    def _post(event: Event) -> None:
        pair = f"{settings.CHARGEBEE_WEBHOOK_USERNAME}:{settings.CHARGEBEE_WEBHOOK_PASSWORDS[0]}"
        basic = base64.b64encode(pair.encode()).decode()
        answer = Client().post(
            "/webhooks/chargebee",
            json.dumps(event),
            content_type="application/json",
            headers={"Authorization": f"Basic {basic}"},
        )
        assert answer.status_code == 200
