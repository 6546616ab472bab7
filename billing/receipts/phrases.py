"""Phrases for mails and the activity: names of plans and payment methods, dates, and next bills."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from accounts.brands import site
from billing.models import PaymentSource, Subscription, Transaction
from billing.money import format_cents
from billing.queries.discounts import next_bill_amount
from billing.queries.payments.invoices import PaymentLookup, card_last4
from billing.queries.payments.payment_methods import CARD, kind_of, source_account, type_name

Fact = tuple[str, str]

CARD_BRAND_NAMES = {
    "american_express": "American Express",
    "diners_club": "Diners Club",
    "jcb": "JCB",
    "mastercard": "Mastercard",
}


def plan_name(subscription: Subscription) -> str:
    """Return the name of a subscription's plan."""
    return subscription.plan.name


def plan_names(subscriptions: Sequence[Subscription]) -> str:
    """Return the names of the subscriptions' plans as part of a sentence: `Kids`, `Faith & Family and Kids`."""
    return join_words([plan_name(subscription) for subscription in subscriptions])


def join_words(words: Sequence[str]) -> str:
    """Return words as part of a sentence: `a`, `a and b`, `a, b, and c`."""
    if len(words) <= 2:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def verb_form(plans: Sequence[Subscription] | Sequence[str], singular: str, plural: str) -> str:
    """Return the singular for one plan, by its subscription or name, else the plural."""
    return singular if len(plans) == 1 else plural


def long_date(instant: datetime) -> str:
    """Return an instant's date in the site's time zone, as `December 20, 2026`."""
    return _format_long_date(_local_time(instant))


def date_and_time(instant: datetime) -> str:
    """Return an instant in the site's time zone, as `December 20, 2026, 3:30 AM EST`."""
    local = _local_time(instant)
    return f"{_format_long_date(local)}, {local:%-I:%M %p %Z}"


def price_with_tax_note(cents: int, subscription: Subscription) -> str:
    """Return a price of a subscription, as `$5.99 before tax`, or `$5.99 including tax` if that is in its prices.

    Nothing has no tax.
    """
    amount = format_cents(cents, subscription.terms.currency)
    if not cents:
        return amount
    return f"{amount} {'including tax' if subscription.is_tax_in_prices else 'before tax'}"


def billing_facts(subscriptions: Sequence[Subscription]) -> list[Fact]:
    """Return the next bills of the subscriptions that will bill, by day: the amount by our prices, and the date."""
    days: dict[tuple[str, str], list[Subscription]] = {}
    for subscription in subscriptions:
        if subscription.next_billing_at is not None:
            day = long_date(subscription.next_billing_at)
            days.setdefault((day, subscription.terms.currency), []).append(subscription)
    return [
        (
            f"Next {plan_names(billed)} bill",
            f"{price_with_tax_note(sum(map(next_bill_amount, billed)), billed[0])} on {day}",
        )
        for (day, _), billed in days.items()
    ]


def next_bill_text(subscription: Subscription) -> str:
    """Return the amount of its next bill, as `$5.99 before tax`."""
    return price_with_tax_note(next_bill_amount(subscription), subscription)


def goes_on_sentence(subscriptions: Sequence[Subscription]) -> str:
    """Return that they continue, as a sentence."""
    return f"{plan_names(subscriptions)} {verb_form(subscriptions, 'continues', 'continue')}."


def scheduled_endings(ended: Sequence[Subscription]) -> list[Subscription]:
    """Return the subscriptions whose cancellation is scheduled and can be undone."""
    return [
        subscription
        for subscription in ended
        if subscription.status != "cancelled" and subscription.cancelled_at is not None
    ]


def end_phrase(subscription: Subscription) -> str:
    """Return the end of a subscription in words."""
    if subscription.status == "cancelled" or subscription.cancelled_at is None:
        return "has ended"
    return f"ends {long_date(subscription.cancelled_at)}"


def payment_method_name(source: PaymentSource) -> str:
    """Return the display name of a payment method.

    For example `Visa ending in 1111`, `PayPal ava@example.com`, `Apple Pay (Visa ending in 1111)`.
    """
    if kind_of(source) == CARD:
        return _card_name(source.payload.get("card") or {})
    name = type_name(source.text("type"))
    if card := source.payload.get("card"):
        return f"{name} ({_card_name(card)})"
    return f"{name} {source_account(source)}".strip()


def transaction_method_name(transaction: Transaction) -> str:
    """Return the name of the payment method that a transaction charged, also if it was removed; empty if unknown."""
    if transaction.payment_source is not None:
        return payment_method_name(transaction.payment_source)
    return " ending in ".join(filter(None, (type_name(transaction.text("payment_method")), card_last4(transaction))))


def charged_method_name(payments: PaymentLookup, number: str) -> str:
    """Return the name of the payment method that a transaction of an account charged; empty if unknown."""
    transaction = payments.transactions.get(number)
    return transaction_method_name(transaction) if transaction else ""


def _card_name(card: Mapping[str, Any]) -> str:
    brand = str(card.get("brand") or "card")
    name = CARD_BRAND_NAMES.get(brand, brand.replace("_", " ").title())
    return f"{name} ending in {card.get('last4', '')}"


def _local_time(instant: datetime) -> datetime:
    return instant.astimezone(ZoneInfo(site.site_settings().time_zone))


def _format_long_date(local: datetime) -> str:
    return f"{local:%B} {local.day}, {local.year}"
