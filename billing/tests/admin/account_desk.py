"""An operator who reads an account's page."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import Account, User

PLANTED = "<img src=x onerror=alert(1)>"


def operator_client(group: str, name: str = "sam") -> Client:
    """Return a client signed in as an operator of a group."""
    user = User.objects.create_user(name, password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    browser = Client()
    browser.force_login(user)
    return browser


def account_url(account: Account) -> str:
    """Return the URL of an account's page."""
    return reverse("admin:accounts_account_change", args=[account.pk])


def read_account_page(browser: Client, account: Account) -> str:
    """Return an account's page as HTML."""
    return browser.get(account_url(account)).content.decode()
