"""The mirror: copies of the provider's records of customers, and of coupons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import OuterRef, Subquery, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce
from django.utils.functional import cached_property

from accounts.models import Account
from billing.models.catalog import ItemPrice, Plan
from billing.models.mirror_row import MirroredResource
from billing.terms import DEFAULT_CURRENCY, TAX_INCLUSIVE, BillingTerms

LIVE_STATUSES = ("future", "in_trial", "active", "non_renewing", "paused")
PAYING_STATUSES = ("active", "non_renewing")


class Customer(MirroredResource):
    """A customer. `account` is null until somebody signs in to it.

    `email` is its normalized address, empty if the portal cannot use it; the payload has the provider's spelling.
    Several customers can have one address (docs/rules.md, rule 13).
    """

    account = models.OneToOneField(Account, null=True, blank=True, on_delete=models.SET_NULL, related_name="customer")
    email = models.EmailField(blank=True, db_index=True)

    class Meta:
        indexes = [
            # For the addresses that several customers have.
            models.Index(fields=["email"], condition=models.Q(deleted=False), name="customer_address"),
            models.Index(fields=["id"], condition=models.Q(deleted=True), name="customer_deleted"),
        ]


class SharedAddress(models.Model):
    """A normalized address that several customers had when the hourly job looked last."""

    email = models.EmailField(primary_key=True)
    is_paid_for = models.BooleanField(help_text="Whether several of them had live subscriptions.")

    def __str__(self) -> str:
        return self.email


class ErasedCustomer(models.Model):
    """The provider's id of a customer whose account was erased: what happens at the provider does not bring it back."""

    provider_id = models.CharField(max_length=100, unique=True)
    erased_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.provider_id


class SubscriptionManager(models.Manager["Subscription"]):
    """Finds the subscriptions whose prices include tax."""

    def tax_inclusive_keys(self, subscriptions: Sequence[Subscription]) -> set[int]:
        """Return the keys of those subscriptions for which `is_tax_in_prices` is true. One query."""
        code, text = KeyTextTransform("currency_code", "payload"), models.TextField()
        currency = Coalesce(code, Value(DEFAULT_CURRENCY), output_field=text)
        invoices = Invoice.objects.filter(customer=OuterRef("customer"), deleted=False)
        in_currency = invoices.annotate(currency=currency).filter(currency=OuterRef("currency"))
        newest = in_currency.order_by("-issued_at", "-pk").values(price_type=KeyTextTransform("price_type", "payload"))
        found = self.filter(pk__in=[subscription.pk for subscription in subscriptions]).annotate(currency=currency)
        with_type = found.annotate(price_type=Subquery(newest[:1], output_field=text))
        return set(with_type.filter(price_type=TAX_INCLUSIVE).values_list("pk", flat=True))


