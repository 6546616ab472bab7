"""Checks of the site's features and of what the provider sends subscribers itself: only records show them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from billing.gateway.snapshots import Raw
from billing.site_check.findings import SETTINGS, Finding, Topic
from billing.site_check.site_reader import SiteReader

TOPIC = Topic("Features")
LOGIQ = f"{SETTINGS} > Billing LogIQ"


@dataclass(frozen=True)
class Feature:
    """A feature of the site, and how a record of a kind shows that it is in use.

    A feature that is `wanted` is ok when it is seen; of the others the portal knows little, and a person has to look.
    """

    needed: str
    records: Callable[[SiteReader], Sequence[Raw]]
    shows: Callable[[Raw], object]
    place: str
    wanted: bool = False
    todo: str = ""


FEATURES = (
    Feature(
        "pausing at the end of the term",
        lambda site: site.subscriptions,
        lambda row: row.get("status") == "paused" or row.get("pause_date"),
        f"{LOGIQ} > Customers & Subscriptions > Pause Subscription",
        wanted=True,
    ),
    Feature(
        "changes at the end of the term",
        lambda site: site.subscriptions,
        lambda row: row.get("has_scheduled_changes"),
        f"{LOGIQ} > Customers & Subscriptions",
        wanted=True,
    ),
    Feature(
        "several subscriptions for each customer",
        lambda site: _customers_with_several(site.subscriptions),
        bool,
        f"{LOGIQ} > Customers & Subscriptions",
        wanted=True,
    ),
    Feature(
        "no ramps: the portal shows one scheduled change",
        lambda site: site.subscriptions,
        lambda row: row.get("changes_scheduled_at"),
        f"{LOGIQ} > Customers & Subscriptions > Subscription Ramps",
        todo="The portal only cancels and keeps such a subscription; a cancellation deletes the ramps after it.",
    ),
    Feature(
        "no unbilled charges: changes are invoiced at once",
        lambda site: site.customers,
        lambda row: row.get("unbilled_charges"),
        f"{LOGIQ} > Billing & Invoices > Unbilled Charges",
        todo="What is unbilled appears on the next invoice, and in the amount that the portal announces.",
    ),
    Feature(
        "no contract terms",
        lambda site: site.subscriptions,
        lambda row: row.get("contract_term"),
        f"{LOGIQ} > Customers & Subscriptions > Contract Terms",
        todo="The portal cancels such a subscription at the end of its contract, and changes nothing else of it.",
    ),
    Feature(
        "no consolidated invoices: one invoice for each subscription",
        lambda site: [*site.invoices, *site.customers],
        lambda row: len(_billed_subscriptions(row)) > 1 or row.get("consolidated_invoicing"),
        f"{LOGIQ} > Billing & Invoices > Consolidated Invoicing",
        todo="The portal shows each invoice with all plans on it, but announces a bill for each plan.",
    ),
    Feature(
        "no calendar billing",
        lambda site: site.customers,
        lambda row: row.get("billing_date") or row.get("billing_day_of_week"),
        f"{LOGIQ} > Billing & Invoices > Calendar Billing",
        todo="Terms that begin on another day are cut and prorated. A bill after a scheduled pause is shown in full.",
    ),
    Feature(
        "one business entity",
        lambda site: [*site.customers, *site.subscriptions],
        lambda row: row.get("business_entity_id"),
        f"{SETTINGS} > Business Entities",
        todo="The portal reads and charges all entities of the site alike.",
    ),
)
# What no record shows, with the place that does.
PAGES = (
    ("cancel reasons are optional", f"{LOGIQ} > Customers & Subscriptions, at reason codes"),
    (
        "the provider sends no mail about pauses, resumes, cancellations, changes, trial ends, renewals and payments",
        f"{SETTINGS} > Email Notifications",
    ),
    ("subscribers change nothing in Chargebee's own portal", f"{SETTINGS} > Checkout & Self-Serve Portal"),
)


def check_features(site: SiteReader) -> Iterator[Finding]:
    """Report which features the newest records show to be in use, and where to look for the others."""
    for feature in FEATURES:
        yield _judge_feature(feature, site)
    for needed, place in PAGES:
        yield TOPIC.unreadable_finding(needed, place=place)


def _customers_with_several(subscriptions: Sequence[Raw]) -> list[Raw]:
    """Return for each customer the second of its subscriptions, empty without one."""
    owned: dict[str, list[Raw]] = {}
    for subscription in subscriptions:
        owned.setdefault(str(subscription.get("customer_id")), []).append(subscription)
    return [rows[1] if len(rows) > 1 else {} for rows in owned.values()]


def _billed_subscriptions(invoice: Raw) -> set[str]:
    """Return the subscriptions that the lines of an invoice name; none of another record."""
    return {str(line["subscription_id"]) for line in invoice.get("line_items") or () if line.get("subscription_id")}


def _judge_feature(feature: Feature, site: SiteReader) -> Finding:
    records = feature.records(site)
    seen = sum(bool(feature.shows(row)) for row in records)
    if not seen:
        found = f"not seen in the newest {len(records)} records" if records else "no record yet"
        return TOPIC.unreadable_finding(feature.needed, place=feature.place, found=found)
    found = f"{seen} of the newest {len(records)} records"
    if feature.wanted:
        return TOPIC.ok_finding(feature.needed, found)
    return TOPIC.open_finding(feature.needed, f"in use: {found}", f"{feature.todo} To turn it off: {feature.place}.")
