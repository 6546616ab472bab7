"""Every operation of the API, asked about what is somebody else's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from drf_spectacular.generators import SchemaGenerator
from pytest_django import Settings

from accounts.models import Account, SessionToken, SiteSettings
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
# Where an operation takes the name of something that somebody owns, and how it is asked about what is Bob's.
NAMED: dict[str, list[tuple[str, Any]]] = {
    "resume_estimate": [("/api/account/resume/estimate?subscriptionId=own&subscriptionId=bobs-plan", None)],
    "resume": [("/api/account/resume", {"subscriptionId": ["own", "bobs-plan"]})],
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
    "invoice_pdf": [("/api/invoice/pdf/bobs-bill", None)],
    "invoice_download": [("/api/invoice/download/{link}", None)],
}
# Plans are everybody's, and a code is nobody's until it is redeemed.
NAMES_WHAT_IS_NOBODYS = {
    "add_coupon",
    "add_remove_service",
    "add_remove_service_estimate",
    "downgrade",
    "downgrade_estimate",
    "upgrade",
    "upgrade_estimate",
}
NAMES_NOTHING = {
    "account",
    "activity",
    "auth_logout",
    "auth_send_otp",
    "auth_verify_otp",
    "billing_details",
    "cancel",
    "check_payment_failure",
    "claim_my_offer",
    "claim_my_offer_estimate",
    "communication_preferences",
    "export",
    "invoice_list",
    "manage_plans",
    "pause",
    "pause_estimate",
    "pause_offer",
    "payment_token",
    "payments",
    "profile",
    "remove_scheduled_pauses",
    "revoke_other_sessions",
    "save_communication_preferences",
    "sessions",
    "site",
    "update_profile",
}
CASES = [(name, path, body) for name, asked in NAMED.items() for path, body in asked]


def api_operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation of the document: its method, its address, what the document says."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def all_rows() -> dict[str, list[Any]]:
    """Every row that the portal keeps, but those that say how often and when last somebody asked."""
    kept = [model for model in apps.get_models() if model not in (SessionToken, LimitCounter)]
    return {model._meta.label: list(model._default_manager.values()) for model in kept}


def open_full_account(handle: str) -> Account:
    """Open an account with a paused plan, a bill and a card."""
    card = {"brand": "visa", "last4": "1111", "first_name": f"{handle}-name"}
    return open_account(
        handle,
        make_subscription(f"{handle}s-plan", KIDS, owner=handle, status="paused", pause_date=timestamp_at(-2)),
        make_resource("payment_source", f"{handle}s-card", customer_id=handle, type="card", status="valid", card=card),
        make_invoice(f"{handle}s-bill", owner=handle),
    )


@pytest.fixture
def bob(db: None, settings: Settings, tmp_path: Any) -> Account:
    """Bob, who has what Alice asks about; nobody answers where the provider should be."""
    settings.CHARGEBEE_ENDPOINT, settings.MEDIA_ROOT = UNREACHABLE_ENDPOINT, tmp_path
    SiteSettings.objects.get_or_create(pk=1)
    apply_catalog()
    return open_full_account("bob")


@pytest.fixture
def alice(bob: Account) -> Account:
    return open_account("alice", make_subscription("own"))


@pytest.fixture
def link(bob: Account) -> str:
    """Bob's own link to his bill."""
    bill = Invoice.objects.get(customer__account=bob)
    file = default_storage.save("invoices/bobs.pdf", ContentFile(b"%PDF-bob"))
    InvoicePdf.objects.create(invoice=bill, version=bill.resource_version, state=InvoicePdf.State.READY, file=file)
    return pdf_files.download_token(bob, "bobs-bill")


@pytest.mark.shows("security-29")
def test_every_operation_is_listed_with_what_it_names() -> None:
    listed = [*NAMED, *NAMES_WHAT_IS_NOBODYS, *NAMES_NOTHING]
    assert sorted(listed) == sorted(operation["operationId"] for _, _, operation in api_operations())


@pytest.mark.shows("security-29")
@pytest.mark.parametrize(("name", "path", "body"), CASES)
def test_what_is_bobs_is_not_found_and_nothing_is_done(
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

    address = path.format(link=link)
    answer = browser.get(address) if body is None else browser.post(address, body)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert all_rows() == before
    (line,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert re.fullmatch(rf"Account {alice.pk} .* not its own", line.getMessage())


@pytest.mark.shows("security-29")
@pytest.mark.parametrize(("name", "path", "body"), CASES)
def test_what_is_bobs_and_what_is_nobodys_look_the_same(
    alice: Account, link: str, name: str, path: str, body: Any
) -> None:
    browser = Browser(alice)

    def ask_about(owner: str) -> dict[str, Any]:
        address = path.format(link=link if owner == "bobs" else link[:-1]).replace("bobs-", f"{owner}-")
        sent = json.loads(json.dumps(body).replace("bobs-", f"{owner}-"))
        answer = browser.get(address) if body is None else browser.post(address, sent)
        return {**answer.json(), "requestId": "", "status": answer.status_code}

    assert ask_about("bobs") == ask_about("nobodys")


@pytest.mark.shows("security-29")
def test_no_answer_holds_anything_of_bobs(alice: Account) -> None:
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
def test_an_account_that_is_switched_off_is_out_of_every_operation_at_once(alice: Account) -> None:
    browser = Browser(alice)
    assert browser.get("/api/account").status_code == 200
    flow.deactivate_account(alice)
    _, token = SessionToken.objects.create(user=alice.user)
    for credential in (browser.token, token):
        browser.credentials(HTTP_AUTHORIZATION=f"Bearer {credential}")
        protected = [(method, path) for method, path, operation in api_operations() if "401" in operation["responses"]]
        answers = {path: getattr(browser, method)(re.sub("[{}]", "", path)) for method, path in protected}
        assert {path for path, answer in answers.items() if answer.status_code != 401} == set()
