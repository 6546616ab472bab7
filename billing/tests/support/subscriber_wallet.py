"""A subscriber's payment methods: changes as the app requests them, and the provider's state after them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Account
from billing import clock
from billing.mirror import account_import
from billing.payment_methods import changes
from billing.payment_methods.changes import ADD, DELETE, SETPRIMARY, UPDATE, MethodChange, MethodChangeResult
from billing.queries.payments.payment_methods import CARD, due_invoices, wallet_of
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, Provider
from chargebee_sandbox.tests.support.hosted_fields import Payer

MASTERCARD, AMEX, JCB = "5555555555554444", "378282246310005", "3530111333300000"
OWNER = {"first_name": "Grace", "last_name": "Van Dyke", "billing_state": "Ohio", "billing_zip": "43004"}


@dataclass
class SubscriberWallet:
    """An account's payment methods. Each change has a new idempotency key unless one is given."""

    provider: Provider
    account: Account
    _intents: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def customer_id(self) -> str:
        """The provider's id of the customer."""
        return self.account.customer.provider_id

    def authorize_card(self, number: str) -> str:
        """Return the id of a payment intent that the subscriber has authorized with a card."""
        params = {"customer_id": self.customer_id, "amount": 0, "currency_code": "USD", "payment_method_type": "card"}
        intent = str(self.provider.sdk.PaymentIntent.create(params).payment_intent.id)
        cvv = {"cvv": "1234"} if number == AMEX else {}
        return Payer(self.provider.sandbox.url).authorize_card(intent, number, **cvv)

    def agree_to_paypal(self, intent: str) -> None:
        """Approve a PayPal payment intent."""
        payer = Payer(self.provider.sandbox.url)
        payer.decide_paypal(payer.begin_paypal(intent), "agree")

    def add_card(self, intent: str, *, key: str = "") -> MethodChangeResult:
        """Add the card of an authorized intent."""
        return self.change_method(MethodChange(ADD, CARD, intent=intent, owner=OWNER), key=key)

    def replace_card(self, source: str, intent: str, *, key: str = "") -> MethodChangeResult:
        """Replace a card by another."""
        return self.change_method(MethodChange(UPDATE, CARD, source, intent, OWNER), key=key)

    def describe_owner(self, source: str, **owner: str) -> MethodChangeResult:
        """Change a card's name and billing address."""
        return self.change_method(MethodChange(UPDATE, CARD, source, owner={**OWNER, **owner}))

    def make_default(self, source: str, *, key: str = "") -> MethodChangeResult:
        """Make a source the default one."""
        return self.change_method(MethodChange(SETPRIMARY, CARD, source), key=key)

    def remove_source(self, source: str) -> MethodChangeResult:
        """Remove a source."""
        return self.change_method(MethodChange(DELETE, CARD, source))

    def change_method(self, change: MethodChange, *, key: str = "") -> MethodChangeResult:
        """Make a change."""
        key = key or f"intent-{next(self._intents)}"
        return changes.change_payment_method(self.account, change, key=key, actor="you", now=clock.billing_now())

    def provider_sources(self) -> dict[str, dict[str, Any]]:
        """Return the provider's payment sources by id."""
        page = self.provider.sdk.PaymentSource.list({"customer_id": {"is": self.customer_id}, "limit": 100})
        return {entry.payment_source.id: entry.payment_source.raw_data for entry in page.list}

    def last_digits(self) -> list[str]:
        """Return the last digits of the provider's cards."""
        return sorted(source["card"]["last4"] for source in self.provider_sources().values() if "card" in source)

    def source_in_role(self, role: str = "primary") -> str | None:
        """Return the id of the source in a role at the provider."""
        customer = self.provider.sdk.Customer.retrieve(self.customer_id).customer.raw_data
        held: str | None = customer.get(f"{role}_payment_source_id")
        return held

    def other_source(self) -> str:
        """Return the other of two sources, which is not the primary one."""
        [other] = set(self.provider_sources()) - {self.source_in_role()}
        return other

    def shown_cards(self) -> list[str]:
        """Return the ids of the cards that the app shows."""
        return [card.payment_source_id for card in wallet_of(self.account).cards]

    def paid_charges(self) -> list[tuple[str, int]]:
        """Return the successful charges, as invoice id and cents."""
        page = self.provider.sdk.Transaction.list({"customer_id": {"is": self.customer_id}, "limit": 100})
        rows = [entry.transaction.raw_data for entry in page.list]
        return sorted(
            (link["invoice_id"], link["applied_amount"])
            for row in rows
            if row["status"] == "success"
            for link in row["linked_invoices"]
        )

    def amount_due(self) -> int:
        """Return the amount due according to the portal, in cents."""
        return sum(invoice.cents("amount_due") for invoice in due_invoices(self.account))

    def let_bills_fall_due(self, **later: float) -> None:
        """Travel past the next renewals, to half a day before a declined one is retried, and resync the account."""
        self.provider.travel(**(later or {"days": 31, "hours": 12}))
        account_import.resync_account(self.account)


def overdue_wallet(provider: Provider, name: str = "finn") -> SubscriberWallet:
    """Return the wallet of a customer, Finn, whose card declined two renewals."""
    account = provider.subscriber(name, FAITH, GOSPEL)
    provider.add_card(name, DECLINING_CARD)
    wallet = SubscriberWallet(provider, account)
    wallet.let_bills_fall_due()
    return wallet
