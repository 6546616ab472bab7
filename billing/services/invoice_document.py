"""From a mirrored invoice to the plain data that is drawn: dates in the site's zone, amounts as the provider says."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from accounts import site
from accounts.models import Brand
from accounts.models.site import SiteSettings
from billing import catalog, clock
from billing.gateway.snapshots import instant
from billing.models import Customer, Invoice, PaymentSource, Transaction
from billing.pdf.document import (
    BrandMark,
    Discount,
    InvoiceDocument,
    InvoiceLine,
    PaidWith,
    Party,
    Tax,
)

ADDRESS_LINES = ("line1", "line2")


def document_of(invoice: Invoice) -> InvoiceDocument:
    """Return what the PDF of an invoice says."""
    settings = site.site_settings()
    zone = settings.time_zone
    brand = _brand(invoice)
    return InvoiceDocument(
        number=invoice.provider_id,
        status=invoice.status,
        issued_on=clock.local_date(invoice.issued_at, zone),
        brand=BrandMark(name=brand.name, logo=brand.logo, colour=_colour(brand)),
        seller=_seller(settings, brand),
        subscriber=_subscriber(invoice),
        lines=tuple(_line(line, zone) for line in invoice.payload["line_items"]),
        discounts=tuple(_discount(discount) for discount in invoice.payload["discounts"]),
        taxes=tuple(
            Tax(label=tax.get("name", "Tax"), amount=tax["amount"]) for tax in invoice.payload["taxes"]
        ),
        subtotal=sum(int(line["amount"]) for line in invoice.payload["line_items"]),
        total=invoice.cents("total"),
        credits_applied=invoice.cents("credits_applied"),
        amount_paid=invoice.cents("amount_paid"),
        amount_due=invoice.cents("amount_due"),
        currency=invoice.text("currency_code"),
        due_on=_day(invoice.instant("due_date"), zone),
        paid_on=_day(invoice.instant("paid_at"), zone),
        paid_with=_paid_with(invoice),
    )


def _brand(invoice: Invoice) -> Brand:
    """The brand of the service it bills; one over several services is the default brand's."""
    plans = [
        catalog.find_plan(catalog.plan_id_of(str(line.get("entity_id", "")))) for line in _lines(invoice)
    ]
    services = {plan.service for plan in plans if plan is not None}
    return site.brand(services.pop()) if len(services) == 1 else site.default_brand()


def _colour(brand: Brand) -> str:
    return str(brand.colours.get("light", {}).get("primary", ""))


def _seller(settings: SiteSettings, brand: Brand) -> Party:
    return Party(
        name=settings.seller_name or brand.name,
        address=tuple(settings.seller_address.splitlines()),
        tax_id=settings.seller_tax_id,
    )


def _subscriber(invoice: Invoice) -> Party:
    customer = invoice.customer
    billed = invoice.payload.get("billing_address") or customer.payload.get("billing_address") or {}
    name = _joined(billed, ("first_name", "last_name")) or _joined(
        customer.payload, ("first_name", "last_name")
    )
    return Party(name=name or customer.email, email=customer.email, address=_address(billed))


def _address(billed: dict[str, Any]) -> tuple[str, ...]:
    state = "state_code" if billed.get("state_code") else "state"
    region = _joined(billed, (state, "zip"))
    place = ", ".join(part for part in (_joined(billed, ("city",)), region) if part)
    lines = (_joined(billed, (line,)) for line in ADDRESS_LINES)
    return tuple(line for line in (*lines, place, _joined(billed, ("country",))) if line)


def _line(line: dict[str, Any], zone: str) -> InvoiceLine:
    return InvoiceLine(
        description=str(line.get("description", "")),
        amount=int(line["amount"]),
        unit_amount=int(line.get("unit_amount") or 0),
        quantity=int(line.get("quantity") or 1),
        period_from=_day(instant(line["date_from"]), zone) if "date_from" in line else None,
        period_to=_day(instant(line["date_to"]), zone) if "date_to" in line else None,
    )


def _discount(discount: dict[str, Any]) -> Discount:
    return Discount(label=str(discount.get("description") or "Discount"), amount=int(discount["amount"]))


def _paid_with(invoice: Invoice) -> PaidWith | None:
    payments = [link for link in invoice.payload["linked_payments"] if link.get("txn_status") == "success"]
    if not payments:
        return None
    transaction = Transaction.objects.filter(provider_id=payments[-1]["txn_id"]).first()
    if transaction is None:
        return None
    source = _source(invoice.customer, transaction)
    if transaction.text("payment_method") == "paypal_express_checkout":
        return PaidWith(paypal_email=str(source.get("paypal", {}).get("email", "")))
    card = source.get("card", {})
    last4 = transaction.text("last4") or transaction.text("masked_card_number")[-4:]
    return PaidWith(card_brand=str(card.get("brand", "")), last4=last4 or str(card.get("last4", "")))


def _source(customer: Customer, transaction: Transaction) -> dict[str, Any]:
    source = PaymentSource.objects.filter(
        customer=customer, provider_id=transaction.text("payment_source_id")
    ).first()
    return source.payload if source else {}


def _lines(invoice: Invoice) -> Iterable[dict[str, Any]]:
    return invoice.payload.get("line_items") or ()


def _joined(values: dict[str, Any], names: Iterable[str]) -> str:
    return " ".join(str(values[name]) for name in names if values.get(name))


def _day(moment: datetime | None, zone: str) -> date | None:
    return None if moment is None else clock.local_date(moment, zone)
