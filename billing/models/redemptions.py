"""Coupon codes an account redeemed, and free months it claimed."""

from django.db import models

from accounts.models import Account


class CodeRedemption(models.Model):
    """A redeemed code. An account can redeem each code once, ever (docs/rules.md, rule 9)."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="code_redemptions")
    code = models.CharField(max_length=30)
    subscription_id = models.CharField(
        max_length=100, help_text="The provider's id of the subscription it was applied to."
    )
    redeemed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "code"], name="one_redemption_per_code")]

    def __str__(self) -> str:
        return self.code


class OfferClaim(models.Model):
    """A claimed free month. An account can claim one in twelve months (docs/rules.md, rule 8)."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="offer_claims")
    subscription_id = models.CharField(
        max_length=100, help_text="The provider's id of the subscription it was applied to."
    )
    claimed_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["account", "-claimed_at"], name="offer_newest")]

    def __str__(self) -> str:
        return f"{self.claimed_at:%Y-%m-%d}"
