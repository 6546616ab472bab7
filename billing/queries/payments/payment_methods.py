"""Payment methods and due invoices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Account
from billing.models import Customer, Invoice, PaymentSource, Subscription, Transaction
from billing.models.mirror import LIVE_STATUSES
from billing.queries.payments.past_due import past_due_invoices
from billing.terms import DEFAULT_CURRENCY

CARD, PAYPAL, OTHER = "CARD", "PAYPAL", "OTHER"
# The kinds of the provider's source types; those of all other types are OTHER.
SOURCE_KINDS = {"card": CARD, "paypal_express_checkout": PAYPAL}
# Names that do not follow from the provider's type.
TYPE_NAMES = {
    "paypal_express_checkout": "PayPal",
    "amazon_payments": "Amazon Pay",
    "direct_debit": "Bank account",
    "generic": "Other payment method",
    "upi": "UPI",
    "ideal": "iDEAL",
    "paypay": "PayPay",
    "gcash": "GCash",
}
CARD_BRAND_CODES = {
    "visa": "VISA",
    "mastercard": "MASTERCARD",
    "american_express": "AMERICAN_EXPRESS",
    "discover": "DISCOVER",
    "jcb": "JCB",
    "diners_club": "DINERS_CLUB",
}
OTHER_CARD_BRAND = "OTHER"
BRANDS = (*CARD_BRAND_CODES.values(), PAYPAL, OTHER_CARD_BRAND)


@dataclass(frozen=True)
class PaymentSourceRow:
    """A payment source as the subscriber sees it.

    `type` is the provider's type in upper case and `type_name` its name; `card` has what the provider tells of a card,
    masked, and `account` what tells a source without a card from others of its type.
    """

    payment_source_id: str
    type: str
    type_name: str
    primary_payment_source: bool
    deletable: bool
    status: str | None
    brand: str
    card: Mapping[str, Any]
    email: str | None
    account: str | None


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
        return self._rows(CARD)

    @property
    def paypal_accounts(self) -> list[PaymentSourceRow]:
        """The rows of the PayPal accounts."""
        return self._rows(PAYPAL)

    @property
    def others(self) -> list[PaymentSourceRow]:
        """The rows of the sources of all other types: wallets, bank accounts, and whatever the provider adds."""
        return self._rows(OTHER)

    def _rows(self, kind: str) -> list[PaymentSourceRow]:
        return [self._row(source) for source in self.sources if kind_of(source) == kind]

    def _row(self, source: PaymentSource) -> PaymentSourceRow:
        card = source.payload.get("card") or {}
        return PaymentSourceRow(
            payment_source_id=source.provider_id,
            type=source.text("type").upper(),
            type_name=type_name(source.text("type")),
            primary_payment_source=self.is_primary(source),
            deletable=self.is_deletable(source),
            status=source.text("status").upper() or None,
            brand=brand_of(source),
            card={**card, "billing_state": card.get("billing_state") or card.get("billing_state_code")},
            email=(source.payload.get("paypal") or {}).get("email"),
            account=source_account(source) or None,
        )


def wallet_of(account: Account) -> Wallet:
    """Return an account's payment sources and their roles. Three queries."""
    customer = Customer.objects.filter(account=account).first()
    sources = PaymentSource.objects.filter(customer__account=account, deleted=False)
    live = Subscription.objects.filter(customer__account=account, deleted=False, status__in=LIVE_STATUSES)
    return Wallet(
        sources=tuple(sorted(sources, key=lambda source: (source.cents("created_at"), source.pk))),
        primary_id=customer.text("primary_payment_source_id") if customer else "",
        backup_id=customer.text("backup_payment_source_id") if customer else "",
        has_live_plan=live.exists(),
    )


def attach_sources(transactions: Sequence[Transaction]) -> None:
    """Give transactions the payment sources that they charged, also those that were removed. One query."""
    ids = {transaction.text("payment_source_id") for transaction in transactions} - {""}
    sources = (
        {source.provider_id: source for source in PaymentSource.objects.filter(provider_id__in=ids)} if ids else {}
    )
    for transaction in transactions:
        transaction.payment_source = sources.get(transaction.text("payment_source_id"))


def due_invoices(account: Account) -> list[Invoice]:
    """Return the unpaid invoices with an amount due, in the currency of the oldest one, oldest first. One query.

    Those in another currency are due next: amounts of different currencies are never added.
    """
    due = unpaid_invoices(account)
    return [invoice for invoice in due if invoice_currency(invoice) == invoice_currency(due[0])]


def unpaid_invoices(account: Account) -> list[Invoice]:
    """Return all unpaid invoices with an amount due, in any currency, oldest first. One query."""
    invoices = past_due_invoices(account).order_by("issued_at", "pk")
    return [invoice for invoice in invoices if invoice.cents("amount_due")]


def invoice_currency(invoice: Invoice) -> str:
    """Return the currency of an invoice."""
    return invoice.text("currency_code") or DEFAULT_CURRENCY


def due_money(account: Account) -> tuple[int, str]:
    """Return the amount due in cents, and its currency. One query."""
    due = due_invoices(account)
    return sum(invoice.cents("amount_due") for invoice in due), invoice_currency(due[0]) if due else DEFAULT_CURRENCY


def kind_of(source: PaymentSource) -> str:
    """Return the kind of a source: CARD, PAYPAL or OTHER."""
    return SOURCE_KINDS.get(source.text("type"), OTHER)


def type_name(source_type: str) -> str:
    """Return the name of a source type of the provider, known or not: `Apple Pay`, `PayPal`."""
    return TYPE_NAMES.get(source_type, source_type.replace("_", " ").title())


def source_account(source: PaymentSource) -> str:
    """Return the address, name or masked number of a source without a card; empty if the provider tells none."""
    bank = source.payload.get("bank_account") or {}
    if last4 := bank.get("last4"):
        return f"{bank.get('bank_name') or ''} ending in {last4}".strip()
    accounts = (
        source.payload.get(name) or {} for name in ("paypal", "amazon_payment", "venmo", "upi", "klarna_pay_now")
    )
    return next((str(value) for account in accounts for value in account.values() if value), "")


def due_cents(account: Account) -> dict[str, int]:
    """Return the amount due of each due invoice, by the provider's id, oldest first. One query."""
    return {invoice.provider_id: invoice.cents("amount_due") for invoice in due_invoices(account)}


def brand_of(source: PaymentSource) -> str:
    """Return the brand of a source: a value of CARD_BRAND_CODES, also of a card in a wallet, PAYPAL or OTHER."""
    if kind_of(source) == PAYPAL:
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
    return (kind_of(source), *(card[name] for name in names)) if card.keys() >= set(names) else ()
