"""The provider's estimates of the next bills."""

from django.db import models

from billing.models.mirror import Subscription
from core.workers.leases import Leased, LeaseQuerySet


class NextBillEstimate(Leased):
    """The provider's estimate of a subscription's next bill, and the versions that it was computed from.

    `bill` has the fields of `EstimatedBill` but the time that it bills, which is from `bill_begins_at` to
    `bill_ends_at`; None if the provider estimates no bill. It holds only while the versions are those of the mirror.
    """

    class State(models.TextChoices):
        WANTED = "wanted", "waiting"
        KNOWN = "known", "known"

    UNFINISHED = models.Q(state=State.WANTED)

    subscription = models.OneToOneField(Subscription, on_delete=models.CASCADE, related_name="next_bill_estimate")
    subscription_version = models.BigIntegerField(default=0)
    customer_version = models.BigIntegerField(default=0)
    content_version = models.PositiveIntegerField(default=0, help_text="Of prices, coupons and bundle rates.")
    bill = models.JSONField(null=True, blank=True)
    bill_begins_at = models.DateTimeField(null=True, blank=True)
    bill_ends_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=6, choices=State.choices, default=State.WANTED)

    objects = LeaseQuerySet["NextBillEstimate"].as_manager()

    class Meta:
        indexes = [models.Index(fields=["state", "next_attempt_at"], name="next_bill_due")]

    def __str__(self) -> str:
        return f"next bill of {self.subscription}"
