"""The sandbox's data.

Every API resource is a row whose ``body`` holds its public attributes exactly as they are answered (absent instead of
null); columns hold only what the engine or a list looks up. ``handle`` is the public id; ``seq`` orders rows of the
same instant. Rows refer to each other by handle, as the provider's bodies do.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.db import models

from chargebee_sandbox import clock
from chargebee_sandbox.body import Body
from chargebee_sandbox.row_lookup import find_row
from chargebee_sandbox.site import Site  # noqa: F401  (Django looks for models here)
from chargebee_sandbox.site_settings import load_settings

R = TypeVar("R", bound="Resource")

# Every model declares its manager: the type checker runs with other settings, in which this app is not installed.


class Resource(models.Model):
    """A row of an API resource; ``kind`` is its ``object`` and its key in answers."""

    kind: ClassVar[str]

    seq = models.BigAutoField(primary_key=True)
    handle = models.CharField(max_length=100, unique=True)
    body = models.JSONField(default=dict)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    resource_version = models.BigIntegerField(default=0)
    deleted = models.BooleanField(default=False)

    class Meta:
        abstract = True
        # Lists begin with the newest or the oldest, however many rows there are.
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["created_at", "seq"], name="%(class)s_created"),
            models.Index(fields=["updated_at", "seq"], name="%(class)s_updated"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.handle}"

    def __getitem__(self, attribute: str) -> Any:
        return self.body[attribute]

    @classmethod
    def build_row(cls: type[R], handle: str, body: Body, **columns: Any) -> R:
        """Return a new, unsaved row; its body gets ``id`` and ``object`` and loses its nulls."""
        row = cls(handle=handle, created_at=clock.now_seconds(), updated_at=0, **columns)
        row.body = {"id": handle, "object": cls.kind}
        row.set_attributes(**body, business_entity_id=row.find_business_entity())
        return row

    def find_business_entity(self) -> str | None:
        """Return the business entity that a new row belongs to; None on a site with one."""
        return None

    def set_attributes(self, **attributes: Any) -> None:
        """Set public attributes (None removes one) and increase the version."""
        for name, value in attributes.items():
            if value is None:
                self.body.pop(name, None)
            else:
                self.body[name] = value
        now_ms = clock.now_ms()
        self.resource_version = max(now_ms, self.resource_version + 1)
        self.updated_at = now_ms // 1000

    def get(self, attribute: str, default: Any = None) -> Any:
        """Return a public attribute, or ``default`` if it is absent."""
        return self.body.get(attribute, default)

    def render_resource(self) -> Body:
        """Return the resource as answers and events have it."""
        return {**self.body, "updated_at": self.updated_at, "resource_version": self.resource_version}


class Customer(Resource):
    """A customer of the site."""

    objects: ClassVar[models.Manager[Customer]] = models.Manager()
    kind = "customer"

    def find_business_entity(self) -> str | None:
        """Return the entity that new customers belong to, as the site is set."""
        return load_settings().business_entity or None


class CustomerResource(Resource):
    """A row of a customer, and of the customer's business entity."""

    customer_id = models.CharField(max_length=100, db_index=True)

    class Meta(Resource.Meta):
        abstract = True

    def find_business_entity(self) -> str | None:
        """Return the customer's entity."""
        customer = find_row(Customer, "handle", self.customer_id)
        return None if customer is None else customer.get("business_entity_id")


class ItemFamily(Resource):
    """A family of items."""

    objects: ClassVar[models.Manager[ItemFamily]] = models.Manager()
    kind = "item_family"


class Item(Resource):
    """A plan, an addon or a charge."""

    objects: ClassVar[models.Manager[Item]] = models.Manager()
    kind = "item"


class ItemPrice(Resource):
    """What an item costs in one currency for one billing period."""

    objects: ClassVar[models.Manager[ItemPrice]] = models.Manager()
    kind = "item_price"


class Coupon(Resource):
    """A discount; ``due_at`` is when it expires."""

    objects: ClassVar[models.Manager[Coupon]] = models.Manager()
    kind = "coupon"
    due_at = models.BigIntegerField(null=True, db_index=True)


class CouponSet(Resource):
    """A set of single-use codes of one coupon."""

    objects: ClassVar[models.Manager[CouponSet]] = models.Manager()
    kind = "coupon_set"

    def render_resource(self) -> Body:
        """Return the body alone: a coupon set has no version and no times."""
        return dict(self.body)


class CouponCode(Resource):
    """A code that can be redeemed once, by one subscription."""

    objects: ClassVar[models.Manager[CouponCode]] = models.Manager()
    kind = "coupon_code"

    def render_resource(self) -> Body:
        """Return the body without ``id``: a code has ``code``, no version, and no times."""
        return {name: value for name, value in self.body.items() if name != "id"}


class PaymentSource(CustomerResource):
    """A masked payment source. ``refusal`` is the gateway's decline code for a charge; empty approves."""

    objects: ClassVar[models.Manager[PaymentSource]] = models.Manager()
    kind = "payment_source"
    refusal = models.CharField(max_length=10, blank=True)


class Token(Resource):
    """A token for a card of the card fields; ``due_at`` is when it expires.

    ``instrument`` is the masked card. ``refusal`` and ``verification`` are the gateway's decline codes for a charge and
    for adding the card; empty approves.
    """

    objects: ClassVar[models.Manager[Token]] = models.Manager()
    kind = "token"
    instrument = models.JSONField()
    refusal = models.CharField(max_length=10, blank=True)
    verification = models.CharField(max_length=10, blank=True)
    due_at = models.BigIntegerField(null=True, db_index=True)