class Subscription(MirroredResource):
    """A subscription of one plan, with add-ons at most. `status` is the provider's, in lower case."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="subscriptions")
    item_price_id = models.CharField(max_length=100, db_index=True, help_text="The provider's id of its plan's price.")
    status = models.CharField(max_length=20, db_index=True)
    created_at = models.DateTimeField()

    objects = SubscriptionManager()

    class Meta:
        indexes = [
            models.Index(fields=["customer", "-created_at"], name="subscription_newest"),
            models.Index(fields=["id"], condition=models.Q(deleted=True), name="subscription_deleted"),
            models.Index(fields=["-created_at"], name="subscription_by_date"),
            # For the items that nobody has arranged (`billing.queries.catalog`).
            models.Index(
                fields=["item_price_id"],
                condition=models.Q(deleted=False, status__in=LIVE_STATUSES),
                name="subscription_live_price",
            ),
            # For the notices of a night: what renews by the year, what is in a trial, and what the provider resumes, by
            # the time of its bill.
            models.Index(
                KeyTransform("billing_period_unit", "payload"),
                KeyTransform("next_billing_at", "payload"),
                condition=models.Q(status="active", deleted=False),
                name="subscription_renewal",
            ),
            models.Index(
                KeyTransform("trial_end", "payload"),
                condition=models.Q(status="in_trial", deleted=False),
                name="subscription_trial_end",
            ),
            models.Index(
                KeyTransform("resume_date", "payload"),
                condition=models.Q(status="paused", deleted=False),
                name="subscription_resume",
            ),
        ]

    @property
    def is_live(self) -> bool:
        """Whether it exists and is not canceled."""
        return not self.deleted and self.status in LIVE_STATUSES

    @cached_property
    def plan(self) -> Plan:
        """Its plan. Three queries, unless it was attached with those of other subscriptions."""
        price = ItemPrice.objects.filter(provider_id=self.item_price_id).first()
        return Plan.objects.by_price({self.item_price_id: price})[self.item_price_id]

    @cached_property
    def is_tax_in_prices(self) -> bool:
        """Whether its prices include tax, as on its customer's newest invoice in its currency.

        The provider says it of invoices only; without one, it is not known. One query, unless it was attached with
        those of other subscriptions.
        """
        return self.pk in Subscription.objects.tax_inclusive_keys([self])

    @property
    def amount(self) -> int:
        """The price of one period in cents, before discounts and tax."""
        return self.cents("amount")

    def amount_changed_to(self, price: ItemPrice) -> int:
        """Return what a period will cost after its scheduled change to a price, in cents before discounts and tax.

        The provider tells it with the changed items: a price can be overridden for the subscription, and a tiered one
        has no price of its own. Rows of an earlier release have only the price.
        """
        return price.cents("price") if "scheduled_amount" not in self.payload else self.cents("scheduled_amount")

    @property
    def terms(self) -> BillingTerms:
        """Its currency and period."""
        return BillingTerms(
            currency=self.text("currency_code") or DEFAULT_CURRENCY,
            period=self.cents("billing_period") or 1,
            period_unit=self.text("billing_period_unit"),
        )

    @property
    def monthly_revenue(self) -> int:
        """What it brings in per month, in cents at its list price; 0 in a trial, while paused, before and after."""
        is_paying = not self.deleted and self.status in PAYING_STATUSES
        return self.terms.monthly_cents(self.amount) if is_paying else 0

    @property
    def has_extras(self) -> bool:
        """Whether it has add-ons, its plan more than once, or a price in tiers. A change of price would drop these."""
        return bool(self.payload.get("has_extras"))

    @property
    def will_have_extras(self) -> bool:
        """Whether its scheduled change brings such extras, with which it could not be restored."""
        return bool(self.payload.get("scheduled_has_extras"))

    @property
    def has_ramps(self) -> bool:
        """Whether changes are scheduled that the provider does not show as one: ramps. Any update would stop these."""
        return self.has_scheduled_changes and not self.text("scheduled_item_price_id")

    @property
    def coupons(self) -> list[dict[str, Any]]:
        """The coupons on it, as the provider's rows."""
        return list(self.payload.get("coupons") or [])

    @property
    def discounts_by_hand(self) -> list[dict[str, Any]]:
        """The discounts that customer service has given it without a coupon, as the provider's rows."""
        coupons = {row["coupon_id"] for row in self.coupons}
        return [row for row in self.payload.get("discounts") or [] if row.get("coupon_id") not in coupons]

    @property
    def current_term_end(self) -> datetime | None:
        """When the current paid term ends; None before the first one, in a trial and before the start."""
        return self.instant("current_term_end")

    @property
    def period_end(self) -> datetime | None:
        """When its current term ends, or its trial; when it starts, if it has not yet."""
        match self.status:
            case "in_trial":
                return self.trial_end
            case "future":
                return self.instant("start_date") or self.next_billing_at
            case _:
                return self.current_term_end

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
    def bills_left(self) -> int | None:
        """How often it still renews until it ends, as customer service has agreed; None without such an end."""
        return self.cents("remaining_billing_cycles") or None

    @property
    def contract_end(self) -> datetime | None:
        """When the contract that it is bound to ends; None without a contract."""
        return self.instant("contract_end")

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
        """Whether it will end, with this term or after others."""
        if self.status in ("future", "in_trial", "active"):
            return self.cancelled_at is not None
        return self.status == "non_renewing"

    def ends_by(self, at: datetime) -> bool:
        """Return whether it is set to end by a time (UTC)."""
        return self.cancelled_at is not None and self.cancelled_at <= at

    @property
    def is_collected(self) -> bool:
        """Whether its bills are charged automatically, as it or else its customer says. One query."""
        return (self.text("auto_collection") or self.customer.text("auto_collection")) != "off"

    @property
    def bills_before_end(self) -> bool:
        """Whether it will end, but not before its next bill: with its contract, or when customer service said."""
        return self.has_scheduled_cancellation and self.next_billing_at is not None


