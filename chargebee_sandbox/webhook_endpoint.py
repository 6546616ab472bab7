"""The site's only webhook endpoint: the one that the environment names, or what the API has made of it.

The row of the site holds what the API has set, credentials included; None means the environment's endpoint, and an
empty object that it was deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chargebee_sandbox import settings
from chargebee_sandbox.body import Body
from chargebee_sandbox.site import Site

ENDPOINT_ID = "whv2_sandbox_portal"
CREDENTIALS = ("basic_auth_username", "basic_auth_password")
_DELETED: Body = {}


@dataclass(frozen=True)
class WebhookEndpoint:
    """An endpoint: its public attributes, and the credentials that no answer shows."""

    body: Body
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        """Where events are sent."""
        return str(self.body["url"])

    def takes_event(self, event_type: str) -> bool:
        """Return whether events of this type are sent; an endpoint without a list of types takes all."""
        events = self.body.get("enabled_events")
        return not self.body["disabled"] and (not events or event_type in events)


def find_endpoint() -> WebhookEndpoint | None:
    """Return the site's endpoint, or None."""
    stored = Site.current_webhook_endpoint()
    if stored is not None:
        return _read_stored(stored) if stored else None
    if not settings.SANDBOX_WEBHOOK_URL:
        return None
    return WebhookEndpoint(
        default_body(name="Webhooks", url=settings.SANDBOX_WEBHOOK_URL),
        settings.SANDBOX_WEBHOOK_USERNAME,
        settings.SANDBOX_WEBHOOK_PASSWORD,
    )


def default_body(*, name: str, url: str) -> Body:
    """Return the attributes of a new endpoint; without `enabled_events` it takes all events."""
    return {
        "id": ENDPOINT_ID,
        "name": name,
        "url": url,
        "send_card_resource": False,
        "disabled": False,
        "primary_url": True,
        "api_version": "v2",
        "object": "webhook_endpoint",
    }


def store_endpoint(body: Body, credentials: Mapping[str, str]) -> WebhookEndpoint:
    """Store the endpoint's attributes and credentials, and return it."""
    Site.load()
    stored = {**body, **credentials}
    Site.objects.update(webhook_endpoint=stored)
    return _read_stored(stored)


def delete_endpoint() -> None:
    """Delete the endpoint; events are no longer sent."""
    Site.load()
    Site.objects.update(webhook_endpoint=_DELETED)


def _read_stored(stored: Body) -> WebhookEndpoint:
    body = {name: value for name, value in stored.items() if name not in CREDENTIALS}
    username, password = (str(stored.get(name, "")) for name in CREDENTIALS)
    return WebhookEndpoint(body, username, password)
