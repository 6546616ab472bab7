"""Every operation of the API, requested with ids that belong to another account."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from pytest_django import Settings

from accounts.models import Account, OutgoingMail, SessionToken, SiteSettings
from accounts.profile import events
from accounts.sign_in import flow
from billing.invoices import pdf_files
from billing.models import Invoice, InvoicePdf
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    KIDS,
    apply_catalog,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from core.models import LimitCounter

pytestmark = pytest.mark.django_db

METHODS = "/api/payments/updatePaymentSources"
CARD = {
    "paymentsource": "CARD",
    "token": "t",
    "firstName": "A",
    "billingState": "Ohio",
    "billingZip": "43004",
}
# Operations that take the id of something an account owns, with requests for Bob's.
OWNED_ID_REQUESTS: dict[str, list[tuple[str, Any]]] = {
    "resume_estimate": [("/api/account/resume/estimate?subscriptionId=own&subscriptionId=bobs-plan", None)],
    "resume": [("/api/account/resume", {"subscriptionId": ["own", "bobs-plan"]})],
    "pause": [("/api/account/pause?days=30&subscriptionId=own&subscriptionId=bobs-plan", {})],
    "pause_estimate": [("/api/account/pause/estimate?days=30&subscriptionId=own&subscriptionId=bobs-plan", None)],
    "pause_some": [("/api/account/subscriptions/multiple-pause", {"subscriptionId": ["own", "bobs-plan"]})],
    "cancel_some": [("/api/account/subscriptions/cancel", {"subscriptionIds": ["own", "bobs-plan"]})],
    "remove_scheduled_pause": [("/api/account/subscription/remove-scheduled-pause", {"subscriptionId": ["bobs-plan"]})],
    "remove_scheduled_change": [
        ("/api/account/subscription/remove-scheduled-change", {"subscriptionId": ["bobs-plan"]})
    ],
    "remove_scheduled_cancellation": [
        ("/api/account/subscription/remove-scheduled-cancellation", {"subscriptionId": ["bobs-plan"]})
    ],
    "update_payment_sources": [
        (METHODS, {"operationType": operation, "paymentSourceId": "bobs-card", **CARD})
        for operation in ("ADD", "UPDATE", "SETPRIMARY", "DELETE")
    ],
    "payment_token": [
        ("/api/payments/paymentToken", {"paymentSourceId": "bobs-card", **more})
        for more in ({}, {"amount": 100}, {"paymentsource": "CARD"})
    ],
    "switch_customer": [("/api/account/others/switch", {"customerId": "bob"})],
    "invoice_pdf": [("/api/invoice/pdf/bobs-bill", None)],
    "credit_note_pdf": [("/api/invoice/credit-note/bobs-note", None)],
    "invoice_download": [("/api/invoice/download/{link}", None)],
    "sent_mail": [("/api/account/mails/{mail}", None)],
}
# Plans are for sale to all, and a code has no owner until it is redeemed.
SHARED_ID_OPERATIONS = {
    "add_coupon",
    "add_remove_service",
    "add_remove_service_estimate",
    "downgrade",
    "downgrade_estimate",
    "upgrade",
    "upgrade_estimate",
}
OPERATIONS_WITHOUT_IDS = {
    "account",
    "activity",
    "auth_logout",
    "auth_send_otp",
    "auth_verify_otp",
    "billing_details",
    "cancel",
    "cancel_screen",
    "check_payment_failure",
    "claim_my_offer",
    "claim_my_offer_estimate",
    "communication_preferences",
    "export",
    "invoice_list",
    "invoice_statement",
    "manage_plans",
    "other_customers",
    "pause_offer",
    "payments",
    "profile",
    "remove_scheduled_pauses",
    "revoke_other_sessions",
    "save_communication_preferences",
    "sessions",
    "site",
    "update_profile",
}
CASES = [(name, path, body) for name, requests in OWNED_ID_REQUESTS.items() for path, body in requests]


def api_operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the method, path and description of every operation in the OpenAPI document."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def all_rows() -> dict[str, list[Any]]:
    """Return every row of the database, except sessions and rate limit counters, which every request changes."""
    stored_models = [model for model in apps.get_models() if model not in (SessionToken, LimitCounter)]
    return {model._meta.label: list(model._default_manager.values()) for model in stored_models}


def open_full_account(handle: str) -> Account:
    """Open an account with a paused plan, a bill with a credit note, and a card."""
    card = {"brand": "visa", "last4": "1111", "first_name": f"{handle}-name"}
    return open_account(
        handle,
        make_subscription(f"{handle}s-plan", KIDS, owner=handle, status="paused", pause_date=timestamp_at(-2)),
        make_resource("payment_source", f"{handle}s-card", customer_id=handle, type="card", status="valid", card=card),
        make_invoice(f"{handle}s-bill", owner=handle),
        make_resource("credit_note", f"{handle}s-note", customer_id=handle, reference_invoice_id=f"{handle}s-bill"),
    )


@pytest.fixture
def bob(db: None, settings: Settings, tmp_path: Any) -> Account:
    """Return Bob's account, which owns what Alice requests; the provider is unreachable."""
    settings.CHARGEBEE_ENDPOINT, settings.MEDIA_ROOT = UNREACHABLE_ENDPOINT, tmp_path
    SiteSettings.objects.get_or_create(pk=1)
    apply_catalog()
    account = open_full_account("bob")
    event = events.record_event(account, kind="paused", text="Paused", actor="you", at=timezone.now())
    sent = {"state": OutgoingMail.State.SENT, "sent_at": timezone.now(), "sent_as": {"title": "Paused"}}
    OutgoingMail.objects.create(kind="receipt", to=account.email, account=account, event=event, **sent)
    return account


