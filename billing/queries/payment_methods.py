"""Payment methods and due invoices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Account
from billing.models import Customer, Invoice, PaymentSource, Subscription
from billing.models.mirror import LIVE_STATUSES
from billing.queries.past_due import DUE_STATUSES

CARD, PAYPAL = "CARD", "PAYPAL"
# The provider's source types and the kinds the API shows. Sources of other types are hidden.
SOURCE_KINDS = {"card": CARD, "paypal_express_checkout": PAYPAL}
CARD_BRAND_CODES = {
    "visa": "VISA",
    "mastercard": "MASTERCARD",
    "american_express": "AMERICAN_EXPRESS",
    "discover": "DISCOVER",
    "jcb": "JCB",
    "diners_club": "DINERS_CLUB",
}
OTHER_CARD_BRAND = "OTHER"


@dataclass(frozen=True)
class PaymentSourceRow:
    """A payment source as the subscriber sees it; `card` has what the provider tells of a card, masked."""

    payment_source_id: str
    primary_payment_source: bool
    deletable: bool
    status: str | None
    brand: str
    card: Mapping[str, Any]
    email: str | None


@dataclass(frozen=True)
class Wallet:
    """An account's payment sources, oldest first, their roles, and whether a live plan needs the primary one."""

    sources: tuple[PaymentSource, ...]
    primary_id: str
    backup_id: str
    has_live_plan: bool

    def is_primary(self, source: PaymentSource) -> bool:
        """Return whether renewals are charged to this source."""
        return source.provider_id == self.primary_id

    def is_deletable(self, source: PaymentSource) -> bool:
        """Return whether it may be removed. The primary one may not while a plan is live (docs/rules.md, rule 11)."""
        return not (self.has_live_plan and self.is_primary(source))

    def find_source(self, source_id: str) -> PaymentSource | None:
        """Return the account's source with this id, or None."""
        return next((source for source in self.sources if source.provider_id == source_id), None)

    @property
    def cards(self) -> list[PaymentSourceRow]:
        """The rows of the cards."""
        return [self._row(source) for source in self.sources if brand_of(source) != PAYPAL]

    @property
    def paypal_accounts(self) -> list[PaymentSourceRow]:
        """The rows of the PayPal accounts."""
        return [self._row(source) for source in self.sources if brand_of(source) == PAYPAL]

    def _row(self, source: PaymentSource) -> PaymentSourceRow:
        card = source.payload.get("card") or {}
        return PaymentSourceRow(
            payment_source_id=source.provider_id,
            primary_payment_source=self.is_primary(source),
            deletable=self.is_deletable(source),
            status=source.text("status").upper() or None,
            brand=brand_of(source),
            card={**card, "billing_state": card.get("billing_state") or card.get("billing_state_code")},
            email=(source.payload.get("paypal") or {}).get("email"),
        )


def wallet_of(account: Account) -> Wallet:
    """Return an account's payment sources and their roles. Three queries."""
    customer = Customer.objects.filter(account=account).first()
    sources = PaymentSource.objects.filter(customer__account=account, deleted=False)
    shown = [source for source in sources if source.text("type") in SOURCE_KINDS]
    live = Subscription.objects.filter(customer__account=account, deleted=False, status__in=LIVE_STATUSES)
    return Wallet(
        sources=tuple(sorted(shown, key=lambda source: (source.cents("created_at"), source.pk))),
        primary_id=customer.text("primary_payment_source_id") if customer else "",
        backup_id=customer.text("backup_payment_source_id") if customer else "",
        has_live_plan=live.exists(),
    )


def due_invoices(account: Account) -> list[Invoice]:
    """Return the unpaid invoices with an amount due, oldest first. One query."""
    invoices = Invoice.objects.filter(customer__account=account, deleted=False, status__in=DUE_STATUSES)
    return [invoice for invoice in invoices.order_by("issued_at", "pk") if invoice.cents("amount_due")]


def brand_of(source: PaymentSource) -> str:
    """Return the brand of a source: a value of CARD_BRAND_CODES, PAYPAL or OTHER_CARD_BRAND."""
    if SOURCE_KINDS.get(source.text("type")) == PAYPAL:
        return PAYPAL
    return CARD_BRAND_CODES.get(str((source.payload.get("card") or {}).get("brand") or ""), OTHER_CARD_BRAND)


def is_likely_same_source(source: PaymentSource, other: PaymentSource) -> bool:
    """Return whether two sources are probably the same card or PayPal account.

    The provider gives no fingerprint of a card, so brand, last four digits and expiry have to do.
    """
    details = _identifying_details(source)
    return bool(details) and details == _identifying_details(other)


def _identifying_details(source: PaymentSource) -> tuple[Any, ...]:
    if email := (source.payload.get("paypal") or {}).get("email"):
        return PAYPAL, email
    card = source.payload.get("card") or {}
    names = ("brand", "last4", "expiry_month", "expiry_year")
    return tuple(card[name] for name in names) if card.keys() >= set(names) else ()