class PaymentSource(MirroredResource):
    """A card or PayPal account of a customer, masked by the provider. `last4` are the last digits of a card."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="payment_sources")
    last4 = models.CharField(max_length=4, blank=True, default="", db_default="")

    class Meta:
        indexes = [
            models.Index(fields=["last4"], name="paymentsource_last4"),
            models.Index(fields=["id"], condition=models.Q(deleted=True), name="paymentsource_deleted"),
        ]


class Invoice(MirroredResource):
    """An invoice. `provider_id` is its number; `issued_at` orders the billing history."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="invoices")
    issued_at = models.DateTimeField()
    status = models.CharField(max_length=20)

    class Meta:
        indexes = [
            models.Index(fields=["customer", "-issued_at"], name="invoice_newest"),
            models.Index(fields=["id"], condition=models.Q(deleted=True), name="invoice_deleted"),
            models.Index(fields=["-issued_at"], name="invoice_by_date"),
            models.Index(fields=["status", "-issued_at"], name="invoice_status"),
            models.Index(fields=["-synced_at"], name="invoice_by_writing"),
            # The few whose automatic payment failed, for the report of what was recovered.
            models.Index(
                fields=["-issued_at"], name="invoice_in_dunning", condition=models.Q(payload__has_key="dunning_status")
            ),
        ]
        permissions = [("export_invoice", "Can export invoices")]

    @property
    def line_items(self) -> Sequence[Mapping[str, Any]]:
        """What it bills, line by line, as the provider says it."""
        return self.payload.get("line_items") or ()

    @property
    def billed_subscription_ids(self) -> list[str]:
        """The provider's ids of the subscriptions that it bills, in the order of its lines.

        A consolidated invoice bills several, and names none of its own.
        """
        named = [*(line.get("subscription_id") for line in self.line_items), self.text("subscription_id")]
        return list(dict.fromkeys(str(subscription_id) for subscription_id in named if subscription_id))


class Transaction(MirroredResource):
    """A payment, a payment attempt or a refund. `type` and `status` are the provider's, in lower case."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="transactions")
    type = models.CharField(max_length=30, blank=True, default="", db_default="")
    status = models.CharField(max_length=20, blank=True, default="", db_default="")
    made_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["customer", "-made_at"], name="transaction_newest"),
            models.Index(fields=["-made_at"], name="transaction_by_date"),
            models.Index(fields=["type", "status", "-made_at"], name="transaction_by_outcome"),
        ]
        permissions = [("export_transaction", "Can export transactions")]

    @cached_property
    def payment_source(self) -> PaymentSource | None:
        """What it charged, also if it was removed. One query, unless it was attached with those of others."""
        return PaymentSource.objects.filter(provider_id=self.text("payment_source_id")).first()


class CreditNote(MirroredResource):
    """A credit note. `provider_id` is its number, `invoice_number` that of the invoice that it credits."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="credit_notes")
    invoice_number = models.CharField(max_length=100, blank=True, db_index=True)
    issued_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["customer", "-issued_at"], name="creditnote_newest"),
            models.Index(fields=["id"], condition=models.Q(deleted=True), name="creditnote_deleted"),
            models.Index(fields=["invoice_number"], name="creditnote_invoice"),
            models.Index(fields=["-issued_at"], name="creditnote_by_date"),
        ]
        permissions = [("export_creditnote", "Can export credit notes")]

    @property
    def is_valid(self) -> bool:
        """Whether it counts: it is neither deleted nor voided."""
        return not self.deleted and self.text("status") != "voided"

    @property
    def is_adjustment(self) -> bool:
        """Whether it lowers what is due of its invoice; any other one credits what was paid."""
        return self.text("type") == "adjustment"

    @property
    def line_items(self) -> Sequence[Mapping[str, Any]]:
        """What it credits, line by line, as the provider says it."""
        return self.payload.get("line_items") or ()


class PromotionalCredit(MirroredResource):
    """An entry of a customer's promotional credits: what was added, or deducted by hand or by an invoice."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="promotional_credits")
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["customer", "-created_at"], name="promotionalcredit_newest"),
            models.Index(fields=["-created_at"], name="promotionalcredit_by_date"),
        ]

    @property
    def is_addition(self) -> bool:
        """Whether it was added to the balance."""
        return self.text("type") == "increment"


class Coupon(MirroredResource):
    """A coupon. Bundle rates are item-level (`apply_on` is `each_specified_item`), all others invoice-level."""
