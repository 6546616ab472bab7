"""Convert a mirrored invoice into the data that its PDF shows: dates in the site's time zone, amounts in cents."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from accounts.brands import site
from accounts.models import Brand
from accounts.models.site import SiteSettings
from billing import clock
from billing.gateway.snapshots import parse_instant
from billing.models import Customer, Invoice, ItemPrice, PaymentSource, Plan, Transaction
from billing.pdf.invoice_data import (
    BrandMark,
    DiscountLine,
    InvoiceData,
    InvoiceLine,
    Party,
    PayingSource,
    TaxLine,
)
from billing.queries.payment_methods import type_name

ADDRESS_LINE_FIELDS = ("line1", "line2")


def invoice_pdf_content(invoice: Invoice) -> InvoiceData:
    """Return the data of an invoice's PDF."""
    settings = site.site_settings()
    zone = settings.time_zone
    brand = _invoice_brand(invoice)
    return InvoiceData(
        number=invoice.provider_id,
        status=invoice.status,
        issued_on=clock.local_date(invoice.issued_at, zone),
        brand=BrandMark(name=brand.name, logo=brand.logo, colour=_primary_color(brand)),
        seller=_seller_party(settings, brand),
        subscriber=_subscriber_party(invoice),
        lines=tuple(_invoice_line(line, zone) for line in invoice.line_items),
        discounts=tuple(_invoice_discount(discount) for discount in invoice.payload["discounts"]),
        taxes=tuple(TaxLine(label=tax.get("name", "Tax"), amount=tax["amount"]) for tax in invoice.payload["taxes"]),
        subtotal=sum(int(line["amount"]) for line in invoice.line_items),
        total=invoice.cents("total"),
        credits_applied=invoice.cents("credits_applied"),
        amount_paid=invoice.cents("amount_paid"),
        amount_due=invoice.cents("amount_due"),
        currency=invoice.text("currency_code"),
        due_on=_local_day(invoice.instant("due_date"), zone),
        paid_on=_local_day(invoice.instant("paid_at"), zone),
        paid_with=_payment_details(invoice),
    )


def _invoice_brand(invoice: Invoice) -> Brand:
    """Return the brand of the service that the invoice bills; the default brand if it bills several."""
    prices = ItemPrice.objects.filter(provider_id__in=[line.get("entity_id", "") for line in invoice.line_items])
    services = set(Plan.objects.filter(pk__in=prices.values("item_id")).values_list("service", flat=True))
    return site.brand_for_code(services.pop()) if len(services) == 1 else site.default_brand()


def _primary_color(brand: Brand) -> str:
    return str(brand.colours.get("light", {}).get("primary", ""))


def _seller_party(settings: SiteSettings, brand: Brand) -> Party:
    return Party(
        name=settings.seller_name or brand.name,
        address=tuple(settings.seller_address.splitlines()),
        tax_id=settings.seller_tax_id,
    )


def _subscriber_party(invoice: Invoice) -> Party:
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


def _invoice_line(line: Mapping[str, Any], zone: str) -> InvoiceLine:
    return InvoiceLine(
        description=str(line.get("description", "")),
        amount=int(line["amount"]),
        unit_amount=int(line.get("unit_amount") or 0),
        quantity=int(line.get("quantity") or 1),
        period_from=_local_day(parse_instant(line["date_from"]), zone) if "date_from" in line else None,
        period_to=_local_day(parse_instant(line["date_to"]), zone) if "date_to" in line else None,
    )


def _invoice_discount(discount: dict[str, Any]) -> DiscountLine:
    return DiscountLine(label=str(discount.get("description") or "Discount"), amount=int(discount["amount"]))


def _payment_details(invoice: Invoice) -> PayingSource | None:
    payments = [link for link in invoice.payload["linked_payments"] if link.get("txn_status") == "success"]
    if not payments:
        return None
    transaction = Transaction.objects.filter(provider_id=payments[-1]["txn_id"]).first()
    if transaction is None:
        return None
    source = _payment_source_payload(invoice.customer, transaction)
    method = transaction.text("payment_method")
    if method == "paypal_express_checkout":
        return PayingSource(paypal_email=str(source.get("paypal", {}).get("email", "")))
    card = source.get("card", {})
    wallet = "" if method in ("", "card") else type_name(method)
    last4 = transaction.text("last4") or transaction.text("masked_card_number")[-4:]
    return PayingSource(card_brand=str(card.get("brand", "")), last4=last4 or str(card.get("last4", "")), wallet=wallet)


def _payment_source_payload(customer: Customer, transaction: Transaction) -> dict[str, Any]:
    source = PaymentSource.objects.filter(customer=customer, provider_id=transaction.text("payment_source_id")).first()
    return source.payload if source else {}


def _join_values(values: dict[str, Any], names: Iterable[str]) -> str:
    return " ".join(str(values[name]) for name in names if values.get(name))


def _local_day(moment: datetime | None, zone: str) -> date | None:
    return None if moment is None else clock.local_date(moment, zone)
