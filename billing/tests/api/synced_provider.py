"""The live provider, whose helpers sync the mirror after each change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from chargebee import Chargebee

from accounts.models import Account, SiteSettings
from billing import clock
from billing.mirror import account_import
from billing.tests.support.live_provider import DECLINING_CARD, VISA_CARD, Provider

__all__ = ["DECLINING_CARD", "UNREACHABLE_ENDPOINT", "SyncedProvider", "iso_time"]

# Nothing listens here, so every request to the provider fails.
UNREACHABLE_ENDPOINT = "http://127.0.0.1:9/api/v2"


@dataclass(frozen=True)
class SyncedProvider:
    """Arranges the provider's state, syncs the mirror, and reads the provider's state afterwards."""

    provider: Provider

    @property
    def client(self) -> Chargebee:
        """Return the official SDK."""
        return self.provider.sdk

    def customer(self, handle: str, *, card: str | None = VISA_CARD) -> Account:
        """Create a customer with a card; return their account."""
        return self.provider.subscriber(handle, card=card)

    def subscribe(self, customer: str, plan: str, *, unit: str = "Monthly", **more: Any) -> str:
        """Start a subscription to a plan; return its id."""
        handle = self.provider.subscribe(customer, plan, unit=unit, **more)
        self.import_customer(customer)
        return handle

    def import_customer(self, customer: str) -> Account:
        """Sync a customer's mirror; return the account."""
        account = Account.objects.filter(customer__provider_id=customer).first()
        if account is None:
            # Importing reads everything, as syncing does.
            account = account_import.import_account(f"{customer}@example.com")
            assert account is not None
        else:
            account_import.resync_account(account)
        return account

    def pass_term_end(self, customer: str, subscription: str, *, days: int = 3) -> None:
        """Travel some days past a term's end, and sync the mirror."""
        end = self.term_end(subscription)
        self.provider.travel_to(end)
        self.provider.travel(days=days)
        self.import_customer(customer)

    def subscription(self, handle: str) -> dict[str, Any]:
        """Return the provider's JSON of a subscription."""
        raw: dict[str, Any] = self.client.Subscription.retrieve(handle).subscription.raw_data
        return raw

    def term_end(self, handle: str) -> datetime:
        """Return when its current term ends."""
        return datetime.fromtimestamp(self.subscription(handle)["current_term_end"], tz=UTC)

    def timestamp_in_days(self, days: float) -> int:
        """Return the time `days` from now in epoch seconds."""
        return int((clock.billing_now() + timedelta(days=days)).timestamp())

    def invoices(self, customer: str) -> list[dict[str, Any]]:
        """Return a customer's invoices, newest first."""
        page = self.client.Invoice.list({"customer_id": {"is": customer}, "limit": 100})
        return [entry.invoice.raw_data for entry in page.list]

    def coupon(self, handle: str, *, percent: float | None = None, cents: int | None = None, **more: Any) -> None:
        """Create an invoice-level coupon for the next invoice, and mirror it."""
        discount: dict[str, Any] = (
            {"discount_type": "percentage", "discount_percentage": percent}
            if percent is not None
            else {"discount_type": "fixed_amount", "discount_amount": cents, "currency_code": "USD"}
        )
        constraints = [{"item_type": "plan", "constraint": "all"}]
        self.client.Coupon.create_for_items(
            {
                "id": handle,
                "name": handle,
                "duration_type": "one_time",
                "apply_on": "invoice_amount",
                "item_constraints": constraints,
                **discount,
                **more,
            }
        )
        account_import.refresh_resource("coupon", handle)

    def offer_free_month(self) -> None:
        """Create the coupon of the free month, and switch the offer on."""
        self.coupon("FREE-MONTH", percent=100)
        SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})

    def coupons_on(self, handle: str) -> list[str]:
        """Return the coupons on a subscription at the provider."""
        return [row["coupon_id"] for row in self.subscription(handle).get("coupons", [])]

    def count_events(self, event_type: str) -> int:
        """Return how many events of a type the provider recorded."""
        return len(self.provider.events(event_type))


def iso_time(instant: datetime) -> str:
    """Return a time as the API writes it."""
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
