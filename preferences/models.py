"""Which emails a subscriber wants, and how that came about."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import Account


class Preference(models.TextChoices):
    """The kinds of email that one may do without, by their names on the wire and in the contract's order."""

    NEWS_LETTER = "newsLetter", "newsletter"
    STREAMING = "streaming", "what's streaming"
    PROMOTIONS = "promotions", "promotions"
    BRANDING = "branding", "other brands"


class EmailPreferences(models.Model):
    """What an account wants; one without a row wants nothing (specification, section 3)."""

    account = models.OneToOneField(Account, on_delete=models.CASCADE, related_name="email_preferences")
    news_letter = models.BooleanField(default=False)
    streaming = models.BooleanField(default=False)
    promotions = models.BooleanField(default=False)
    branding = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "email preferences"

    def __str__(self) -> str:
        return ", ".join(one.label for one in Preference if self.wants(one)) or "no emails"

    def wants(self, preference: Preference) -> bool:
        """Whether this kind is wanted."""
        return bool(getattr(self, preference.name.lower()))

    def put(self, preference: Preference, *, wanted: bool) -> None:
        """Note whether this kind is wanted; saving is the caller's."""
        setattr(self, preference.name.lower(), wanted)


class PreferenceChange(models.Model):
    """One kind of email that was asked for or ended: the proof of consent. Rows are added and never changed."""

    class Source(models.TextChoices):
        """Where it was asked for."""

        PORTAL = "portal", "in the portal"
        ONE_CLICK = "one_click", "by the link in an email"
        OPERATOR = "operator", "by an operator"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="preference_changes")
    at = models.DateTimeField(default=timezone.now)
    preference = models.CharField(max_length=20, choices=Preference.choices)
    wanted = models.BooleanField()
    source = models.CharField(max_length=10, choices=Source.choices)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["account", "-at", "-id"], name="preference_change_newest")]

    def __str__(self) -> str:
        return f"{self.get_preference_display()}: {'wanted' if self.wanted else 'ended'}"
