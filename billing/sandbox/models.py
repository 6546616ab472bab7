"""What the sandbox remembers.

Every API resource is a row with its public attributes in ``body``, exactly as they are answered (absent instead of
null), and in columns only what the engine or a list needs to find it by. ``handle`` is the public id; ``seq`` puts
rows of one instant in order. Rows refer to each other by handle, as the provider's own bodies do.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar, TypeVar

from django.db import connection, models

from billing.sandbox import clock
from billing.sandbox.body import Body

R = TypeVar("R", bound="Resource")

# Every model names its manager: a type checker that looks at the portal's settings does not know this app.


class Site(models.Model):
    """The one row about the site itself: its clock, its time machine and its counters."""

    objects: ClassVar[models.Manager[Site]] = models.Manager()

    offset_ms = models.BigIntegerField(default=0)
    genesis_time = models.BigIntegerField(default=0)
    destination_time = models.BigIntegerField(default=0)
    time_travel_status = models.CharField(max_length=20, default="succeeded")
    failure_code = models.CharField(max_length=100, blank=True)
    failure_reason = models.TextField(blank=True)
    # Counts the times the site was started afresh, so that a journey under way notices that its world is gone.
    epoch = models.PositiveIntegerField(default=0)
    invoices_numbered = models.PositiveIntegerField(default=0)
    credit_notes_numbered = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return "the site"

    @classmethod
    def get(cls) -> Site:
        """The row, made on first use."""
        site = cls.objects.filter(pk=1).first()
        if site is not None:
            return site
        born = int(time.time())
        return cls.objects.get_or_create(pk=1, defaults={"genesis_time": born, "destination_time": born})[0]

    @classmethod
    def offset(cls) -> int:
        """How many milliseconds the site's clock is ahead of the machine's."""
        # Asked several times by every request: as it stands, not as a query to be composed each time.
        with connection.cursor() as cursor:
            cursor.execute(_OFFSET)
            row = cursor.fetchone()
        return int(row[0]) if row else cls.get().offset_ms


_OFFSET = f"SELECT offset_ms FROM {Site._meta.db_table} WHERE id = 1"  # noqa: S608  (our own name)


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

    def __str__(self) -> str:
        return f"{self.kind} {self.handle}"

    def __getitem__(self, attribute: str) -> Any:
        return self.body[attribute]

    @classmethod
    def make(cls: type[R], handle: str, body: Body, **columns: Any) -> R:
        """A new row, not yet saved, whose body has lost its nulls and gained ``id`` and ``object``."""
        row = cls(handle=handle, created_at=clock.now(), updated_at=0, **columns)
        row.body = {"id": handle, "object": cls.kind}
        row.change(**body)
        return row

    def change(self, **attributes: Any) -> None:
        """Set public attributes (None takes one away) and move the version on, which never stands still."""
        for name, value in attributes.items():
            if value is None:
                self.body.pop(name, None)
            else:
                self.body[name] = value
        now_ms = clock.now_ms()
        self.resource_version = max(now_ms, self.resource_version + 1)
        self.updated_at = now_ms // 1000

    def get(self, attribute: str, default: Any = None) -> Any:
        """A public attribute, or ``default`` where it is absent."""
        return self.body.get(attribute, default)

    def render(self) -> Body:
        """The resource as it is answered and as it stands in events."""
        return {**self.body, "updated_at": self.updated_at, "resource_version": self.resource_version}


class Customer(Resource):
    """A customer of the site."""

    objects: ClassVar[models.Manager[Customer]] = models.Manager()
    kind = "customer"


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

    def render(self) -> Body:
        """A coupon set has no version and no times."""
        return dict(self.body)


class CouponCode(Resource):
    """A code that one subscription may use once."""

    objects: ClassVar[models.Manager[CouponCode]] = models.Manager()
    kind = "coupon_code"

    def render(self) -> Body:
        """A code is known by ``code`` and has no version and no times."""
        return {name: value for name, value in self.body.items() if name != "id"}


class PaymentSource(Resource):
    """A way to pay, masked. ``refusal`` is what the gateway answers to a charge; empty approves."""

    objects: ClassVar[models.Manager[PaymentSource]] = models.Manager()
    kind = "payment_source"
    customer_id = models.CharField(max_length=100, db_index=True)
    refusal = models.CharField(max_length=10, blank=True)


class Token(Resource):
    """A card of the card fields, waiting to be used; ``due_at`` is when it expires.

    ``instrument`` is the masked card. ``refusal`` and ``verification`` are what the gateway answers to a charge and to
    the card being added; empty approves.
    """

    objects: ClassVar[models.Manager[Token]] = models.Manager()
    kind = "token"
    instrument = models.JSONField()
    refusal = models.CharField(max_length=10, blank=True)
    verification = models.CharField(max_length=10, blank=True)
    due_at = models.BigIntegerField(null=True, db_index=True)


class PaymentIntent(Resource):
    """A payment its payer agrees to in the browser; ``due_at`` is when it expires.

    ``attempt_id`` is the newest attempt, by which the payer's page finds it; ``instrument`` what the payer agreed to
    pay with (masked), and ``refusal`` what the gateway answers to a charge of it.
    """

    objects: ClassVar[models.Manager[PaymentIntent]] = models.Manager()
    kind = "payment_intent"
    customer_id = models.CharField(max_length=100, blank=True, db_index=True)
    attempt_id = models.CharField(max_length=100, blank=True, db_index=True)
    instrument = models.JSONField(null=True)
    refusal = models.CharField(max_length=10, blank=True)
    due_at = models.BigIntegerField(null=True, db_index=True)


class Subscription(Resource):
    """A subscription.

    ``due_at`` is the next instant at which something happens to it by itself; ``anchor_at`` the instant its terms are
    counted from, so that one begun on the 31st finds the 31st again after a short month. ``scheduled_change`` is what
    waits for the end of the term (engine.scheduling); ``uncredited_till`` the end of a term that was once changed
    without proration, of which nothing is credited any more.
    """

    objects: ClassVar[models.Manager[Subscription]] = models.Manager()
    kind = "subscription"
    customer_id = models.CharField(max_length=100, db_index=True)
    due_at = models.BigIntegerField(null=True, db_index=True)
    anchor_at = models.BigIntegerField()
    scheduled_change = models.JSONField(null=True)
    uncredited_till = models.BigIntegerField(null=True)


class Invoice(Resource):
    """An invoice; ``due_at`` is when its collection is tried again."""

    objects: ClassVar[models.Manager[Invoice]] = models.Manager()
    kind = "invoice"
    customer_id = models.CharField(max_length=100, db_index=True)
    subscription_id = models.CharField(max_length=100, blank=True, db_index=True)
    due_at = models.BigIntegerField(null=True, db_index=True)


class Transaction(Resource):
    """A payment that was tried."""

    objects: ClassVar[models.Manager[Transaction]] = models.Manager()
    kind = "transaction"
    customer_id = models.CharField(max_length=100, db_index=True)


class CreditNote(Resource):
    """Money owed to a customer for what was not used."""

    objects: ClassVar[models.Manager[CreditNote]] = models.Manager()
    kind = "credit_note"
    customer_id = models.CharField(max_length=100, db_index=True)


class PromotionalCredit(Resource):
    """An entry in the book of a customer's promotional credits."""

    objects: ClassVar[models.Manager[PromotionalCredit]] = models.Manager()
    kind = "promotional_credit"
    customer_id = models.CharField(max_length=100, db_index=True)

    def render(self) -> Body:
        """An entry never changes: it has no version and no time but its own."""
        return dict(self.body)


class Event(models.Model):
    """Something that happened, and how far its delivery has come.

    ``content`` is the resources as they were then. The delivery columns belong to the outgoing webhooks: an event is
    to be sent when ``next_attempt_at`` (the site's clock, seconds) has come.
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
    """The answer a POST with an idempotency key was given."""

    objects: ClassVar[models.Manager[IdempotencyRecord]] = models.Manager()

    key = models.CharField(max_length=100, primary_key=True)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    answer = models.TextField()
    created_at = models.BigIntegerField(db_index=True)

    def __str__(self) -> str:
        return self.key
