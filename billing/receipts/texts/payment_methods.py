"""The texts of receipts of changes of payment methods."""

from dataclasses import replace

from billing.models import PaymentSource
from billing.money import format_cents
from billing.receipts.delivery import PAYMENT_METHODS_PATH, Link, Receipt
from billing.receipts.phrases import Fact, payment_method_name
from billing.terms import DEFAULT_CURRENCY

NOTHING_CHARGED = "You weren't charged."
_NOT_YOU = "Wasn't you? Sign out everywhere else from your profile, then contact Customer Service."


def method_added_receipt(
    source: PaymentSource, *, collected: int = 0, still_due: int = 0, currency: str = DEFAULT_CURRENCY
) -> Receipt:
    """Return the receipt of a new payment method, with what it paid and what is still due (cents)."""
    return _method_receipt(
        source, "was added to your account", collected=collected, still_due=still_due, currency=currency
    )


def method_updated_receipt(
    source: PaymentSource, *, collected: int = 0, still_due: int = 0, currency: str = DEFAULT_CURRENCY
) -> Receipt:
    """Return the receipt of an updated payment method; `source` is the current one."""
    return _method_receipt(source, "was updated", collected=collected, still_due=still_due, currency=currency)


def default_method_receipt(
    source: PaymentSource, *, collected: int = 0, still_due: int = 0, currency: str = DEFAULT_CURRENCY
) -> Receipt:
    """Return the receipt of a new default payment method."""
    return _method_receipt(
        source, "is now your default payment method", collected=collected, still_due=still_due, currency=currency
    )


def due_payment_receipt(source: PaymentSource, *, collected: int, still_due: int, currency: str) -> Receipt:
    """Return the receipt of a try to pay what is due (cents) with the payment method that was the default already."""
    receipt = _method_receipt(source, "", collected=collected, still_due=still_due, currency=currency)
    name = payment_method_name(source)
    if still_due:
        title = f"{name} paid a part of what you owed" if collected else f"{name} was declined"
        return replace(receipt, title=title, undo_text="Update it, or add another one to pay.")
    return replace(receipt, title=f"{name} paid what you owed" if collected else "You're all paid up")


def tried_again_receipt(source: PaymentSource, *, collected: int, still_due: int, currency: str) -> Receipt:
    """Return the receipt of a try to collect what is due (cents), which Customer Service has started."""
    receipt = _method_receipt(source, "", collected=collected, still_due=still_due, currency=currency)
    name = payment_method_name(source)
    title = f"{name} paid what you owed" if not still_due else f"{name} was declined again"
    return replace(receipt, title=title, undo_text="" if not still_due else "Update it, or add another one to pay.")


def method_removed_receipt(source: PaymentSource) -> Receipt:
    """Return the receipt of a removed payment method."""
    return Receipt(
        title=f"{payment_method_name(source)} was removed",
        lines=["We've removed it and won't charge it again."],
        undo_text=_NOT_YOU,
        links=[Link("See your payment methods", PAYMENT_METHODS_PATH)],
    )


def rest_receipt(receipt: Receipt) -> Receipt:
    """Return the receipt of a change's last part, the first of which was told before."""
    lines = [line for line in receipt.lines if line != NOTHING_CHARGED]
    return replace(receipt, lines=["The rest of your change is done.", *lines])


def _method_receipt(source: PaymentSource, what: str, *, collected: int, still_due: int, currency: str) -> Receipt:
    lines = []
    if collected:
        lines.append(f"We charged it the {format_cents(collected, currency)} you owed.")
    if still_due:
        lines.append(f"{format_cents(still_due, currency)} is still due. We couldn't collect it.")
    return Receipt(
        title=f"{payment_method_name(source)} {what}",
        lines=lines or [NOTHING_CHARGED],
        facts=[
            *_expiry_facts(source),
            *([("Charged", format_cents(collected, currency))] if collected else []),
            *([("Still due", format_cents(still_due, currency))] if still_due else []),
        ],
        undo_text=_NOT_YOU,
        links=[Link("See your payment methods", PAYMENT_METHODS_PATH)],
    )


def _expiry_facts(source: PaymentSource) -> list[Fact]:
    card = source.payload.get("card") or {}
    if not card.get("expiry_year"):
        return []
    return [("Expires", f"{int(card.get('expiry_month') or 0):02d}/{card['expiry_year']}")]
