"""A live provider: its catalog, its subscribers, and reads of its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from chargebee import Chargebee

from accounts.models import Account
from billing import clock
from billing.mirror import account_import, provider_clock
from conftest import Sandbox

FAITH, GOSPEL, KIDS = "faith-family-plan", "gospel-tv-plan", "Minno-Plan"
LEGACY = "Minno"
MONTHLY = {FAITH: 699, GOSPEL: 799, KIDS: 899}
YEARLY = {FAITH: 6999, GOSPEL: 7999, KIDS: 8999}
VISA_CARD = "4111111111111111"
# Adds as valid, and every charge of it fails (semantics of the provider's test gateway).
DECLINING_CARD = "4005519200000004"

RawSubscriptions = dict[str, Mapping[str, Any]]


@dataclass
class Provider:
    """The provider of one test: the sandbox, reached through the official SDK."""

    sandbox: Sandbox
    sdk: Chargebee

    def open_shop(self) -> None:
        """Create the catalog, and have the portal copy it."""
        self.create_catalog()
        self.follow_clock()

    def create_catalog(self) -> None:
        """Create the three plans, monthly and yearly, and the bundle coupons."""
        self.sdk.ItemFamily.create({"id": "streaming", "name": "Streaming"})
        for plan, cents in MONTHLY.items():
            self.sdk.Item.create({"id": plan, "name": plan, "type": "plan", "item_family_id": "streaming"})
            self._price(plan, "Monthly", "month", cents)
            self._price(plan, "Yearly", "year", YEARLY[plan])
        for size, percentage in ((2, 10), (3, 15)):
            self._bundle_coupon(f"BUNDLE-{size}", percentage)

    def sell_legacy(self) -> None:
        """Create the legacy plan, monthly."""
        self.sdk.Item.create({"id": LEGACY, "name": LEGACY, "type": "plan", "item_family_id": "streaming"})
        self._price(LEGACY, "Monthly", "month", 799)

    def archive_legacy(self) -> None:
        """Archive the legacy plan's price; existing subscriptions keep it."""
        self.sdk.ItemPrice.update(f"{LEGACY}-USD-Monthly", {"status": "archived"})
        self.follow_clock()

    def subscriber(self, name: str, *plans: str, card: str | None = VISA_CARD, **subscription: Any) -> Account:
        """Create a customer with a card and monthly subscriptions, and import it; return its account."""
        self.sdk.Customer.create(
            {"id": name, "email": f"{name}@example.com", "first_name": name.title(), "last_name": "Tester"}
        )
        if card is not None:
            self.add_card(name, card)
        for plan in plans:
            self.subscribe(name, plan, **subscription)
        account = account_import.import_account(f"{name}@example.com")
        assert account is not None
        return account

    def add_card(self, name: str, number: str) -> None:
        """Add a card as the customer's primary payment source."""
        card = {"number": number, "expiry_month": 12, "expiry_year": 2039, "cvv": "123"}
        self.sdk.PaymentSource.create_card({"customer_id": name, "card": card, "replace_primary_payment_source": True})

    def subscribe(self, name: str, plan: str, *, unit: str = "Monthly", **more: Any) -> str:
        """Start a subscription; return its id."""
        item = {"item_price_id": f"{plan}-USD-{unit}", "quantity": 1}
        answer = self.sdk.Subscription.create_with_items(name, {"subscription_items": [item], **more})
        return str(answer.subscription.id)

    def subscription(self, account: Account, plan: str = FAITH) -> Any:
        """Return the account's newest subscription to a plan as the provider has it."""
        page = self.sdk.Subscription.list({"customer_id": {"is": account.customer.provider_id}, "limit": 100})
        return next(
            entry.subscription
            for entry in page.list
            if entry.subscription.subscription_items[0].item_price_id.startswith(plan)
        )

    def raw_subscriptions(self, name: str) -> RawSubscriptions:
        """Return a customer's subscriptions, of any state, as the provider has them."""
        page = self.sdk.Subscription.list({"customer_id": {"is": name}, "limit": 100})
        return {entry.subscription.id: entry.subscription.raw_data for entry in page.list}

    def live_fingerprints(self, name: str) -> RawSubscriptions:
        """Return what an undo must restore of each live subscription of a customer."""
        raws = self.raw_subscriptions(name).items()
        return {identifier: undo_fingerprint(raw) for identifier, raw in raws if raw["status"] != "cancelled"}

    def invoices(self, account: Account) -> list[Any]:
        """Return the account's invoices at the provider, oldest first."""
        filters = {"customer_id": {"is": account.customer.provider_id}, "limit": 100}
        invoices = [entry.invoice for entry in self.sdk.Invoice.list(filters).list]
        return sorted(invoices, key=lambda invoice: (int(invoice.date), str(invoice.id)))

    def events(self, event_type: str) -> list[Any]:
        """Return the events of a type, newest first."""
        filters = {"event_type": {"is": event_type}, "limit": 100}
        return [entry.event for entry in self.sdk.Event.list(filters).list]

    def console(self, account: Account, action: str, plan: str) -> None:
        """Do an operator's action on a subscription in the provider's console; ignore a refusal."""
        api = self.sdk.Subscription
        acts: dict[str, Callable[[str], object]] = {
            "cancel now": lambda subscription_id: api.cancel_for_items(
                subscription_id, {"cancel_option": "immediately"}
            ),
            "cancel later": lambda subscription_id: api.cancel_for_items(
                subscription_id, {"cancel_option": "end_of_term"}
            ),
            "keep": lambda subscription_id: api.remove_scheduled_cancellation(subscription_id, {}),
            "pause now": lambda subscription_id: api.pause(subscription_id, {"pause_option": "immediately"}),
            "pause later": lambda subscription_id: api.pause(subscription_id, {"pause_option": "end_of_term"}),
            "take pause back": api.remove_scheduled_pause,
            "resume": lambda subscription_id: api.resume(subscription_id, {"resume_option": "immediately"}),
            "drop change": api.remove_scheduled_changes,
        }
        with suppress(Exception):  # any error of the SDK: the provider refused, and nothing happened
            acts[action](self.subscription(account, plan).id)

    def travel_to(self, instant: datetime) -> None:
        """Move the provider's clock, and billing's with it."""
        self.sandbox.travel_to(instant)
        self.follow_clock()

    def travel(self, **duration: float) -> None:
        """Move the provider's clock forward by days, hours or minutes, rounded up to whole seconds."""
        self.travel_to(clock.billing_now() + timedelta(**duration) + timedelta(seconds=1))

    def follow_clock(self) -> None:
        """Refresh the offset of billing's clock, as the tick does."""
        account_import.sync_catalog()
        provider_clock.refresh_offset()

    def _price(self, plan: str, word: str, unit: str, cents: int) -> None:
        self.sdk.ItemPrice.create(
            {
                "id": f"{plan}-USD-{word}",
                "name": f"{plan}-USD-{word}",
                "item_id": plan,
                "pricing_model": "flat_fee",
                "price": cents,
                "currency_code": "USD",
                "period": 1,
                "period_unit": unit,
            }
        )

    def _bundle_coupon(self, coupon_id: str, percentage: int) -> None:
        self.sdk.Coupon.create_for_items(
            {
                "id": coupon_id,
                "name": coupon_id,
                "discount_type": "percentage",
                "discount_percentage": percentage,
                "duration_type": "forever",
                "apply_on": "each_specified_item",
                "item_constraints": [{"item_type": "plan", "constraint": "all"}],
            }
        )


def utc_time(seconds: int) -> datetime:
    """Return a provider's time in UTC."""
    return datetime.fromtimestamp(seconds, tz=UTC)


def billed_ids(invoice: Mapping[str, Any]) -> set[str]:
    """Return the ids of the subscriptions that an invoice bills, a consolidated one in its lines only."""
    return {str(line["subscription_id"]) for line in invoice["line_items"]}


def undo_fingerprint(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an undo of a change to a subscription must restore."""
    names = ("status", "current_term_end", "next_billing_at", "cancelled_at", "pause_date", "trial_end")
    return {
        **{name: raw.get(name) for name in names},
        "price": raw["subscription_items"][0]["item_price_id"],
        "coupons": sorted((coupon["coupon_id"], coupon.get("apply_till")) for coupon in raw.get("coupons") or []),
        "changing": raw.get("has_scheduled_changes"),
    }
