"""The pages of an operator who sees a subscriber's screens: marked, and without scripts of others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Account, User
from operators.models import AccountView
from portal.views import CARD_DOCUMENTS, PAYPAL_DOCUMENTS

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(bundle: Path) -> Client:
    """Return the browser of an operator who sees Ava's screens."""
    ava = Account.objects.open_account(email="ava@example.com", first_name="Ava", last_name="</script><b>")
    user = User.objects.create_user("sue", is_staff=True)
    user.groups.add(Group.objects.get(name="support"))
    browser = Client()
    browser.force_login(user)
    browser.post(reverse("admin:accounts_account_act", args=[ava.pk, "see-screens"]), {"reason": "She called."})
    return browser


def page_settings(page: Any) -> dict[str, Any]:
    """Return what the page tells the app."""
    found = re.search(r'<script id="portal-settings" type="application/json">(.*?)</script>', page.content.decode())
    assert found is not None
    settings: dict[str, Any] = json.loads(found[1])
    return settings


@pytest.mark.shows("security-62")
def test_every_page_says_whose_account_it_is_until_the_view_ends(operator: Client) -> None:
    for path in ("/", "/dashboard", "/edit-profile", *(f"/{name}" for name in (*CARD_DOCUMENTS, *PAYPAL_DOCUMENTS))):
        view = page_settings(operator.get(path))["view"]
        assert view["name"] == "Ava </script><b>"
        assert 0 < view["secondsLeft"] <= 15 * 60
        ends = AccountView.objects.get().expires_at.astimezone(ZoneInfo("America/New_York"))
        assert view["expiresOn"] == f"{ends:%b} {ends.day}, {ends.year}, {ends:%I:%M %p}".replace(", 0", ", ")
    ended = Client(enforce_csrf_checks=True)
    ended.cookies = operator.cookies
    assert ended.post(view["endUrl"]).status_code == 403
    assert ended.post(view["endUrl"], {"csrfmiddlewaretoken": view["csrfToken"]})["Location"] == view["backUrl"]
    assert "view" not in page_settings(operator.get("/dashboard"))


@pytest.mark.shows("security-61")
@pytest.mark.parametrize("name", [*CARD_DOCUMENTS, *PAYPAL_DOCUMENTS])
def test_the_payment_forms_are_not_loaded(operator: Client, settings: Settings, name: str) -> None:
    settings.SUPPORT_WIDGET_URL = "https://widget.example.com/widget.js"
    seen, strict = operator.get(f"/{name}"), operator.get("/dashboard")
    assert page_settings(seen)["document"] == "app"
    assert "cspNonce" not in page_settings(seen)
    assert "supportWidget" not in page_settings(strict)
    assert seen["Content-Security-Policy"] == strict["Content-Security-Policy"]
    assert "frame-src" not in seen["Content-Security-Policy"]
    operator.cookies.pop("view")
    assert operator.get(f"/{name}")["Content-Security-Policy"] != strict["Content-Security-Policy"]
