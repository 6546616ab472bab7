"""The texts of receipts of refunds and credits."""

from billing.models import Customer, Invoice
from billing.money import format_cents
from billing.queries.next_bills import Balances
from billing.queries.payments.payment_methods import invoice_currency
from billing.receipts.delivery import DASHBOARD_PATH, Link, Receipt, invoice_link
from billing.receipts.phrases import Fact


def refunded_receipt(invoice: Invoice, *, amount: int, method: str, reference: str) -> Receipt:
    """Return the receipt of a refund of `amount` cents; `method` names the payment method, empty if not known."""
    refund = format_cents(amount, invoice_currency(invoice))
    return Receipt(
        title=f"We refunded {refund}" + (f" to your {method}" if method else ""),
        lines=["Banks take 5 to 10 days to show a refund. You don't have to do anything."],
        facts=[
            ("Refunded", refund),
            ("Refunded to", method or "the payment method that you paid with"),
            ("Invoice", invoice.provider_id),
            ("Reference", reference),
        ],
        action=invoice_link(invoice.provider_id),
    )


def credited_receipt(invoice: Invoice, customer: Customer, *, amount: int, reference: str) -> Receipt:
    """Return the receipt of a credit of `amount` cents for what was paid of an invoice."""
    currency = invoice_currency(invoice)
    return Receipt(
        title=f"You have a credit of {format_cents(amount, currency)}",
        lines=["It pays your next bills automatically."],
        facts=[
            ("Credit", format_cents(amount, currency)),
            *_balance_facts(customer, currency),
            ("For invoice", invoice.provider_id),
            ("Reference", reference),
        ],
        action=invoice_link(invoice.provider_id),
    )


def adjusted_receipt(invoice: Invoice, *, amount: int, reference: str) -> Receipt:
    """Return the receipt of an amount (cents) that was taken off what is due of an invoice."""
    currency = invoice_currency(invoice)
    due = invoice.cents("amount_due")
    still = f"{format_cents(due, currency)} of it is still due." if due else "Nothing is due for it any more."
    return Receipt(
        title=f"We took {format_cents(amount, currency)} off your bill",
        lines=[still],
        facts=[
            ("Taken off", format_cents(amount, currency)),
            ("Still due", format_cents(due, currency)),
            ("Invoice", invoice.provider_id),
            ("Reference", reference),
        ],
        action=invoice_link(invoice.provider_id),
    )


def promotional_credit_receipt(customer: Customer, *, amount: int, currency: str, reference: str) -> Receipt:
    """Return the receipt of a promotional credit of `amount` cents."""
    return Receipt(
        title=f"We gave you a credit of {format_cents(amount, currency)}",
        lines=["It comes off your next bills automatically."],
        facts=[
            ("Credit", format_cents(amount, currency)),
            *_balance_facts(customer, currency),
            ("Reference", reference),
        ],
        links=[Link("See your next bill", DASHBOARD_PATH)],
    )


def _balance_facts(customer: Customer, currency: str) -> list[Fact]:
    balances = Balances.of_customer(customer)
    if balances.is_empty or not balances.can_pay(currency):  # what the customer has in another currency is not told
        return []
    return [("Your credit now", format_cents(balances.total, currency))]
