"""The live provider as the endpoints' tests need it: each thing arranged there is known to the portal at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from chargebee import Chargebee

from accounts.models import Account, SiteSettings
from billing import clock
from billing.services import sync
from billing.tests.live import DECLINES, VISA, Provider

__all__ = ["DECLINES", "NOBODY", "Shop", "iso"]

# Where nobody listens: whatever asks the provider here fails.
NOBODY = "http://127.0.0.1:9/api/v2"


@dataclass(frozen=True)
class Shop:
    """Arranges at the provider, has the portal hear of it, and asks the provider how things ended."""

    provider: Provider

    @property
    def client(self) -> Chargebee:
        """The official SDK."""
        return self.provider.sdk

    def customer(self, handle: str, *, card: str | None = VISA) -> Account:
        """A customer with a card, and the portal's account of theirs."""
        return self.provider.subscriber(handle, card=card)

    def subscribe(self, customer: str, plan: str, *, unit: str = "Monthly", **more: Any) -> str:
        """A subscription to a plan; its id."""
        handle = self.provider.subscribe(customer, plan, unit=unit, **more)
        self.imported(customer)
        return handle

    def imported(self, customer: str) -> Account:
        """The account, its mirror brought up to date."""
        account = sync.import_account(f"{customer}@example.com")
        assert account is not None
        return account

    def pass_term_end(self, customer: str, subscription: str, *, days: int = 3) -> None:
        """Let some days pass after a term's end, and the portal hear what happened."""
        end = self.term_end(subscription)
        self.provider.travel_to(end)
        self.provider.travel(days=days)
        self.imported(customer)

    def subscription(self, handle: str) -> dict[str, Any]:
        """What the provider holds of a subscription."""
        held: dict[str, Any] = self.client.Subscription.retrieve(handle).subscription.raw_data
        return held

    def term_end(self, handle: str) -> datetime:
        """When its current term ends."""
        return datetime.fromtimestamp(self.subscription(handle)["current_term_end"], tz=UTC)

    def in_days(self, days: float) -> int:
        """An instant so many days from now, as the provider takes it."""
        return int((clock.now() + timedelta(days=days)).timestamp())

    def invoices(self, customer: str) -> list[dict[str, Any]]:
        """A customer's invoices, newest first."""
        page = self.client.Invoice.list({"customer_id": {"is": customer}, "limit": 100})
        return [entry.invoice.raw_data for entry in page.list]

    def coupon(
        self, handle: str, *, percent: float | None = None, cents: int | None = None, **more: Any
    ) -> None:
        """A coupon off the next invoice that the portal knows of."""
        off: dict[str, Any] = (
            {"discount_type": "percentage", "discount_percentage": percent}
            if percent is not None
            else {"discount_type": "fixed_amount", "discount_amount": cents, "currency_code": "USD"}
        )
        every = [{"item_type": "plan", "constraint": "all"}]
        self.client.Coupon.create_for_items(
            {
                "id": handle,
                "name": handle,
                "duration_type": "one_time",
                "apply_on": "invoice_amount",
                "item_constraints": every,
                **off,
                **more,
            }
        )
        self.provider.follow_clock()

    def free_month(self) -> None:
        """The free month, on offer."""
        self.coupon("FREE-MONTH", percent=100)
        SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})

    def coupons_on(self, handle: str) -> list[str]:
        """The coupons on a subscription at the provider."""
        return [one["coupon_id"] for one in self.subscription(handle).get("coupons", [])]

    def happened(self, event_type: str) -> int:
        """How often something happened, by the provider's own record."""
        return len(self.provider.events(event_type))


def iso(instant: datetime) -> str:
    """An instant as the portal answers with it."""
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
