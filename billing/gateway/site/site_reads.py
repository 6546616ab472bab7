"""Reads about the provider's site as a whole: its configuration, webhook endpoints, items, and newest records."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from billing.gateway.errors import Unreadable
from billing.gateway.http.client import UNREADABLE_ERRORS, chargebee_sdk, read_all_pages, read_from_provider, read_page
from billing.gateway.snapshots import Raw
from billing.gateway.time_machine import MACHINE_NAME

# The SDK's resource of each kind whose newest records are read.
_RESOURCES = {
    "customer": "Customer",
    "subscription": "Subscription",
    "invoice": "Invoice",
    "credit_note": "CreditNote",
    "payment_source": "PaymentSource",
    "event": "Event",
}
LIVE_KEY, TEST_KEY = "live_", "test_"
# Names of test sites end in this.
TEST_SITE = "-test"


@dataclass(frozen=True)
class SiteConfiguration:
    """What the site tells about itself: its name, the version of its catalog, and the form of its answers."""

    domain: str
    catalog_version: str
    schema_type: str


@dataclass(frozen=True)
class WebhookEndpoint:
    """A webhook endpoint; without `events` it takes all. Its credentials cannot be read."""

    id: str
    url: str
    api_version: str
    is_disabled: bool
    events: tuple[str, ...]


def read_configuration() -> SiteConfiguration:
    """Return the site's configuration. Raises NotSent, and Refused."""
    answer = read_from_provider(chargebee_sdk().Configuration.list)
    try:
        raw = answer.configurations[0].raw_data
        return SiteConfiguration(
            domain=str(raw.get("domain") or ""),
            catalog_version=str(raw.get("product_catalog_version") or ""),
            schema_type=str(raw.get("chargebee_response_schema_type") or ""),
        )
    except (*UNREADABLE_ERRORS, IndexError) as error:
        raise Unreadable("a configuration that cannot be read") from error


def find_webhook_endpoints() -> list[WebhookEndpoint]:
    """Return the site's webhook endpoints. Raises NotSent, and Refused."""
    try:
        rows = [entry.webhook_endpoint.raw_data for entry in read_all_pages(chargebee_sdk().WebhookEndpoint.list, {})]
        return [
            WebhookEndpoint(
                id=str(row["id"]),
                url=str(row["url"]),
                api_version=str(row.get("api_version") or ""),
                is_disabled=bool(row.get("disabled")),
                events=tuple(row.get("enabled_events") or ()),
            )
            for row in rows
        ]
    except UNREADABLE_ERRORS as error:
        raise Unreadable("a webhook endpoint that cannot be read") from error


def find_items() -> list[Raw]:
    """Return all items as the provider has them, archived ones included. Raises NotSent, and Refused."""
    return [entry.item.raw_data for entry in read_all_pages(chargebee_sdk().Item.list, {})]


def find_item_prices() -> list[Raw]:
    """Return all item prices as the provider has them, archived ones included. Raises NotSent, and Refused."""
    return [entry.item_price.raw_data for entry in read_all_pages(chargebee_sdk().ItemPrice.list, {})]


def read_newest_records(kind: str) -> list[Raw]:
    """Return the newest page of a kind's records (a hundred), newest first. Raises NotSent, and Refused."""
    entries, _offset = read_page(getattr(chargebee_sdk(), _RESOURCES[kind]).list, {})
    return [getattr(entry, kind).raw_data for entry in entries]


def read_time_machine_status() -> str:
    """Return the state of the site's time machine; `not_enabled` if it is off. Raises NotSent, and Refused."""
    machine: Any = read_from_provider(chargebee_sdk().TimeMachine.retrieve, MACHINE_NAME).time_machine
    return str(machine.raw_data["time_travel_status"])


def is_test_site(configuration: SiteConfiguration) -> bool:
    """Return whether the API key and the configured site are those of a test site, and the site is not its live one.

    A test site is named after its live site (`acme-test` after `acme`). The domain may also be one of the merchant's
    own, which says nothing.
    """
    name = settings.CHARGEBEE_SITE
    is_live_domain = _site_name(configuration.domain) == name.removesuffix(TEST_SITE)
    return settings.CHARGEBEE_API_KEY.startswith(TEST_KEY) and name.endswith(TEST_SITE) and not is_live_domain


def _site_name(domain: str) -> str:
    """Return the name of the site in its domain (`https://acme-test.chargebee.com` gives `acme-test`)."""
    return domain.rpartition("//")[2].partition(".")[0]
