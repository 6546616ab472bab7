"""The mail server is down, silent, refuses mail, or disconnects."""

from __future__ import annotations

import re
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.mail.queue import queue_mail
from accounts.models import OutgoingMail
from billing.tests.support.live_provider import FAITH
from faults.running_portal import RunningPortal, wait_until

CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
State = OutgoingMail.State
# Less than the mail server's time-out.
SOON_SECONDS = 8.0


def ask_for_code(portal: RunningPortal, address: str) -> str:
    """Request a sign-in code, and assert a fast answer; return the challenge."""
    began = time.monotonic()
    answer = portal.open_browser().post("/api/auth/send-otp", json={"email": address})
    assert answer.status_code == 200
    assert time.monotonic() - began < SOON_SECONDS
    challenge: str = answer.json()["challengeId"]
    return challenge


def wait_until_tried(address: str) -> OutgoingMail:
    """Wait until a mail to an address was tried and released; return it."""
    mails = OutgoingMail.objects.filter(to=address)
    wait_until(lambda: mails.exclude(last_error="").exists(), what="a try")
    return mails.get()


def expire_wait(portal: RunningPortal, address: str) -> None:
    """Make a mail due now."""
    OutgoingMail.objects.filter(to=address).update(next_attempt_at=timezone.now())
    portal.send_ticks()


@pytest.mark.shows("reliability-24")
@pytest.mark.parametrize("refusal", ["421 closing", "451 busy"])
def test_a_code_that_the_mail_server_would_not_take_comes_and_works(
    portal: RunningPortal, refusal: str
) -> None:
    name = f"paul{refusal[:3]}"
    address = f"{name}@example.com"
    portal.create_subscriber(name, FAITH)
    portal.post_office.refusals["RCPT"] = refusal
    challenge = ask_for_code(portal, address)
    mail = wait_until_tried(address)
    assert mail.state == State.PENDING
    assert mail.next_attempt_at is not None
    assert timedelta(seconds=0) < mail.next_attempt_at - timezone.now() < timedelta(seconds=25)

    portal.post_office.refusals.clear()
    expire_wait(portal, address)
    letter = portal.post_office.wait_for(address)[0].get_body(("plain",))
    assert letter is not None
    code = CODE.findall(letter.get_content())[0]
    attempt = {"email": address, "otp": code, "challengeId": challenge}
    assert portal.open_browser().post("/api/auth/verify-otp", json=attempt).status_code == 200


@pytest.mark.shows("reliability-24")
def test_a_code_that_comes_too_late_is_dropped_and_an_operator_is_told(portal: RunningPortal) -> None:
    portal.create_subscriber("quin", FAITH)
    portal.to_post_office.hang_up()
    ask_for_code(portal, "quin@example.com")
    assert wait_until_tried("quin@example.com").state == State.PENDING

    OutgoingMail.objects.filter(to="quin@example.com").update(expires_at=timezone.now())
    portal.to_post_office.restore()
    portal.send_ticks()
    wait_until(lambda: OutgoingMail.objects.get(to="quin@example.com").state == State.DROPPED)
    assert portal.post_office.mails_to("quin@example.com") == []
    assert "expired before they were sent and were dropped" in portal.processes["worker"].log.read_text()
    told = portal.open_browser().get("/metrics").text
    assert 'portal_sign_needs_somebody{sign="mail_lost"} 1.0' in told


@pytest.mark.shows("reliability-24")
def test_an_address_refused_for_good_is_given_up_and_the_next_letter_goes(portal: RunningPortal) -> None:
    portal.post_office.refusals["RCPT"] = "550 no such user"
    queued = queue_mail(kind="receipt", to="rosa@example.com", context=RECEIPT)
    assert queued is not None
    portal.send_task("accounts.tasks.send_mail", queued.pk)
    assert wait_until_tried("rosa@example.com").state == State.FAILED
    portal.post_office.refusals.clear()
    after = queue_mail(kind="receipt", to="sara@example.com", context=RECEIPT)
    assert after is not None
    portal.send_task("accounts.tasks.send_mail", after.pk)
    assert len(portal.post_office.wait_for("sara@example.com")) == 1
    assert portal.post_office.mails_to("rosa@example.com") == []


@pytest.mark.shows("reliability-24")
def test_a_letter_whose_receipt_was_cut_off_comes_again_as_the_same_letter(portal: RunningPortal) -> None:
    queued = queue_mail(kind="receipt", to="tess@example.com", context=RECEIPT)
    assert queued is not None
    # Cuts the connection within the message, after the SMTP envelope.
    portal.to_post_office.cut_next(after=1_000)
    portal.send_task("accounts.tasks.send_mail", queued.pk)
    assert wait_until_tried("tess@example.com").state == State.PENDING
    expire_wait(portal, "tess@example.com")
    first, second = portal.post_office.wait_for("tess@example.com", 2)
    assert first["Message-ID"] == second["Message-ID"]


@pytest.mark.shows("reliability-24")
def test_a_mail_server_that_says_nothing_holds_nobody_up_for_long(portal: RunningPortal) -> None:
    portal.create_subscriber("umay", FAITH)
    portal.to_post_office.stop_answering()
    ask_for_code(portal, "umay@example.com")
    assert wait_until_tried("umay@example.com").last_error.startswith(
        ("TimeoutError", "SMTPServerDisconnected")
    )
    portal.to_post_office.restore()
    expire_wait(portal, "umay@example.com")
    assert len(portal.post_office.wait_for("umay@example.com")) == 1
