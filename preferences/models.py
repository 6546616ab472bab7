"""The email preferences of an account and their history."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import Account


class Preference(models.TextChoices):
    """The kinds of optional email, by their names in the API and in its order."""

    NEWS_LETTER = "newsLetter", "newsletter"
    STREAMING = "streaming", "what's streaming"
    PROMOTIONS = "promotions", "promotions"
    BRANDING = "branding", "other brands"


class EmailPreferences(models.Model):
    """What an account wants. An account without a row wants nothing."""

    account = models.OneToOneField(Account, on_delete=models.CASCADE, related_name="email_preferences")
    news_letter = models.BooleanField(default=False)
    streaming = models.BooleanField(default=False)
    promotions = models.BooleanField(default=False)
    branding = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "email preferences"

    def __str__(self) -> str:
        labels = [preference.label for preference in Preference if self.is_wanted(preference)]
        return ", ".join(labels) or "no emails"

    def is_wanted(self, preference: Preference) -> bool:
        """Return whether this kind of email is wanted."""
        return bool(getattr(self, preference.name.lower()))

    def set_wanted(self, preference: Preference, *, wanted: bool) -> None:
        """Set whether this kind of email is wanted, without saving."""
        setattr(self, preference.name.lower(), wanted)


class PreferenceChange(models.Model):
    """A subscription to or unsubscription from a kind of email: the proof of consent. Rows are never changed."""

    class Source(models.TextChoices):
        """Where the change was made."""

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


class Newsletter(models.Model):
    """A mail of news that operators write and send to the subscribers who want its kind."""

    category = models.CharField("kind", max_length=20, choices=Preference.choices, default=Preference.NEWS_LETTER)
    title = models.CharField(max_length=120, help_text="The subject and the heading.")
    text = models.TextField(max_length=4000, help_text="Plain text, a paragraph a line.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    sent_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.title
