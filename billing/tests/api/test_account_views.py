"""What an operator who sees a subscriber's screens can do: read what she reads, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from accounts.models import Account, LoginChallenge, OutgoingMail, SessionToken, User
from billing import clock
from billing.invoices import pdf_files
from billing.models import Command, InvoicePdf
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS

SAFE = ("get", "head", "options")
WITHHELD = "export"
# What these reads require.
QUERIES = {
    "downgrade_estimate": {"planIds": GOSPEL},
    "pause_estimate": {"days": "30"},
    "resume_estimate": {},
    "upgrade_estimate": {"planIds": FAITH},
}
# The request's id, a signed link with its time, and whether a session is the request's own: no view has one.
OWN_PARTS = ("requestId", "downloadUrl", "current")


def begin_view(account: Account) -> Client:
    """Return the browser of an operator of support who sees the account's screens."""
    user = User.objects.create_user("sue", is_staff=True)
    user.groups.add(Group.objects.get(name="support"))
    browser = Client()
    browser.force_login(user)
    address = reverse("admin:accounts_account_act", args=[account.pk, "see-screens"])
    assert browser.post(address, {"reason": "She called.", "key": "a-key"})["Location"] == "/dashboard"
    return browser


def list_operations() -> list[tuple[str, str, str]]:
    """Return the method, path and id of every operation of the API's document."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    return [
        (method, path, operation["operationId"])
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


def comparable(response: Any) -> tuple[int, object]:
    """Return a response's status and body, without what differs between two responses to one request."""
    if response.headers["Content-Type"] != "application/json":
        return response.status_code, b"".join(response.streaming_content)
    return response.status_code, strip_own_parts(response.json())


def strip_own_parts(body: Any) -> Any:
    if isinstance(body, list):
        return [strip_own_parts(part) for part in body]
    if not isinstance(body, dict):
        return body
    return {name: strip_own_parts(value) for name, value in body.items() if name not in OWN_PARTS}


@pytest.mark.shows("security-61", "error-47")
def test_every_operation_can_be_read_and_none_changes_anything(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    shop.subscribe("ava", GOSPEL, unit="Yearly")
    paused = shop.subscribe("ava", KIDS)
    shop.client.Subscription.pause(paused, {"pause_option": "immediately"})
    shop.import_customer("ava")
    number = shop.invoices("ava")[0]["id"]
    subscriber, operator = APIClient(headers={"Authorization": f"Bearer {Browser(ava).token}"}), begin_view(ava)
    year = str(clock.billing_now().year)
    for document in (f"pdf/{number}", f"statement/{year}"):
        assert operator.get(f"/api/invoice/{document}").status_code == 503
    for pdf in InvoicePdf.objects.all():
        pdf_files.make_pdf(pdf.pk)
    link = operator.get(f"/api/invoice/pdf/{number}").json()["downloadUrl"]
    values = {"code": "SAVE20", "number": number, "year": year, "mail_id": "1", "token": link.rsplit("/", 1)[-1]}
    tables = (Command, LoginChallenge, OutgoingMail, SessionToken)
    before = {table: list(table._default_manager.values()) for table in tables}
    events = len(shop.client.Event.list({"limit": 100}).list)

    statuses: dict[str, int] = {}
    for method, template, name in list_operations():
        path = template.format(**values)
        if method in SAFE and name != WITHHELD:
            seen, own = (browser.get(path, QUERIES.get(name, {})) for browser in (operator, subscriber))
            assert comparable(seen) == comparable(own), name
            statuses[name] = seen.status_code
            continue
        key = {"Idempotency-Key": "a-key-of-one-change"}
        refused = operator.generic(method, path, "{}", content_type="application/json", headers=key)
        assert (refused.status_code, refused.json()["code"]) == (403, "view_only"), name
        assert "Nothing can be changed" in refused.json()["message"]

    assert len(statuses) >= 17
    unread = {name: status for name, status in statuses.items() if status != 200}
    # Ava has got no mail and no credit.
    assert unread == {"sent_mail": 404, "credit_note_pdf": 404}
    assert {table: list(table._default_manager.values()) for table in tables} == before
    assert len(shop.client.Event.list({"limit": 100}).list) == events
