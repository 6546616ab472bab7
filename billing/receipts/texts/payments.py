"""The texts of mails about bills that the provider collects by itself (docs/rules.md, rule 22)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from billing.gateway.estimates import PROMOTIONAL_CREDITS
from billing.models import Invoice, Subscription
from billing.money import format_cents
from billing.queries.payments.failed_payments import FailedPayment, PaymentFailure
from billing.queries.payments.payment_methods import invoice_currency
from billing.receipts.charges import Charges
from billing.receipts.delivery import DASHBOARD_PATH, PAYMENT_METHODS_PATH, Link, Receipt, invoice_link
from billing.receipts.phrases import Fact, join_words, long_date, plan_name, plan_names, verb_form

NO_PAYMENT_METHOD = "There's no payment method on your account."
# By `DECLINE_REASONS`; the last one is for a decline whose reason is not known.
REASON_SENTENCES = {
    "insufficient_funds": "There wasn't enough money in the account.",
    "expired_card": "The card has expired.",
    "confirmation_needed": "Your bank wants you to confirm the payment.",
    "declined": "Your bank declined it.",
}


def paid_receipt(
    invoice: Invoice, subscriptions: Sequence[Subscription], *, method: str, is_renewal: bool, has_failed: bool
) -> Receipt:
    """Return the receipt of a bill that was collected: for what, for which time, how much, and from what.

    `method` names the payment method, empty if nothing was charged. `has_failed`: an earlier try failed.
    """
    currency, paid = invoice_currency(invoice), invoice.cents("amount_paid")
    names = plan_names(subscriptions) or "your subscription"
    return Receipt(
        title=f"Receipt for {names}: {format_cents(paid, currency)}",
        lines=[
            *(_renewal_lines(invoice, subscriptions) if is_renewal else []),
            *(["An earlier try failed. This one went through, so nothing is due for this bill."] if has_failed else []),
            *([] if paid or has_failed else ["You weren't charged."]),
        ],
        facts=[
            *_period_facts(invoice, subscriptions),
            *_deduction_facts(invoice, currency),
            *Charges(paid=paid, currency=currency).receipt_facts(),
            *([("Payment method", method)] if method else []),
            ("Invoice", invoice.provider_id),
        ],
        action=invoice_link(invoice.provider_id),
        links=[Link("See your subscriptions", DASHBOARD_PATH)],
    )


def payment_failed_notice(
    failed: FailedPayment,
    failure: PaymentFailure,
    *,
    method: str,
    has_method: bool,
    at: datetime,
    ending: Collection[str] = (),
) -> Receipt:
    """Return the notice of a try that failed: why, how much is due, and when it is tried again.

    `failure` tells which plans ended over it; `method` names what was charged, empty if there was nothing to charge.
    `ending` are the provider's ids of the subscriptions that no payment keeps.
    """
    names = join_words(failed.plans) or "your subscription"
    amount = format_cents(failed.amount_due, failed.currency_code)
    retry = [("Next try", long_date(failed.next_retry_at))] if failed.next_retry_at else []
    return Receipt(
        title=f"Your payment for {names} failed",
        lines=[
            f"We couldn't collect {amount}. {REASON_SENTENCES[failed.reason] if has_method else NO_PAYMENT_METHOD}",
            *_next_try_lines(failed, failure, ending),
        ],
        facts=[
            ("Due", amount),
            ("Tried on", long_date(at)),
            *retry,
            *([("Payment method", method)] if method else []),
            ("Invoice", failed.number),
        ],
        action=Link("Update your payment method", PAYMENT_METHODS_PATH),
        links=[invoice_link(failed.number)],
    )


def _renewal_lines(invoice: Invoice, subscriptions: Sequence[Subscription]) -> list[str]:
    first = [row for row in subscriptions if row.trial_end is not None and _begins_at(invoice, row, row.trial_end)]
    renewed = [row for row in subscriptions if row not in first]
    date = long_date(invoice.issued_at)
    return [
        *(f"Your {plan_name(row)} trial ended on {date}, and billing started." for row in first),
        *([f"{plan_names(renewed)} renewed on {date}."] if renewed else []),
    ]


def _begins_at(invoice: Invoice, subscription: Subscription, at: datetime) -> bool:
    return any(_begin(line) == at for line in _lines_of(invoice, subscription))


def _period_facts(invoice: Invoice, subscriptions: Sequence[Subscription]) -> list[Fact]:
    """Return the time that each plan is paid for; an invoice can have earlier charges, which waited for it."""
    newest = [(row, max(lines, key=_end)) for row in subscriptions if (lines := _lines_of(invoice, row))]
    return [(plan_name(row), f"{long_date(_begin(line))} to {long_date(_end(line))}") for row, line in newest]


def _deduction_facts(invoice: Invoice, currency: str) -> list[Fact]:
    rows: Sequence[Mapping[str, Any]] = invoice.payload.get("discounts") or ()
    # Promotional credits are listed as a discount too, but subscribers know them as their credit.
    promotional = sum(int(row.get("amount") or 0) for row in rows if row.get("entity_type") == PROMOTIONAL_CREDITS)
    discounts = sum(int(row.get("amount") or 0) for row in rows) - promotional
    credit = promotional + invoice.cents("credits_applied")
    amounts = (("Discounts", discounts), ("Paid from your credit", credit))
    return [(label, format_cents(cents, currency)) for label, cents in amounts if cents]


def _next_try_lines(failed: FailedPayment, failure: PaymentFailure, ending: Collection[str]) -> list[str]:
    if failed.next_retry_at:
        date = long_date(failed.next_retry_at)
        return [f"We'll try again on {date}. You can also pay now, with this or another payment method."]
    plans = list(zip(failed.subscription_ids, failed.plans, strict=True))
    ended = [name for subscription_id, name in plans if subscription_id in failure.canceled_ids]
    paused = [name for subscription_id, name in plans if subscription_id in failure.paused_ids]
    return [
        "That was our last try.",
        *([f"{join_words(ended)} {verb_form(ended, 'was', 'were')} canceled because of it."] if ended else []),
        *([f"{join_words(paused)} {verb_form(paused, 'is', 'are')} paused because of it."] if paused else []),
        *([] if ended or paused else [_why_pay(plans, ending)]),
    ]


def _why_pay(plans: Sequence[tuple[str, str]], ending: Collection[str]) -> str:
    kept = [name for subscription_id, name in plans if subscription_id not in ending]
    if plans and not kept:
        return "The bill stays due until you pay it."
    return f"Pay now to keep {join_words(kept) or 'your subscription'}."


def _lines_of(invoice: Invoice, subscription: Subscription) -> list[Mapping[str, Any]]:
    return [line for line in invoice.line_items if line.get("subscription_id") == subscription.provider_id]


def _begin(line: Mapping[str, Any]) -> datetime:
    return datetime.fromtimestamp(int(line.get("date_from") or 0), tz=UTC)


def _end(line: Mapping[str, Any]) -> datetime:
    return datetime.fromtimestamp(int(line.get("date_to") or 0), tz=UTC)
