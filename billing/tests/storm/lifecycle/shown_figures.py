"""What the portal shows of totals and bills, against what the provider bills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Account
from billing.errors import BillingPartial
from billing.models import AccountDocument
from billing.queries.bundles import JUST_AFTER
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.tests.storm.initial_site import RATES
from billing.tests.support.live_provider import Provider, billed_ids
from billing.tests.support.shown_documents import read_document

NEVER_SECONDS = 10**12

# The total, the bundle's savings and the coupons' discount in cents, and these three by period.
Sums = tuple[int, int, int]
Totals = dict[str, Sums]


@dataclass
class ShownFigures:
    """The totals and bills that an account is shown, and those of its provider."""

    provider: Provider
    account: Account

    def totals_on_screen(self) -> Totals:
        """Return the totals of the plans' document."""
        return document_totals(read_document(self.account, AccountDocument.Kind.PLANS))

    def totals_at_provider(self) -> Totals:
        """Return the sums of the provider's estimates, without what is scheduled."""
        sums: dict[str, list[Sums]] = {}
        for holding in live_holdings(self.account):
            if holding.will_bill:
                bill = self.estimate_bill(holding, ignore_scheduled_changes=True)
                sums.setdefault(holding.terms.period_unit, []).append(bill)
        sums.setdefault(read_document(self.account, AccountDocument.Kind.PLANS)["periodUnit"], [])
        return {unit: sum_totals(bills) for unit, bills in sums.items()}

    def estimate_bill(self, holding: Holding, *, ignore_scheduled_changes: bool) -> Sums:
        """Return what the provider would bill at the next renewal."""
        options = {"ignore_scheduled_changes": ignore_scheduled_changes, "use_existing_balances": False}
        answer = self.provider.sdk.Estimate.renewal_estimate(holding.subscription.provider_id, options)
        invoice = answer.estimate.raw_data["invoice_estimate"]
        discounts = invoice.get("discounts") or []
        bundle = sum(discount["amount"] for discount in discounts if discount["entity_type"] == "item_level_coupon")
        return invoice["total"], bundle, sum(discount["amount"] for discount in discounts) - bundle

    def expected_bills(self) -> dict[str, tuple[datetime, int]]:
        """Return the time and the total of each next bill as shown, by subscription."""
        return {
            holding.subscription.provider_id: (holding.next_billing_at, self._shown_bill(holding))
            for holding in live_holdings(self.account)
            if holding.next_billing_at is not None
        }

    def assert_billed_as_shown(self, invoices: Sequence[Any], expected: Mapping[str, tuple[datetime, int]]) -> None:
        """Assert that invoices have the totals of the bills that were `expected` within a day of them."""
        for invoice in invoices:
            shown = [
                cents
                for identifier in billed_ids(invoice.raw_data)
                for at, cents in [expected.get(identifier, (None, 0))]
                if at is not None and timedelta() <= at - datetime.fromtimestamp(invoice.date, UTC) < timedelta(days=1)
            ]
            if shown:
                assert invoice.total == sum(shown), f"{invoice.id} bills otherwise than shown"
                self._assert_bundle_counts(invoice)

    def _shown_bill(self, holding: Holding) -> int:
        """Return the next bill as shown, or its estimate if a change is scheduled."""
        if holding.changing_to is None:
            return holding.price.total
        return self.estimate_bill(holding, ignore_scheduled_changes=False)[0]

    def _assert_bundle_counts(self, invoice: Any) -> None:
        """Assert that the bundle rate of a bill counts the subscriptions that are live just after it."""
        raws = self.provider.raw_subscriptions(self.account.customer.provider_id).values()
        live = [raw for raw in raws if _is_live_after(raw, int(invoice.date))]
        percent = RATES.get(len(live), 0)
        owed = sum((line.amount * percent + 50) // 100 for line in invoice.line_items)
        taken = sum(
            discount.amount for discount in invoice.discounts or [] if str(discount.entity_type) == "item_level_coupon"
        )
        assert taken == owed, f"{len(live)} live, {taken} taken off"


class ExpectedCharge:
    """Asserts that its block charges this amount; at most this if partial, and nothing if refused."""

    def __init__(self, provider: Provider, account: Account, cents: int) -> None:
        self.provider, self.account, self.cents = provider, account, cents

    def __enter__(self) -> None:
        self.before = {invoice.id for invoice in self.provider.invoices(self.account)}

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        fresh = [invoice for invoice in self.provider.invoices(self.account) if invoice.id not in self.before]
        charged = sum(invoice.amount_paid + invoice.amount_due for invoice in fresh)
        if kind is BillingPartial:
            assert charged <= self.cents
            return
        assert charged == (0 if kind else self.cents), f"{charged} charged, {self.cents} shown"


def preview_totals(figures: Mapping[str, Any]) -> Totals:
    """Return the totals of a preview by period."""
    return {
        totals["period_unit"]: (totals["total"], totals["bundle_savings"], totals["coupon_discount"])
        for totals in (figures["own"], *figures["others"])
        if totals is not None
    }


def document_totals(document: Mapping[str, Any]) -> Totals:
    """Return the totals of a document by period."""
    return {
        totals["periodUnit"]: (totals["total"], totals["bundleSavings"], totals["couponDiscount"])
        for totals in (document, document["otherTotal"])
        if totals is not None
    }


def sum_totals(bills: Sequence[Sums]) -> Sums:
    """Return the sum of each of the three amounts."""
    return (sum(bill[0] for bill in bills), sum(bill[1] for bill in bills), sum(bill[2] for bill in bills))


def _is_live_after(raw: Mapping[str, Any], instant: int) -> bool:
    just_after = instant + int(JUST_AFTER.total_seconds())
    return int(raw["created_at"]) <= instant and just_after < int(raw.get("cancelled_at", NEVER_SECONDS))
