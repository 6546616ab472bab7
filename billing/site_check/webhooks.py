"""Checks of the webhook endpoint: address, version, events, and whether events arrive."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host
from django.urls import reverse

from billing.gateway.site.site_reads import WebhookEndpoint
from billing.site_check.findings import SETTINGS, Finding, Topic
from billing.site_check.site_reader import SiteReader

TOPIC = Topic("Webhook")
PLACE = f"{SETTINGS} > API Keys and Webhooks > Webhooks"
ANY_HOST = "*"
# What changes a record that the portal mirrors. Others may be sent, too; the portal stores them as ignored.
NEEDED_EVENTS = (
    "customer_created", "customer_changed", "customer_deleted", "customer_moved_in", "customer_moved_out",
    "promotional_credits_added", "promotional_credits_deducted",
    "subscription_created", "subscription_started", "subscription_activated", "subscription_changed",
    "subscription_trial_extended", "subscription_cancellation_scheduled", "subscription_cancelled",
    "subscription_reactivated", "subscription_renewed", "subscription_scheduled_cancellation_removed",
    "subscription_changes_scheduled", "subscription_scheduled_changes_removed", "subscription_deleted",
    "subscription_paused", "subscription_pause_scheduled", "subscription_scheduled_pause_removed",
    "subscription_resumed", "subscription_resumption_scheduled", "subscription_scheduled_resumption_removed",
    "invoice_generated", "invoice_updated", "invoice_deleted",
    "transaction_created", "transaction_updated", "transaction_deleted",
    "credit_note_created", "credit_note_updated", "credit_note_deleted",
    "payment_succeeded", "payment_failed", "payment_refunded", "dunning_updated",
    "card_added", "card_updated", "card_expired", "card_deleted",
    "payment_source_added", "payment_source_updated", "payment_source_deleted", "payment_source_expired",
    "item_price_created", "item_price_updated", "item_price_deleted",
    "coupon_created", "coupon_updated", "coupon_deleted",
)  # fmt: skip


def check_webhooks(site: SiteReader) -> Iterator[Finding]:
    """Check that an endpoint sends the portal the events it needs, in the version that it reads."""
    endpoint = next((endpoint for endpoint in site.webhook_endpoints if _is_ours(endpoint.url)), None)
    yield TOPIC.judge_value(
        f"an endpoint for {_our_url()}",
        ", ".join(endpoint.url for endpoint in site.webhook_endpoints) or "none",
        is_right=endpoint is not None,
        todo=f"Add a webhook with the URL {_our_url()}, or correct its URL, at {PLACE}.",
    )
    if endpoint is not None:
        yield from _check_endpoint(endpoint)
        yield _check_deliveries(site, endpoint)


def _check_endpoint(endpoint: WebhookEndpoint) -> Iterator[Finding]:
    yield TOPIC.judge_value(
        "it is on",
        "off" if endpoint.is_disabled else "on",
        is_right=not endpoint.is_disabled,
        todo=f"Enable the webhook at {PLACE}.",
    )
    yield TOPIC.judge_value(
        "API version 2",
        endpoint.api_version or "unknown",
        is_right=endpoint.api_version == "v2",
        todo=f"Choose API version 2 for the webhook at {PLACE}.",
    )
    missing = [event for event in NEEDED_EVENTS if endpoint.events and event not in endpoint.events]
    yield TOPIC.judge_value(
        "all events",
        f"without {', '.join(missing)}" if missing else ("all that are needed" if endpoint.events else "all"),
        is_right=not missing,
        todo=f"Select all events for the webhook at {PLACE}.",
    )


def _check_deliveries(site: SiteReader, endpoint: WebhookEndpoint) -> Finding:
    """Judge the credentials by what became of the newest events: nobody can read them."""
    needed = "the portal accepts its credentials: basic auth with CHARGEBEE_WEBHOOK_USERNAME and a password"
    statuses = [
        str(delivery["webhook_status"])
        for event in site.events
        for delivery in event.get("webhooks") or ()
        if delivery.get("id") == endpoint.id
    ]
    decided = next((status for status in statuses if status in ("succeeded", "failed")), "")
    if decided == "failed":
        return TOPIC.wrong_finding(
            needed,
            "the newest event that is no longer tried was never accepted",
            f"Compare user name and password at {PLACE} with the portal's settings, and check the address.",
        )
    if "re_scheduled" in statuses and statuses[0] != "succeeded":
        return TOPIC.open_finding(
            needed, "an event was not accepted yet and is tried again", "Run this again when the portal serves."
        )
    if decided == "succeeded":
        return TOPIC.ok_finding(needed, "the newest events were accepted")
    return TOPIC.unreadable_finding(needed, found="no event was sent yet", place=PLACE)


def _our_url() -> str:
    return f"{settings.BASE_URL}{reverse('chargebee-webhook')}"


def _is_ours(url: str) -> bool:
    """Return whether the portal answers at this address: at its base URL, or at another of its names."""
    if url == _our_url():
        return True
    address, base = urlsplit(url), urlsplit(settings.BASE_URL)
    names = [name for name in settings.ALLOWED_HOSTS if name != ANY_HOST]
    is_our_host = validate_host(address.hostname or "", names)
    return is_our_host and (address.scheme, address.path) == (base.scheme, reverse("chargebee-webhook"))
