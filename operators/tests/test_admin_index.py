"""The menu and the list of all records: only permitted pages are in them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User


def records_context(user: User) -> Any:
    """Return what the list of all records shows to an operator."""
    browser = Client()
    browser.force_login(user)
    return browser.get("/admin/records/").context


def test_a_superuser_sees_the_whole_menu(db: None) -> None:
    entries = records_context(User.objects.create_superuser("olga"))["menu"]

    assert [entry.label for entry in entries] == [
        "Desk",
        "Accounts",
        "System health",
        "Churn report",
        "Revenue",
        "Brands",
        "Pause offers",
        "Pause titles",
        "Survey",
        "Site settings",
        "All records",
    ]
    assert [entry.label for entry in entries if entry.is_current] == ["All records"]


def test_an_operator_sees_only_permitted_pages(db: None) -> None:
    petra = User.objects.create_user("petra", is_staff=True)
    petra.user_permissions.set(Permission.objects.filter(codename__in=("view_account", "view_invoice")))
    context = records_context(petra)

    assert [entry.label for entry in context["menu"]] == ["Desk", "Accounts", "All records"]
    assert {app["name"]: [model["name"] for model in app["models"]] for app in context["app_list"]} == {
        "Accounts and sign-in": ["Accounts"],
        "Billing": ["Invoices"],
    }
