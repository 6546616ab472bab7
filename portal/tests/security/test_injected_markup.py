"""Markup in any user input is shown as text everywhere."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib import admin
from django.core.management import call_command
from django.db.models import CharField, QuerySet, TextField
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils.html import escape
from pytest_django import Settings

from accounts.mail.rendering import compose_message
from accounts.models import Account, Brand, OutgoingMail, SessionToken, User
from billing.models import PauseOfferContent
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    apply_catalog,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from portal.tests.test_export_and_erasure import open_full_account
from preferences import unsubscribe_link
from preferences.models import Newsletter

pytestmark = pytest.mark.django_db

PLANTED = "<img src=x onerror=alert(1)>"
# Fields that keep their values: secrets, and what selects a template or a brand.
UNCHANGED_FIELDS = {
    "password",
    "code_hash",
    "digest",
    "token_key",
    "email",
    "kind",
    "key",
    "time_zone",
    "body",
    "item_id",
    "item_price_id",
}
PURPOSES = ("changelist", "add", "previews", "report")
ROW_PURPOSES = ("change", "history", "delete")
# Models whose pages must show the planted text; on other pages it must not be markup either.
MODELS_WITH_MARKUP = {
    "Account",
    "AccountEvent",
    "Brand",
    "ChurnReport",
    "Invoice",
    "Newsletter",
    "OutgoingMail",
    "PauseOfferContent",
    "PaymentSource",
    "SiteSettings",
    "StreamingService",
    "Subscription",
}


def holds_user_input(field: Any) -> bool:
    """Return whether a field may hold user input, entered in the portal or at the provider."""
    return (
        isinstance(field, (CharField, TextField))
        and not (field.choices or field.unique or field.name in UNCHANGED_FIELDS)
        and (field.max_length or len(PLANTED)) >= len(PLANTED)
    )


def plant_markup() -> None:
    """Write the markup to every such field of every row, bypassing validation."""
    for model in admin.site._registry:
        columns = {field.attname: PLANTED for field in model._meta.concrete_fields if holds_user_input(field)}
        if columns:
            QuerySet(model).update(**columns)


@pytest.fixture
def alice(db: None, settings: Settings) -> Account:
    """Return Alice's account, which has one row of each kind with the markup in it."""
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    call_command("seed_site", verbosity=0)
    apply_catalog()
    account = open_full_account("alice")
    Newsletter.objects.create(title="New", text="News")
    names = {"first_name": PLANTED, "last_name": PLANTED}
    owner = {"customer_id": "alice"}
    card = {"brand": PLANTED, "last4": "1111", "masked_number": PLANTED, **names}
    open_account(
        "alice",
        make_resource("payment_source", "pm", **owner, type="card", status="valid", card=card),
        make_resource("payment_source", "pp", **owner, type="paypal", status="valid", paypal={"email": PLANTED}),
        make_subscription("sub", coupons=[{"coupon_id": PLANTED, "applied_count": 0}]),
        make_invoice(
            "17",
            line_items=[{"id": "li", "description": PLANTED, "date_from": timestamp_at(), "date_to": timestamp_at(30)}],
        ),
    )
    SessionToken.objects.create(user=account.user, agent=PLANTED)
    PauseOfferContent.objects.create(plan_id="faith-family-plan")
    plant_markup()
    return account


@pytest.fixture
def operator(alice: Account, client: Client) -> Client:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


def admin_urls() -> list[tuple[str, str]]:
    """Return the model and URL of every admin page: lists, add forms, and the pages of the last row of each list."""
    found = []
    for model in admin.site._registry:
        stem = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        row = model._default_manager.order_by("pk").last()
        wanted: list[tuple[str, list[Any]]] = [(purpose, []) for purpose in PURPOSES]
        wanted += [(purpose, [row.pk]) for purpose in ROW_PURPOSES if row is not None]
        for purpose, arguments in wanted:
            try:
                found.append((model.__name__, reverse(f"{stem}_{purpose}", args=arguments)))
            except NoReverseMatch:
                continue
    return found


@pytest.mark.shows("security-24")
def test_no_admin_page_renders_it_as_markup(operator: Client, alice: Account) -> None:
    shown = set()
    for model, address in admin_urls():
        page = operator.get(address)
        assert page.status_code in (200, 302, 403), address
        assert "<img src=x" not in page.content.decode(), address
        if escape(PLANTED) in page.content.decode():
            shown.add(model)
    assert shown >= MODELS_WITH_MARKUP


@pytest.mark.parametrize("model", ["accounts_account", "billing_invoice", "billing_transaction"])
def test_csv_exports_are_attachments(operator: Client, alice: Account, model: str) -> None:
    answer = operator.get(reverse(f"admin:{model}_export"))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"


READS = (
    "/api/account/activity",
    "/api/account/export",
    "/api/account/pause-offer",
    "/api/account/profile",
    "/api/account/sessions",
    "/api/payments/",
)


@pytest.mark.shows("security-24")
@pytest.mark.parametrize("path", READS)
def test_the_api_returns_it_in_json_that_browsers_do_not_render(alice: Account, path: str) -> None:
    answer = Browser(alice).get(path)
    assert answer["Content-Type"] == "application/json"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert PLANTED in answer.content.decode()


@pytest.mark.shows("security-24")
@pytest.mark.parametrize("kind", ["login_code", "newsletter", "notice", "payment", "receipt"])
def test_a_mail_shows_it_as_text_in_both_parts(alice: Account, kind: str) -> None:
    brand = Brand.objects.get(code="kids")
    row = OutgoingMail(kind=kind, to=alice.email, account=alice, brand=brand)
    context = {
        "title": PLANTED,
        "lines": [PLANTED],
        "facts": [[PLANTED, PLANTED]],
        "action_url": "https://portal.example.com/dashboard",
        "action_label": PLANTED,
        "undo_text": PLANTED,
        "undo_links": [[PLANTED, "https://portal.example.com/dashboard"]],
        "code": "012345",
        "minutes": 10,
        "category": "",
    }
    message = compose_message(row, context)
    html = str(message.alternatives[0][0])
    assert message.attachments == []
    assert PLANTED in str(message.body)
    assert "<img" not in html
    assert escape(PLANTED) in html
    assert brand.name == PLANTED


@pytest.mark.shows("security-24")
def test_the_unsubscribe_page_shows_it_as_text(alice: Account, client: Client) -> None:
    page = client.get(urlsplit(unsubscribe_link.unsubscribe_url(alice, "promotions")).path)
    assert page.status_code == 200
    assert "<img src=x" not in page.content.decode()
