"""Convert a mirrored invoice into the data that its PDF shows: dates in the site's time zone, amounts in cents."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from accounts.brands import site
from accounts.models import Brand
from accounts.models.site import SiteSettings
from billing import clock
from billing.gateway.snapshots import parse_instant
from billing.models import CreditNote, Invoice, ItemPrice, Plan, Transaction
from billing.pdf.invoice_data import (
    BrandMark,
    DiscountLine,
    InvoiceData,
    InvoiceLine,
    Party,
    PayingSource,
    TaxLine,
)
from billing.queries.payments.invoices import PaymentLookup, last_payment
from billing.terms import TAX_INCLUSIVE

ADDRESS_LINE_FIELDS = ("line1", "line2")


def invoice_pdf_content(invoice: Invoice) -> InvoiceData:
    """Return the data of an invoice's PDF."""
    settings = site.site_settings()
    zone = settings.time_zone
    brand = billing_brand([invoice])
    payments = PaymentLookup.for_customer(invoice.customer)
    return InvoiceData(
        number=invoice.provider_id,
        status=invoice.status,
        issued_on=clock.local_date(invoice.issued_at, zone),
        brand=brand_mark(brand),
        seller=seller_party(settings, brand),
        subscriber=subscriber_party(invoice),
        lines=tuple(invoice_line(line, zone) for line in invoice.line_items),
        discounts=discount_lines(invoice),
        taxes=tax_lines(invoice),
        subtotal=sum(int(line["amount"]) for line in invoice.line_items),
        total=invoice.cents("total"),
        credits_applied=invoice.cents("credits_applied"),
        amount_paid=invoice.cents("amount_paid"),
        adjusted=invoice.cents("amount_adjusted") + invoice.cents("write_off_amount"),
        amount_due=invoice.cents("amount_due"),
        currency=invoice.text("currency_code"),
        due_on=local_day(invoice.instant("due_date"), zone),
        paid_on=local_day(invoice.instant("paid_at"), zone),
        paid_with=paying_source(payments.payment_method(last_payment(invoice))),
    )


def brand_mark(brand: Brand) -> BrandMark:
    """Return a brand as it is printed."""
    colour = str(brand.colours.get("light", {}).get("primary", ""))
    return BrandMark(name=brand.name, logo=brand.logo, colour=colour)


def billing_brand(invoices: Iterable[Invoice | CreditNote]) -> Brand:
    """Return the brand of the service that invoices or credit notes bill; the default brand if they bill several."""
    price_ids = {line.get("entity_id", "") for invoice in invoices for line in invoice.line_items}
    prices = ItemPrice.objects.filter(provider_id__in=price_ids)
    services = set(Plan.objects.filter(pk__in=prices.values("item_id")).values_list("service", flat=True))
    return site.brand_for_code(services.pop()) if len(services) == 1 else site.default_brand()


def seller_party(settings: SiteSettings, brand: Brand) -> Party:
    """Return who sells: what the settings say, or the brand's name."""
    return Party(
        name=settings.seller_name or brand.name,
        address=tuple(settings.seller_address.splitlines()),
        tax_id=settings.seller_tax_id,
    )


def subscriber_party(invoice: Invoice | CreditNote | Transaction) -> Party:
    """Return who is billed: the billing address of the invoice or credit note, or else the customer's."""
    customer = invoice.customer
    billed = invoice.payload.get("billing_address") or customer.payload.get("billing_address") or {}
    name = _join_values(billed, ("first_name", "last_name")) or _join_values(
        customer.payload, ("first_name", "last_name")
    )
    return Party(name=name or customer.email, email=customer.email, address=_address_lines(billed))


def _address_lines(billed: dict[str, Any]) -> tuple[str, ...]:
    state = "state_code" if billed.get("state_code") else "state"
    region = _join_values(billed, (state, "zip"))
    place = ", ".join(part for part in (_join_values(billed, ("city",)), region) if part)
    lines = (_join_values(billed, (line,)) for line in ADDRESS_LINE_FIELDS)
    return tuple(line for line in (*lines, place, _join_values(billed, ("country",))) if line)


def discount_lines(bill: Invoice | CreditNote) -> tuple[DiscountLine, ...]:
    """Return the discounts of an invoice or a credit note, which the amounts of its lines leave out."""
    return tuple(
        DiscountLine(label=str(discount.get("description") or "Discount"), amount=int(discount["amount"]))
        for discount in bill.payload.get("discounts") or ()
    )


def tax_lines(invoice: Invoice | CreditNote) -> tuple[TaxLine, ...]:
    """Return the taxes of an invoice or a credit note; they are in the amounts already if the prices include them."""
    included = " (included)" if invoice.text("price_type") == TAX_INCLUSIVE else ""
    taxes = invoice.payload["taxes"]
    return tuple(TaxLine(label=f"{tax.get('name', 'Tax')}{included}", amount=tax["amount"]) for tax in taxes)


def invoice_line(line: Mapping[str, Any], zone: str) -> InvoiceLine:
    """Return a line of an invoice or a credit note."""
    return InvoiceLine(
        description=str(line.get("description", "")),
        amount=int(line["amount"]),
        unit_amount=int(line.get("unit_amount") or 0),
        quantity=int(line.get("quantity") or 1),
        period_from=local_day(parse_instant(line["date_from"]), zone) if "date_from" in line else None,
        period_to=local_day(parse_instant(line["date_to"]), zone) if "date_to" in line else None,
    )


def paying_source(method: Mapping[str, str | None]) -> PayingSource | None:
    """Return how something was paid, from what `PaymentLookup.payment_method` tells; None if it tells nothing."""
    if not method:
        return None
    is_card = method["payment_source_type"] == "CARD"
    return PayingSource(
        card_brand=(method["card_brand"] or "").lower(),
        last4=method["last4"] or "",
        paypal_email=method["paypal_email"] or "",
        wallet="" if is_card else method["payment_source_name"] or "",
    )


def _join_values(values: dict[str, Any], names: Iterable[str]) -> str:
    return " ".join(str(values[name]) for name in names if values.get(name))


def local_day(moment: datetime | None, zone: str) -> date | None:
    """Return the calendar date of an instant in an IANA time zone; None without an instant."""
    return None if moment is None else clock.local_date(moment, zone)
