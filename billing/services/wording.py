"""How mails and the activity name things: plans, payment methods, dates, what is billed next."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts import site
from billing import catalog
from billing.models import PaymentSource, Subscription
from billing.money import format_cents
from billing.queries.next_bill import next_bill

Fact = tuple[str, str]

BRANDS = {
    "american_express": "American Express",
    "diners_club": "Diners Club",
    "jcb": "JCB",
    "mastercard": "Mastercard",
}


def plan_name(subscription: Subscription) -> str:
    """Return the name that the subscriber knows a subscription by."""
    plan = catalog.find_plan(subscription.plan_id)
    return plan.name if plan else subscription.plan_id


def names_of(subscriptions: Sequence[Subscription]) -> str:
    """Return the subscriptions' names as part of a sentence: `Kids`, `Faith & Family and Kids`."""
    return listed([plan_name(subscription) for subscription in subscriptions])


def listed(words: Sequence[str]) -> str:
    """Return words as part of a sentence: `a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def verb(subscriptions: Sequence[Subscription], one: str, several: str) -> str:
    """Return the form of a verb that goes with so many subscriptions."""
    return one if len(subscriptions) == 1 else several


def long_date(instant: datetime) -> str:
    """Return an instant's date in the site's time zone, as `December 20, 2026`."""
    return _date(_local(instant))


def date_and_time(instant: datetime) -> str:
    """Return an instant in the site's time zone, as `December 20, 2026, 3:30 AM EST`."""
    local = _local(instant)
    return f"{_date(local)}, {local:%-I:%M %p %Z}"


def billing_facts(subscriptions: Sequence[Subscription]) -> list[Fact]:
    """Return, for each that will bill again, when and how much before tax."""
    return [
        (
            f"{plan_name(one)} bills next",
            f"{format_cents(next_bill(one))} on {long_date(one.next_billing_at)}",
        )
        for one in subscriptions
        if one.next_billing_at is not None
    ]


def goes_on(subscriptions: Sequence[Subscription]) -> str:
    """Return that they go on, as a sentence."""
    return f"{names_of(subscriptions)} {verb(subscriptions, 'goes', 'go')} on as before."


def still_there(ended: Sequence[Subscription]) -> list[Subscription]:
    """Return those that end later, and so can still be kept."""
    return [one for one in ended if one.status != "cancelled" and one.cancelled_at is not None]


def end_of(subscription: Subscription) -> str:
    """Return when a subscription ends, in words."""
    if subscription.status == "cancelled" or subscription.cancelled_at is None:
        return "has ended"
    return f"ends {long_date(subscription.cancelled_at)}"


def payment_method(source: PaymentSource) -> str:
    """Return what a subscriber knows a payment method by: `Visa ending in 1111`, `PayPal ava@example.com`."""
    if source.text("type") == "card":
        card = source.payload.get("card") or {}
        brand = str(card.get("brand") or "card")
        name = BRANDS.get(brand, brand.replace("_", " ").title())
        return f"{name} ending in {card.get('last4', '')}"
    email = str((source.payload.get("paypal") or {}).get("email") or "")
    return f"PayPal {email}".strip()


def _local(instant: datetime) -> datetime:
    return instant.astimezone(ZoneInfo(site.site_settings().time_zone))


def _date(local: datetime) -> str:
    return f"{local:%B} {local.day}, {local.year}"
