"""Ending one kind of email by a link in it: no sign-in, no question (RFC 8058).

The link is signed and says whose emails of which kind it ends; it can do nothing else. It never expires, since an
email may be years old when somebody has had enough of them.
"""

from __future__ import annotations

from django.core import signing
from django.urls import reverse

from accounts import site
from accounts.models import Account
from portal.errors import NotFound
from preferences import choices
from preferences.models import Preference, PreferenceChange

SIGNING_SALT = "preferences.one-click"


def address(account: Account, category: str) -> str:
    """Give the address that ends emails of a category for an account."""
    token = signing.dumps([account.pk, Preference(category)], salt=SIGNING_SALT)
    portal_url = site.address_of(account.brand or site.default_brand())
    return f"{portal_url}{reverse('unsubscribe', args=[token])}"


def read(token: str) -> tuple[Account, Preference]:
    """Give whose emails of which kind a link ends. Raises NotFound when it is none of ours, or they are gone."""
    try:
        account_pk, category = signing.loads(token, salt=SIGNING_SALT)
        return Account.objects.get(pk=account_pk), Preference(category)
    except (signing.BadSignature, ValueError, TypeError, Account.DoesNotExist) as error:
        raise NotFound from error


def end(account: Account, preference: Preference) -> None:
    """End one kind of email; once it has ended, ending it again is nothing."""
    choices.change(account, {preference: False}, source=PreferenceChange.Source.ONE_CLICK)
