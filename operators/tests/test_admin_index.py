"""The index of the admin: the everyday pages come first, and only permitted pages are listed."""

from __future__ import annotations

from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User


def _index_groups(user: User) -> dict[str, list[str]]:
    browser = Client()
    browser.force_login(user)
    apps = browser.get("/admin/").context["app_list"]
    return {app["name"]: [model["name"] for model in app["models"]] for app in apps}


def test_everyday_pages_are_listed_first_and_once(db: None) -> None:
    groups = _index_groups(User.objects.create_superuser("olga"))
    daily = [
        "Accounts",
        "System health",
        "Churn report",
        "Brands",
        "Pause offer content",
        "Site settings",
    ]
    assert next(iter(groups.items())) == ("Every day", daily)
    others = [name for group, names in groups.items() if group != "Every day" for name in names]
    assert not set(daily) & set(others)


def test_it_lists_only_pages_that_the_operator_may_see(db: None) -> None:
    petra = User.objects.create_user("petra", is_staff=True)
    petra.user_permissions.set(Permission.objects.filter(codename__in=("view_account", "view_invoice")))
    assert _index_groups(petra) == {"Every day": ["Accounts"], "Billing": ["Invoices"]}
