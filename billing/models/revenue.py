"""The ledger of monthly recurring revenue: one row per change of what a subscription brings in each month."""

from django.db import models


class RevenueMovement(models.Model):
    """A change of one subscription's monthly recurring revenue, in cents of its currency.

    The sum of a subscription's rows is what it brings in per month now; the sum of all rows up to an instant is the
    revenue then. Rows are never changed, except that an erasure makes their ids random. They outlive the account.
    """

    class Kind(models.TextChoices):
        NEW = "new", "new"
        EXPANSION = "expansion", "expansion"
        REACTIVATION = "reactivation", "reactivation"
        CONTRACTION = "contraction", "contraction"
        PAUSE = "pause", "pause"
        CHURN = "churn", "churn"

    at = models.DateTimeField(help_text="When the mirror learned it; for the first row, when the subscription began.")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    customer_id = models.CharField(max_length=100, db_index=True, help_text="The provider's id.")
    subscription_id = models.CharField(max_length=100, help_text="The provider's id.")
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField(help_text="The change, in cents per month.")
    first_at = models.DateTimeField(help_text="When the customer's first movement was: the customer's cohort.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            # The churn report counts by the first and finds who paid in the second, without the rows.
            models.Index(fields=["at", "kind"], name="revenue_at_kind"),
            models.Index(fields=["subscription_id", "at", "id", "kind"], name="revenue_of_subscription"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.kind} {self.amount} {self.currency}"


class RevenueReport(RevenueMovement):
    """A proxy without rows of its own, for the permissions and the admin page of the revenue report."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        permissions = [("export_revenuereport", "Can export the revenue report")]
        verbose_name = verbose_name_plural = "revenue report"
