"""The unsubscribe link in an email, which works without sign-in or confirmation (RFC 8058).

The link is signed and contains the account and the kind of email. It never expires, because the email may be years old.
"""

from __future__ import annotations

from django.core import signing
from django.urls import reverse

from accounts.brands import site
from accounts.models import Account
from core.errors import NotFound
from preferences import email_preferences
from preferences.models import Preference, PreferenceChange

SIGNING_SALT = "preferences.one-click"


def unsubscribe_url(account: Account, category: str) -> str:
    """Return the URL that unsubscribes an account from a category."""
    token = signing.dumps([account.pk, Preference(category)], salt=SIGNING_SALT)
    portal_url = site.portal_url_for_brand(account.brand or site.default_brand())
    return f"{portal_url}{reverse('unsubscribe', args=[token])}"


def read_unsubscribe_token(token: str) -> tuple[Account, Preference]:
    """Return the account and the kind of email of a link. Raises NotFound if it is invalid or the account is gone."""
    try:
        account_pk, category = signing.loads(token, salt=SIGNING_SALT)
        return Account.objects.get(pk=account_pk), Preference(category)
    except (signing.BadSignature, ValueError, TypeError, Account.DoesNotExist) as error:
        raise NotFound from error


def end_preference(account: Account, preference: Preference) -> None:
    """Unsubscribe an account from one kind of email. Doing it again changes nothing."""
    email_preferences.change_preferences(account, {preference: False}, source=PreferenceChange.Source.ONE_CLICK)
