"""Convert the invoices and refunds of a year into the data of its statement."""

from collections.abc import Mapping, Sequence

from accounts.brands import site
from accounts.models import Account
from billing import clock
from billing.gateway.snapshots import parse_instant
from billing.invoices.pdf_content import (
    billing_brand,
    brand_mark,
    local_day,
    paying_source,
    seller_party,
    subscriber_party,
)
from billing.models import Invoice, Transaction
from billing.pdf.statement_data import (
    StatementData,
    StatementInvoice,
    StatementItem,
    StatementRefund,
    StatementSums,
)
from billing.queries.payments.invoices import (
    InvoiceRow,
    PaymentLookup,
    invoices_of,
    invoices_of_year,
    last_payment,
    refunds_of_year,
    rows_for_invoices,
)
from billing.queries.payments.payment_methods import invoice_currency
from billing.terms import DEFAULT_CURRENCY


def statement_pdf_content(account: Account, year: int) -> StatementData:
    """Return the data of the statement of an account's year, which has an invoice or a refund."""
    invoices, refunds = invoices_of_year(account, year)[::-1], refunds_of_year(account, year)
    settings, brand = site.site_settings(), billing_brand(invoices or invoices_of(account))
    payments, rows = PaymentLookup.for_account(account), rows_for_invoices(account, invoices)
    return StatementData(
        year=year,
        brand=brand_mark(brand),
        seller=seller_party(settings, brand),
        subscriber=subscriber_party(invoices[-1] if invoices else refunds[-1]),
        invoices=tuple(
            _statement_invoice(row, payments.payment_method(last_payment(invoice)), settings.time_zone)
            for invoice, row in zip(invoices, rows, strict=True)
        ),
        refunds=tuple(_statement_refund(refund, payments, settings.time_zone) for refund in refunds),
        sums=_sums_by_currency(invoices, refunds),
    )


def _statement_invoice(row: InvoiceRow, method: Mapping[str, str | None], zone: str) -> StatementInvoice:
    return StatementInvoice(
        number=row.number,
        status=row.status,
        dated=clock.local_date(row.transaction_date, zone),
        items=tuple(
            StatementItem(item.name, local_day(item.starts_at, zone), local_day(item.ends_at, zone))
            for item in row.items
        ),
        total=row.total,
        currency=row.currency_code,
        paid_with=paying_source(method),
    )


def _statement_refund(refund: Transaction, payments: PaymentLookup, zone: str) -> StatementRefund:
    return StatementRefund(
        dated=clock.local_date(parse_instant(refund.payload["date"]), zone),
        amount=refund.cents("amount"),
        currency=_refund_currency(refund),
        paid_to=paying_source(payments.payment_method({"txn_id": refund.provider_id})),
    )


def _refund_currency(refund: Transaction) -> str:
    return refund.text("currency_code") or DEFAULT_CURRENCY


def _sums_by_currency(invoices: Sequence[Invoice], refunds: Sequence[Transaction]) -> tuple[StatementSums, ...]:
    """Return the sums of each currency, in the order of the invoices."""
    currencies = dict.fromkeys([*map(invoice_currency, invoices), *map(_refund_currency, refunds)])
    return tuple(
        _sum_up(
            currency,
            [row for row in invoices if invoice_currency(row) == currency and row.status != "voided"],
            sum(row.cents("amount") for row in refunds if _refund_currency(row) == currency),
        )
        for currency in currencies
    )


def _sum_up(currency: str, invoices: Sequence[Invoice], refunded: int) -> StatementSums:
    total, credited, paid, due = (
        sum(invoice.cents(field) for invoice in invoices)
        for field in ("total", "credits_applied", "amount_paid", "amount_due")
    )
    return StatementSums(
        currency=currency,
        total=total,
        credits=credited,
        adjusted=total - credited - paid - due,
        paid=paid,
        due=due,
        refunded=refunded,
    )
