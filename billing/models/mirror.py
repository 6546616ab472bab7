"""The mirror: what the provider holds about our subscribers and the catalogue."""

from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import Account
from billing.catalog import plan_id_of
from billing.models.mirrored import Mirrored

ALIVE = ("future", "in_trial", "active", "non_renewing", "paused")


class Customer(Mirrored):
    """A provider customer. `account` is null for further customers of an address (contract, rule 13)."""

    account = models.OneToOneField(
        Account, null=True, blank=True, on_delete=models.SET_NULL, related_name="customer"
    )
    email = models.EmailField(db_index=True)


class Subscription(Mirrored):
    """A provider subscription: exactly one service's plan. `status` is the provider's word, lower case."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="subscriptions")
    service = models.CharField(max_length=40)
    status = models.CharField(max_length=20, db_index=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["customer", "service", "-created_at"], name="subscription_newest")]

    @property
    def is_live(self) -> bool:
        """Whether it is not cancelled (contract, section 1)."""
        return not self.deleted and self.status in ALIVE

    @property
    def item_price_id(self) -> str:
        """The provider's id of the price it bills at."""
        return self.text("item_price_id")

    @property
    def plan_id(self) -> str:
        """The plan it carries, by the provider's item id."""
        return plan_id_of(self.item_price_id)

    @property
    def amount(self) -> int:
        """What one period costs in cents, before discounts and tax."""
        return self.cents("amount")

    @property
    def period_unit(self) -> str:
        """`month` or `year`."""
        return self.text("billing_period_unit")

    @property
    def coupons(self) -> list[dict[str, Any]]:
        """The coupons on it, in the provider's words."""
        return list(self.payload.get("coupons") or [])

    @property
    def current_term_end(self) -> datetime | None:
        """When the running term ends."""
        return self.instant("current_term_end")

    @property
    def next_billing_at(self) -> datetime | None:
        """When it bills next; the provider leaves it out when it will not."""
        return self.instant("next_billing_at")

    @property
    def trial_end(self) -> datetime | None:
        """When its trial ends or ended."""
        return self.instant("trial_end")

    @property
    def pause_date(self) -> datetime | None:
        """When a pause is scheduled to start, or started."""
        return self.instant("pause_date")

    @property
    def cancelled_at(self) -> datetime | None:
        """When it ends or ended."""
        return self.instant("cancelled_at")

    @property
    def has_scheduled_pause(self) -> bool:
        """Whether a pause waits for its date."""
        return self.status in ("active", "non_renewing") and self.payload.get("pause_date") is not None

    @property
    def has_scheduled_changes(self) -> bool:
        """Whether a change of items waits for the term's end."""
        return bool(self.payload.get("has_scheduled_changes"))

    @property
    def has_scheduled_cancellation(self) -> bool:
        """Whether it ends by itself: non-renewing, or a trial that was cancelled (contract, section 3)."""
        return self.status == "non_renewing" or (self.status == "in_trial" and self.cancelled_at is not None)


class PaymentSource(Mirrored):
    """A card or PayPal account of a customer: what the provider masks is all we hold."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="payment_sources")


class Invoice(Mirrored):
    """A provider invoice; `provider_id` is its number. `issued_at` orders the billing history."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="invoices")
    issued_at = models.DateTimeField()
    status = models.CharField(max_length=20)

    class Meta:
        indexes = [models.Index(fields=["customer", "-issued_at"], name="invoice_newest")]
        permissions = [("export_invoice", "Can export invoices")]


class Transaction(Mirrored):
    """A payment, or an attempt at one: it tells what an invoice was paid with."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="transactions")

    class Meta:
        permissions = [("export_transaction", "Can export transactions")]


class ItemPrice(Mirrored):
    """A plan's price at one billing period: `cents("price")`, `text("period_unit")`, `text("item_id")`."""

    @property
    def is_on_sale(self) -> bool:
        """Whether the provider still sells it."""
        return not self.deleted and self.text("status") == "active"


class Coupon(Mirrored):
    """A coupon: bundle rates are item-level (`apply_on` each_specified_item), all others invoice-level."""
