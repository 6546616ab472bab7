"""What an account was granted once: codes it redeemed and free months it claimed."""

from django.db import models

from accounts.models import Account


class CodeRedemption(models.Model):
    """A code that an account redeemed: once per account, ever (contract, rule 9)."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="code_redemptions")
    code = models.CharField(max_length=30)
    subscription_id = models.CharField(max_length=100, help_text="The provider's id of the one it went to.")
    redeemed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "code"], name="one_redemption_per_code")]

    def __str__(self) -> str:
        return self.code


class OfferClaim(models.Model):
    """A free month that an account claimed: once in twelve months (contract, rule 8)."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="offer_claims")
    subscription_id = models.CharField(max_length=100, help_text="The provider's id of the one it went to.")
    claimed_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["account", "-claimed_at"], name="offer_newest")]

    def __str__(self) -> str:
        return f"{self.claimed_at:%Y-%m-%d}"
