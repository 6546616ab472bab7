"""Coupon codes an account redeemed, those it was refused, and free months it claimed."""

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


class RefusedCode(models.Model):
    """A code that a subscriber typed and could not redeem, for support; kept 90 days (docs/rules.md, rule 17).

    `reason` is the code of the error that answered, its label the reason in an operator's words.
    """

    class Reason(models.TextChoices):
        NOT_FOUND = "coupon_not_found", "it doesn't exist"
        EXPIRED = "coupon_expired", "it has expired or is used up"
        NOT_VALID_YET = "coupon_not_valid_yet", "it can't be used yet"
        ALREADY_APPLIED = "coupon_already_applied", "they had used it before"
        NOT_APPLICABLE = "coupon_not_applicable", "it saves nothing on their subscriptions"
        NO_SUBSCRIPTION = "no_active_subscription", "they had no active subscription"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="refused_codes")
    code = models.CharField(max_length=30, help_text="As it was typed.")
    reason = models.CharField(max_length=30, choices=Reason.choices)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["account", "-at"], name="refused_code_newest"),
            models.Index(fields=["-at"], name="refused_code_by_date"),
            models.Index(fields=["code"], name="refused_code_text"),
        ]

    def __str__(self) -> str:
        return f"Code {self.code} refused: {self.get_reason_display()}"


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
