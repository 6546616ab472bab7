"""The mail server is down, silent, refuses mail, or disconnects."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.mail.queue import queue_mail
from accounts.models import OutgoingMail
from billing.tests.support.live_provider import FAITH
from faults.support.running_portal import RunningPortal, wait_until
from faults.support.sign_in import ask_for_code

CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
State = OutgoingMail.State


def wait_until_tried(address: str) -> OutgoingMail:
    """Wait until sending a mail to an address has failed, and return the mail."""
    mails = OutgoingMail.objects.filter(to=address)
    wait_until(lambda: mails.exclude(last_error="").exists(), what="a try")
    return mails.get()


def make_mail_due(portal: RunningPortal, address: str) -> None:
    """Make a mail due now."""
    OutgoingMail.objects.filter(to=address).update(next_attempt_at=timezone.now())
    portal.send_ticks()


@pytest.mark.shows("reliability-24")
@pytest.mark.parametrize("refusal", ["421 closing", "451 busy"])
def test_a_code_that_the_mail_server_refuses_temporarily_is_sent_later_and_works(
    portal: RunningPortal, refusal: str
) -> None:
    name = f"paul{refusal[:3]}"
    address = f"{name}@example.com"
    portal.create_subscriber(name, FAITH)
    portal.mail_server.refusals["RCPT"] = refusal
    challenge = ask_for_code(portal, address)
    mail = wait_until_tried(address)
    assert mail.state == State.PENDING
    assert mail.next_attempt_at is not None
    assert timedelta(seconds=0) < mail.next_attempt_at - timezone.now() < timedelta(seconds=25)

    portal.mail_server.refusals.clear()
    make_mail_due(portal, address)
    body = portal.mail_server.wait_for_mails(address)[0].get_body(("plain",))
    assert body is not None
    code = CODE.findall(body.get_content())[0]
    attempt = {"email": address, "otp": code, "challengeId": challenge}
    assert portal.open_browser().post("/api/auth/verify-otp", json=attempt).status_code == 200


@pytest.mark.shows("reliability-24")
def test_a_code_that_expires_before_it_is_sent_is_dropped_and_reported_to_operators(
    portal: RunningPortal,
) -> None:
    portal.create_subscriber("quin", FAITH)
    portal.mail_relay.hang_up()
    ask_for_code(portal, "quin@example.com")
    assert wait_until_tried("quin@example.com").state == State.PENDING

    OutgoingMail.objects.filter(to="quin@example.com").update(expires_at=timezone.now())
    portal.mail_relay.restore()
    portal.send_ticks()
    wait_until(lambda: OutgoingMail.objects.get(to="quin@example.com").state == State.DROPPED)
    assert portal.mail_server.mails_to("quin@example.com") == []
    assert "expired before they were sent and were dropped" in portal.processes["worker"].log.read_text()
    metrics = portal.open_browser().get("/metrics").text
    assert 'portal_sign_needs_somebody{sign="mail_lost"} 1.0' in metrics


@pytest.mark.shows("reliability-24")
def test_a_permanently_refused_address_is_given_up_and_the_next_mail_is_sent(portal: RunningPortal) -> None:
    portal.mail_server.refusals["RCPT"] = "550 no such user"
    queued = queue_mail(kind="receipt", to="rosa@example.com", context=RECEIPT)
    assert queued is not None
    portal.send_task("accounts.tasks.send_mail", queued.pk)
    assert wait_until_tried("rosa@example.com").state == State.FAILED
    portal.mail_server.refusals.clear()
    second = queue_mail(kind="receipt", to="sara@example.com", context=RECEIPT)
    assert second is not None
    portal.send_task("accounts.tasks.send_mail", second.pk)
    assert len(portal.mail_server.wait_for_mails("sara@example.com")) == 1
    assert portal.mail_server.mails_to("rosa@example.com") == []


@pytest.mark.shows("reliability-24")
def test_a_mail_that_is_cut_off_is_sent_again_with_the_same_message_id(portal: RunningPortal) -> None:
    queued = queue_mail(kind="receipt", to="tess@example.com", context=RECEIPT)
    assert queued is not None
    # The SMTP envelope is shorter, so this cuts within the message.
    portal.mail_relay.cut_next(after=1_000)
    portal.send_task("accounts.tasks.send_mail", queued.pk)
    assert wait_until_tried("tess@example.com").state == State.PENDING
    make_mail_due(portal, "tess@example.com")
    first, second = portal.mail_server.wait_for_mails("tess@example.com", 2)
    assert first["Message-ID"] == second["Message-ID"]


@pytest.mark.shows("reliability-24")
def test_a_silent_mail_server_delays_no_request_for_long(portal: RunningPortal) -> None:
    portal.create_subscriber("umay", FAITH)
    portal.mail_relay.stop_answering()
    ask_for_code(portal, "umay@example.com")
    assert wait_until_tried("umay@example.com").last_error.startswith(("TimeoutError", "SMTPServerDisconnected"))
    portal.mail_relay.restore()
    make_mail_due(portal, "umay@example.com")
    assert len(portal.mail_server.wait_for_mails("umay@example.com")) == 1
