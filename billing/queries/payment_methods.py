"""What a subscriber pays with, and what is due (contract, section 3, `GET /api/payments/`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Account
from billing.models import Customer, Invoice, PaymentSource, Subscription
from billing.models.mirror import ALIVE
from billing.queries.dues import DUE

CARD, PAYPAL = "CARD", "PAYPAL"
# The provider's types by what the subscriber calls them; what is of another type is not shown.
TYPES = {"card": CARD, "paypal_express_checkout": PAYPAL}
BRANDS = {
    "visa": "VISA",
    "mastercard": "MASTERCARD",
    "american_express": "AMERICAN_EXPRESS",
    "discover": "DISCOVER",
    "jcb": "JCB",
    "diners_club": "DINERS_CLUB",
}
OTHER_BRAND = "OTHER"


@dataclass(frozen=True)
class Wallet:
    """An account's payment sources, oldest first, which of them is charged first, and whether that one is needed."""

    sources: tuple[PaymentSource, ...]
    primary_id: str
    backup_id: str
    has_live_plan: bool

    def is_primary(self, source: PaymentSource) -> bool:
        """Whether renewals are charged to this source."""
        return source.provider_id == self.primary_id

    def is_deletable(self, source: PaymentSource) -> bool:
        """Whether it may be removed: the default one may not while any plan is live (contract, rule 11)."""
        return not (self.has_live_plan and self.is_primary(source))

    def find(self, source_id: str) -> PaymentSource | None:
        """Return the account's source of this id, None when it has none."""
        return next((source for source in self.sources if source.provider_id == source_id), None)


def wallet_of(account: Account) -> Wallet:
    """Return what an account pays with. Three queries."""
    customer = Customer.objects.filter(account=account).first()
    sources = PaymentSource.objects.filter(customer__account=account, deleted=False)
    shown = [source for source in sources if source.text("type") in TYPES]
    live = Subscription.objects.filter(customer__account=account, deleted=False, status__in=ALIVE)
    return Wallet(
        sources=tuple(sorted(shown, key=lambda one: (one.cents("created_at"), one.pk))),
        primary_id=customer.text("primary_payment_source_id") if customer else "",
        backup_id=customer.text("backup_payment_source_id") if customer else "",
        has_live_plan=live.exists(),
    )


def due_invoices(account: Account) -> list[Invoice]:
    """Return the invoices that still want paying, oldest first. One query."""
    found = Invoice.objects.filter(customer__account=account, deleted=False, status__in=DUE)
    return [invoice for invoice in found.order_by("issued_at", "pk") if invoice.cents("amount_due")]


def payment_lists(account: Account) -> dict[str, list[dict[str, Any]]]:
    """Return the account's cards and PayPal accounts as the app shows them. Three queries."""
    wallet = wallet_of(account)
    rows = [_row(wallet, source) for source in wallet.sources]
    kinds = [TYPES[source.text("type")] for source in wallet.sources]
    return {
        "card": [row for row, kind in zip(rows, kinds, strict=True) if kind == CARD],
        "paypal": [row for row, kind in zip(rows, kinds, strict=True) if kind == PAYPAL],
    }


def _row(wallet: Wallet, source: PaymentSource) -> dict[str, Any]:
    return {
        "payment_source_id": source.provider_id,
        "primary_payment_source": wallet.is_primary(source),
        "deletable": wallet.is_deletable(source),
        "status": source.text("status").upper() or None,
        **_card(source.payload.get("card") or {}),
        "brand": brand_of(source),
        "email": (source.payload.get("paypal") or {}).get("email"),
    }


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "masked_number": card.get("masked_number"),
        "first_name": card.get("first_name"),
        "last_name": card.get("last_name"),
        "expiry_month": card.get("expiry_month"),
        "expiry_year": card.get("expiry_year"),
        "billing_zip": card.get("billing_zip"),
        "billing_state": card.get("billing_state") or card.get("billing_state_code"),
    }


def brand_of(source: PaymentSource) -> str:
    """Return the brand that a source is known by: one of BRANDS' values, PAYPAL or OTHER."""
    if TYPES.get(source.text("type")) == PAYPAL:
        return PAYPAL
    return BRANDS.get(str((source.payload.get("card") or {}).get("brand") or ""), OTHER_BRAND)


def looks_like(one: PaymentSource, other: PaymentSource) -> bool:
    """Return whether two sources are one card or PayPal account, as far as can be told.

    The provider names no fingerprint of a card: what is printed on it, and of the number the last digits, is all.
    """
    face = _face(one)
    return bool(face) and face == _face(other)


def _face(source: PaymentSource) -> tuple[Any, ...]:
    if email := (source.payload.get("paypal") or {}).get("email"):
        return PAYPAL, email
    card = source.payload.get("card") or {}
    names = ("brand", "last4", "expiry_month", "expiry_year")
    return tuple(card[name] for name in names) if card.keys() >= set(names) else ()