class PaymentIntent(CustomerResource):
    """A payment that its payer authorizes in the browser; ``due_at`` is when it expires.

    ``attempt_id`` is the newest attempt, by which the payer's page finds the intent; ``instrument`` the (masked)
    instrument that was authorized, and ``refusal`` the gateway's decline code for charging it.
    """

    objects: ClassVar[models.Manager[PaymentIntent]] = models.Manager()
    kind = "payment_intent"
    customer_id = models.CharField(max_length=100, blank=True, db_index=True)
    attempt_id = models.CharField(max_length=100, blank=True, db_index=True)
    instrument = models.JSONField(null=True)
    refusal = models.CharField(max_length=10, blank=True)
    due_at = models.BigIntegerField(null=True, db_index=True)


class Subscription(CustomerResource):
    """A subscription.

    ``due_at`` is the next instant at which the engine has to act; ``anchor_at`` the instant from which terms are
    counted, so that a subscription begun on the 31st returns to the 31st after a short month. ``scheduled_change``
    applies at the end of the term (engine.subscriptions.scheduled_changes). ``uncredited_till`` is the end of a term
    that was changed without proration; nothing of that term is credited. ``whole_term_end`` is when a term would end
    that calendar billing has cut short; it is charged in proportion. ``requested_contract`` begins with the first
    paid term (engine.subscriptions.contracts).
    """

    objects: ClassVar[models.Manager[Subscription]] = models.Manager()
    kind = "subscription"
    # Whether its mrr has changed since the last event about it; not stored.
    has_new_mrr = False
    due_at = models.BigIntegerField(null=True, db_index=True)
    anchor_at = models.BigIntegerField()
    scheduled_change = models.JSONField(null=True)
    requested_contract = models.JSONField(null=True)
    uncredited_till = models.BigIntegerField(null=True)
    whole_term_end = models.BigIntegerField(null=True)


class Ramp(Resource):
    """A change of a subscription that takes effect at ``due_at``.

    ``change`` is what it brings, as the engine applies it (engine.subscriptions.ramps).
    """

    objects: ClassVar[models.Manager[Ramp]] = models.Manager()
    kind = "ramp"
    customer_id = models.CharField(max_length=100, db_index=True)
    subscription_id = models.CharField(max_length=100, db_index=True)
    due_at = models.BigIntegerField(null=True, db_index=True)
    change = models.JSONField(default=dict)


class Invoice(CustomerResource):
    """An invoice; ``due_at`` is the next attempt to collect it, which is the last if it ``collects_once``."""

    objects: ClassVar[models.Manager[Invoice]] = models.Manager()
    kind = "invoice"
    subscription_id = models.CharField(max_length=100, blank=True, db_index=True)
    due_at = models.BigIntegerField(null=True, db_index=True)
    collects_once = models.BooleanField(default=False)


class UnbilledCharge(CustomerResource):
    """A charge that waits for the subscription's next invoice; deleted once it is on one."""

    objects: ClassVar[models.Manager[UnbilledCharge]] = models.Manager()
    kind = "unbilled_charge"
    subscription_id = models.CharField(max_length=100, db_index=True)

    def render_resource(self) -> Body:
        """Return the body with its last change: an unbilled charge has no version."""
        return {**self.body, "updated_at": self.updated_at}


class Transaction(CustomerResource):
    """An attempted payment, or a refund.

    ``dated_at`` is its date: a refund that is recorded was paid before its row was made.
    """

    objects: ClassVar[models.Manager[Transaction]] = models.Manager()
    kind = "transaction"
    dated_at = models.BigIntegerField(db_index=True)


class CreditNote(CustomerResource):
    """Money credited to a customer for unused time."""

    objects: ClassVar[models.Manager[CreditNote]] = models.Manager()
    kind = "credit_note"


class PromotionalCredit(CustomerResource):
    """An entry in the ledger of a customer's promotional credits."""

    objects: ClassVar[models.Manager[PromotionalCredit]] = models.Manager()
    kind = "promotional_credit"

    def render_resource(self) -> Body:
        """Return the body alone: an entry never changes, so it has no version."""
        return dict(self.body)


class Event(models.Model):
    """An event and the state of its webhook.

    ``content`` is a snapshot of the resources. The webhook is due at ``next_attempt_at`` (seconds of the site's clock).
    """

    objects: ClassVar[models.Manager[Event]] = models.Manager()

    seq = models.BigAutoField(primary_key=True)
    handle = models.CharField(max_length=100, unique=True)
    event_type = models.CharField(max_length=100, db_index=True)
    occurred_at = models.BigIntegerField(db_index=True)
    source = models.CharField(max_length=20)
    user = models.CharField(max_length=100, blank=True)
    content = models.JSONField(default=dict)
    webhook_status = models.CharField(max_length=20, default="not_configured", db_index=True)
    webhook_attempts = models.PositiveIntegerField(default=0)
    webhook_failure_reason = models.TextField(blank=True)
    next_attempt_at = models.BigIntegerField(null=True, db_index=True)

    class Meta:
        ordering = ["seq"]

    def __str__(self) -> str:
        return f"{self.event_type} {self.handle}"


class IdempotencyRecord(models.Model):
    """The answer to a POST with an idempotency key."""

    objects: ClassVar[models.Manager[IdempotencyRecord]] = models.Manager()

    key = models.CharField(max_length=100, primary_key=True)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    answer = models.TextField()
    created_at = models.BigIntegerField(db_index=True)

    def __str__(self) -> str:
        return self.key
