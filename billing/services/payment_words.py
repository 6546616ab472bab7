"""What subscribers are told about their payment methods."""

from dataclasses import replace

from billing.models import PaymentSource
from billing.money import format_cents
from billing.services.receipts import PAYMENT_METHODS, Link, Receipt
from billing.services.wording import Fact, payment_method

NOTHING_CHARGED = "Nothing was charged."
_NOT_YOU = "If this was not you, sign out everywhere else on your profile, then contact Customer Service."


def payment_method_added(source: PaymentSource, *, collected: int = 0, still_due: int = 0) -> Receipt:
    """Return the receipt of a new payment method, with what it paid and what is still due (cents)."""
    return _of_method(source, "was added to your account", collected=collected, still_due=still_due)


def payment_method_updated(source: PaymentSource, *, collected: int = 0, still_due: int = 0) -> Receipt:
    """Return the receipt of a payment method that was changed; `source` is the one that is there now."""
    return _of_method(source, "was updated", collected=collected, still_due=still_due)


def default_payment_method(source: PaymentSource, *, collected: int = 0, still_due: int = 0) -> Receipt:
    """Return the receipt of a payment method made the default one."""
    return _of_method(source, "is now your default payment method", collected=collected, still_due=still_due)


def payment_method_removed(source: PaymentSource) -> Receipt:
    """Return the receipt of a payment method taken off the account."""
    return Receipt(
        title=f"{payment_method(source)} was removed",
        lines=["It is off your account and will not be charged any more."],
        undo_text=_NOT_YOU,
        links=[Link("See your payment methods", PAYMENT_METHODS)],
    )


def rest_of(receipt: Receipt) -> Receipt:
    """Return the receipt of a change's last part, the first of which was told before."""
    lines = [line for line in receipt.lines if line != NOTHING_CHARGED]
    return replace(receipt, lines=["The rest of what you asked for is done now.", *lines])


def _of_method(source: PaymentSource, what: str, *, collected: int, still_due: int) -> Receipt:
    lines = []
    if collected:
        lines.append(f"We collected the {format_cents(collected)} that was due with it.")
    if still_due:
        lines.append(f"{format_cents(still_due)} is still due: it could not be collected.")
    return Receipt(
        title=f"{payment_method(source)} {what}",
        lines=lines or [NOTHING_CHARGED],
        facts=[
            *_expiry(source),
            *([("Collected", format_cents(collected))] if collected else []),
            *([("Still due", format_cents(still_due))] if still_due else []),
        ],
        undo_text=_NOT_YOU,
        links=[Link("See your payment methods", PAYMENT_METHODS)],
    )


def _expiry(source: PaymentSource) -> list[Fact]:
    card = source.payload.get("card") or {}
    if not card.get("expiry_year"):
        return []
    return [("Expires", f"{int(card.get('expiry_month') or 0):02d}/{card['expiry_year']}")]