@pytest.fixture
def alice(bob: Account) -> Account:
    return open_account("alice", make_subscription("own"))


@pytest.fixture
def link(bob: Account) -> str:
    """Return Bob's download token for his invoice."""
    bill = Invoice.objects.get(customer__account=bob)
    file = default_storage.save("invoices/bobs.pdf", ContentFile(b"%PDF-bob"))
    InvoicePdf.objects.create(invoice=bill, version=bill.resource_version, state=InvoicePdf.State.READY, file=file)
    return pdf_files.invoice_token(bob, "bobs-bill")


@pytest.mark.shows("security-29")
def test_every_operation_is_listed_by_the_ids_it_takes() -> None:
    listed = [*OWNED_ID_REQUESTS, *SHARED_ID_OPERATIONS, *OPERATIONS_WITHOUT_IDS]
    assert sorted(listed) == sorted(operation["operationId"] for _, _, operation in api_operations())


@pytest.mark.shows("security-29")
@pytest.mark.parametrize(("name", "path", "body"), CASES)
def test_bobs_ids_are_not_found_and_nothing_changes(
    alice: Account,
    link: str,
    listener: None,
    caplog: pytest.LogCaptureFixture,
    name: str,
    path: str,
    body: Any,
) -> None:
    browser, before = Browser(alice), all_rows()
    caplog.clear()

    address = path.format(link=link, mail=OutgoingMail.objects.get(account__email="bob@example.com").pk)
    answer = browser.get(address) if body is None else browser.post(address, body)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert all_rows() == before
    (line,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert re.fullmatch(rf"Account {alice.pk} .* not its own", line.getMessage())


@pytest.mark.shows("security-29")
@pytest.mark.parametrize(("name", "path", "body"), CASES)
def test_bobs_ids_and_unknown_ids_get_the_same_response(
    alice: Account, link: str, name: str, path: str, body: Any
) -> None:
    browser = Browser(alice)

    def request_owned_by(owner: str) -> dict[str, Any]:
        mail = OutgoingMail.objects.get(account__email="bob@example.com").pk if owner == "bobs" else 999_999
        address = path.format(link=link if owner == "bobs" else link[:-1], mail=mail).replace("bobs-", f"{owner}-")
        sent = json.loads(json.dumps(body).replace("bobs-", f"{owner}-"))
        answer = browser.get(address) if body is None else browser.post(address, sent)
        return {**answer.json(), "requestId": "", "status": answer.status_code}

    assert request_owned_by("bobs") == request_owned_by("nobodys")


@pytest.mark.shows("security-29")
def test_no_response_contains_bobs_data(alice: Account) -> None:
    browser = Browser(alice)
    reads = [
        path
        for method, path, operation in api_operations()
        if method == "get" and "401" in operation["responses"] and "{" not in path
    ]
    for path in reads:
        answer = browser.get(f"{path}?days=30" if path.endswith("pause/estimate") else path)
        assert answer.status_code in (200, 400, 409, 503), path
        assert "bob" not in answer.content.decode(), path


@pytest.mark.shows("security-33")
def test_a_deactivated_account_is_refused_by_every_operation(alice: Account) -> None:
    browser = Browser(alice)
    assert browser.get("/api/account").status_code == 200
    flow.deactivate_account(alice)
    _, token = SessionToken.objects.create(user=alice.user)
    for credential in (browser.token, token):
        browser.credentials(HTTP_AUTHORIZATION=f"Bearer {credential}")
        protected = [(method, path) for method, path, operation in api_operations() if "401" in operation["responses"]]
        answers = {path: getattr(browser, method)(re.sub("{.*}", "2026", path)) for method, path in protected}
        assert {path for path, answer in answers.items() if answer.status_code != 401} == set()
