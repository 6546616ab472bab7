"""Convert a mirrored credit note into the data that its PDF shows: dates in the site's time zone, amounts in cents."""

from accounts.brands import site
from billing import clock
from billing.invoices.pdf_content import (
    billing_brand,
    brand_mark,
    discount_lines,
    invoice_line,
    paying_source,
    seller_party,
    subscriber_party,
    tax_lines,
)
from billing.models import CreditNote
from billing.pdf.credit_note_data import CreditNoteData
from billing.queries.payments.invoices import PaymentLookup, refund_link
from billing.terms import DEFAULT_CURRENCY


def credit_note_pdf_content(note: CreditNote) -> CreditNoteData:
    """Return the data of a credit note's PDF."""
    settings = site.site_settings()
    zone = settings.time_zone
    brand = billing_brand([note])
    payments = PaymentLookup.for_customer(note.customer)
    return CreditNoteData(
        number=note.provider_id,
        invoice_number=note.invoice_number,
        issued_on=clock.local_date(note.issued_at, zone),
        brand=brand_mark(brand),
        seller=seller_party(settings, brand),
        subscriber=subscriber_party(note),
        lines=tuple(invoice_line(line, zone) for line in note.line_items),
        discounts=discount_lines(note),
        taxes=tax_lines(note),
        subtotal=sum(int(line["amount"]) for line in note.line_items),
        total=note.cents("total"),
        currency=note.text("currency_code") or DEFAULT_CURRENCY,
        adjusts=note.is_adjustment,
        refunded=note.cents("amount_refunded"),
        used=0 if note.is_adjustment else note.cents("amount_allocated"),
        left=note.cents("amount_available"),
        refunded_to=paying_source(payments.payment_method(refund_link(note))),
    )
