"""The mirror: copies of the provider's records of customers and the catalog."""

from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import Account
from billing.catalog import plan_id_from_price
from billing.models.mirror_row import MirroredResource

LIVE_STATUSES = ("future", "in_trial", "active", "non_renewing", "paused")


class Customer(MirroredResource):
    """A customer. `account` is null for additional customers of the same address (docs/rules.md, rule 13)."""

    account = models.OneToOneField(Account, null=True, blank=True, on_delete=models.SET_NULL, related_name="customer")
    email = models.EmailField(db_index=True)


class Subscription(MirroredResource):
    """A subscription of exactly one plan. `status` is the provider's, in lower case."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="subscriptions")
    service = models.CharField(max_length=40)
    status = models.CharField(max_length=20, db_index=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["customer", "service", "-created_at"], name="subscription_newest")]

    @property
    def is_live(self) -> bool:
        """Whether it exists and is not canceled."""
        return not self.deleted and self.status in LIVE_STATUSES

    @property
    def item_price_id(self) -> str:
        """The provider's id of its price."""
        return self.text("item_price_id")

    @property
    def plan_id(self) -> str:
        """The id of its plan, the provider's item id."""
        return plan_id_from_price(self.item_price_id)

    @property
    def amount(self) -> int:
        """The price of one period in cents, before discounts and tax."""
        return self.cents("amount")

    @property
    def period_unit(self) -> str:
        """`month` or `year`."""
        return self.text("billing_period_unit")

    @property
    def coupons(self) -> list[dict[str, Any]]:
        """The coupons on it, as the provider's rows."""
        return list(self.payload.get("coupons") or [])

    @property
    def current_term_end(self) -> datetime | None:
        """When the current term ends."""
        return self.instant("current_term_end")

    @property
    def next_billing_at(self) -> datetime | None:
        """When it bills next; None when it will not."""
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
        """Whether a pause is scheduled."""
        return self.status in ("active", "non_renewing") and self.payload.get("pause_date") is not None

    @property
    def has_scheduled_changes(self) -> bool:
        """Whether a change of plan is scheduled for the end of the term."""
        return bool(self.payload.get("has_scheduled_changes"))

    @property
    def has_scheduled_cancellation(self) -> bool:
        """Whether it will end: non-renewing, or a canceled trial."""
        return self.status == "non_renewing" or (self.status == "in_trial" and self.cancelled_at is not None)


class PaymentSource(MirroredResource):
    """A card or PayPal account of a customer, masked by the provider."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="payment_sources")


class Invoice(MirroredResource):
    """An invoice. `provider_id` is its number; `issued_at` orders the billing history."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="invoices")
    issued_at = models.DateTimeField()
    status = models.CharField(max_length=20)

    class Meta:
        indexes = [models.Index(fields=["customer", "-issued_at"], name="invoice_newest")]
        permissions = [("export_invoice", "Can export invoices")]


class Transaction(MirroredResource):
    """A payment or payment attempt, which names the payment method of an invoice."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="transactions")

    class Meta:
        permissions = [("export_transaction", "Can export transactions")]


class ItemPrice(MirroredResource):
    """A plan's price at one billing period: `cents("price")`, `text("period_unit")`, `text("item_id")`."""

    @property
    def is_on_sale(self) -> bool:
        """Whether the provider sells it."""
        return not self.deleted and self.text("status") == "active"


class Coupon(MirroredResource):
    """A coupon. Bundle rates are item-level (`apply_on` is `each_specified_item`), all others invoice-level."""
