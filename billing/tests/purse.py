"""What one subscriber pays with: the changes as the app asks for them, and what the provider then holds."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Account
from billing import clock
from billing.queries.payment_methods import CARD, due_invoices, payment_lists
from billing.services import payment_methods, sync
from billing.services.payment_methods import ADD, DELETE, SETPRIMARY, UPDATE, Outcome, Wish
from billing.tests.live import DECLINES, FAITH, GOSPEL, Provider
from billing.tests.payer import Payer

MASTERCARD, AMEX, JCB = "5555555555554444", "378282246310005", "3530111333300000"
OWNER = {"first_name": "Grace", "last_name": "Van Dyke", "billing_state": "Ohio", "billing_zip": "43004"}


@dataclass
class Purse:
    """An account's payment methods. Each change is an intent of its own, unless it is given a key."""

    provider: Provider
    account: Account
    _intents: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def customer(self) -> str:
        """The provider's id of whose they are."""
        return self.account.customer.provider_id

    def token(self, number: str) -> str:
        """The token of a card that was typed into the provider's fields."""
        cvv = {"cvv": "1234"} if number == AMEX else {}
        return Payer(self.provider.sandbox.url).token(number, **cvv)

    def agree_to_paypal(self, intent: str) -> None:
        """Say yes on PayPal's page."""
        payer = Payer(self.provider.sandbox.url)
        payer.decides(payer.begins_paypal(intent), "agree")

    def add(self, token: str, *, key: str = "") -> Outcome:
        """Add a card by its token."""
        return self.change(Wish(ADD, CARD, token=token, owner=OWNER), key=key)

    def replace(self, source: str, token: str, *, key: str = "") -> Outcome:
        """Put a card in another one's place."""
        return self.change(Wish(UPDATE, CARD, source, token, OWNER), key=key)

    def describe(self, source: str, **owner: str) -> Outcome:
        """Change what a card says of its owner."""
        return self.change(Wish(UPDATE, CARD, source, owner={**OWNER, **owner}))

    def make_default(self, source: str, *, key: str = "") -> Outcome:
        """Pay with this one from now on."""
        return self.change(Wish(SETPRIMARY, CARD, source), key=key)

    def remove(self, source: str) -> Outcome:
        """Take one away."""
        return self.change(Wish(DELETE, CARD, source))

    def change(self, wish: Wish, *, key: str = "") -> Outcome:
        """Ask for a change."""
        key = key or f"intent-{next(self._intents)}"
        return payment_methods.change(self.account, wish, key=key, actor="you", now=clock.now())

    def held(self) -> dict[str, dict[str, Any]]:
        """The sources that the provider holds, by id."""
        page = self.provider.sdk.PaymentSource.list({"customer_id": {"is": self.customer}, "limit": 100})
        return {entry.payment_source.id: entry.payment_source.raw_data for entry in page.list}

    def digits(self) -> list[str]:
        """The last digits of the cards that the provider holds."""
        return sorted(one["card"]["last4"] for one in self.held().values() if "card" in one)

    def role(self, role: str = "primary") -> str | None:
        """The source that has a role at the provider."""
        customer = self.provider.sdk.Customer.retrieve(self.customer).customer.raw_data
        held: str | None = customer.get(f"{role}_payment_source_id")
        return held

    def other(self) -> str:
        """The source that is not charged, of two."""
        [other] = set(self.held()) - {self.role()}
        return other

    def shown(self) -> list[str]:
        """The cards that the subscriber sees."""
        return [one["payment_source_id"] for one in payment_lists(self.account)["card"]]

    def charges(self) -> list[tuple[str, int]]:
        """What was charged with success, as invoice and cents."""
        page = self.provider.sdk.Transaction.list({"customer_id": {"is": self.customer}, "limit": 100})
        rows = [entry.transaction.raw_data for entry in page.list]
        return sorted(
            (link["invoice_id"], link["applied_amount"])
            for row in rows
            if row["status"] == "success"
            for link in row["linked_invoices"]
        )

    def due(self) -> int:
        """What the portal says is due, in cents."""
        return sum(invoice.cents("amount_due") for invoice in due_invoices(self.account))

    def fall_due(self, **later: float) -> None:
        """Let the next bills come, and the portal hear of it, half a day before a declined one is tried again."""
        self.provider.travel(**(later or {"days": 31, "hours": 12}))
        sync.resync_account(self.account)


def overdue_purse(provider: Provider) -> Purse:
    """Finn's, whose card declined two renewals."""
    account = provider.subscriber("finn", FAITH, GOSPEL)
    provider.add_card("finn", DECLINES)
    purse = Purse(provider, account)
    purse.fall_due()
    return purse
