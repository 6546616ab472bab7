"""`manage.py seed_choices`: what a subscriber of the demo has chosen."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.models import Account
from preferences.email_preferences import change_preferences
from preferences.models import Preference, PreferenceChange
from preferences.newsletters import demo_newsletter, send_newsletter

EMAIL = "ben@example.com"
BIRTHDAY = {"birth_month": 2, "birth_day": 29}
WANTED = (Preference.NEWS_LETTER, Preference.STREAMING)


class Command(BaseCommand):
    """Gives one account a birthday, email preferences and a newsletter. Running it again changes nothing."""

    help = "Give an account of the demo a birthday, email preferences and a newsletter."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Store the choices, unless the account has made its own."""
        account = Account.objects.filter(email=EMAIL).first()
        if account is None or hasattr(account, "email_preferences"):
            return
        Account.objects.filter(pk=account.pk).update(**BIRTHDAY)
        change_preferences(account, dict.fromkeys(WANTED, True), source=PreferenceChange.Source.PORTAL)
        newsletter = demo_newsletter()
        newsletter.save()
        send_newsletter(newsletter)
