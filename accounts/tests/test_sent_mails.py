"""Mails that a subscriber can read again: as they were sent, and nobody else's."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from pytest_django import Settings

from accounts import tasks
from accounts.mail.queue import merge_mail, queue_mail
from accounts.models import Account, OutgoingMail
from accounts.profile import events
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from accounts.tests.test_activity import ACTIVITY, NOON, signed_in_browser

pytestmark = pytest.mark.django_db

RECEIPT: dict[str, object] = {
    "title": "Kids is paused",
    "lines": ["You won't be billed."],
    "facts": [["Pauses on", "June 3, 2026"]],
    "action_label": "See your subscriptions",
    "action_url": "/dashboard",
    "undo_text": "You can undo this.",
    "undo_links": [["Undo pause", "/dashboard?undo=1"]],
}


def queue_receipt(account: Account, **changes: Any) -> OutgoingMail:
    """Queue a receipt about a new event of the account."""
    context = {**RECEIPT, **changes}
    event = events.record_event(account, kind="paused", text=str(context["title"]), actor="you", at=NOON)
    row = queue_mail(kind="receipt", to=account.email, account=account, context=context, event=event)
    assert row is not None
    return row


@pytest.mark.shows("api-62", "rule-17")
def test_the_activity_opens_a_mail_as_it_was_sent(ava: Account) -> None:
    browser = signed_in_browser(ava)
    row = queue_receipt(ava)
    assert browser.get(ACTIVITY).json()[0]["mailId"] is None
    send_due_mail()
    (entry,) = browser.get(ACTIVITY).json()
    answer = browser.get(f"/api/account/mails/{entry['mailId']}")
    row.refresh_from_db()
    assert answer.json() == {
        "sentAt": answer.json()["sentAt"],
        "sentTo": "ava@example.com",
        "title": "Kids is paused",
        "lines": ["You won't be billed."],
        "facts": [{"name": "Pauses on", "value": "June 3, 2026"}],
        "note": "You can undo this.",
        "links": [
            {"text": "See your subscriptions", "path": "/dashboard"},
            {"text": "Undo pause", "path": "/dashboard?undo=1"},
        ],
    }
    assert row.sent_as is not None
    assert "You won't be billed." in row.sent_as["text"]


def test_events_that_one_mail_tells_open_that_mail(ava: Account) -> None:
    lead, other = queue_receipt(ava), queue_receipt(ava, title="Faith & Family is paused")
    assert merge_mail(other, into=lead, context={**RECEIPT, "title": "Both are paused"})
    send_due_mail()
    browser = signed_in_browser(ava)
    assert [entry["mailId"] for entry in browser.get(ACTIVITY).json()] == [lead.pk, lead.pk]
    assert browser.get(f"/api/account/mails/{lead.pk}").json()["title"] == "Both are paused"


def test_a_strangers_an_unknown_and_an_unsent_mail_are_not_found(ava: Account) -> None:
    bob = Account.objects.open_account(email="bob@example.com")
    others = queue_receipt(bob)
    send_due_mail()
    waiting = queue_receipt(ava)
    browser = signed_in_browser(ava)
    for mail_id in (others.pk, waiting.pk, 999_999_999, 10**30):
        answer = browser.get(f"/api/account/mails/{mail_id}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_sign_in_code_is_never_kept(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.request_code()
    send_due_mail()
    row = OutgoingMail.objects.get(kind="login_code")
    assert (row.state, row.sent_as) == (OutgoingMail.State.SENT, None)
    assert signed_in_browser(ava).get(f"/api/account/mails/{row.pk}").status_code == 404


def test_links_that_leave_the_portal_are_left_out(ava: Account) -> None:
    row = queue_receipt(ava, action_url="https://example.com/", undo_links=[])
    send_due_mail()
    assert signed_in_browser(ava).get(f"/api/account/mails/{row.pk}").json()["links"] == []


def test_it_is_kept_as_long_as_the_setting_says(
    ava: Account, settings: Settings, clock: time_machine.Traveller
) -> None:
    settings.RECEIPT_RETENTION_DAYS = 500
    queue_receipt(ava)
    queue_mail(kind="receipt", to=ava.email, account=ava, context=RECEIPT)
    send_due_mail()
    clock.shift(timedelta(days=499))
    tasks.tick()
    assert OutgoingMail.objects.get().event is not None
    clock.shift(timedelta(days=2))
    tasks.tick()
    assert not OutgoingMail.objects.exists()
    assert ava.events.count() == 1
