"""The mail server is away, silent, refuses, or breaks off (reliability, row 24)."""

from __future__ import annotations

import re
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.mail import queue
from accounts.models import OutgoingMail
from billing.tests.live import FAITH
from faults.portal import Portal, wait_until

CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
State = OutgoingMail.State
# Less than a mail server is waited for.
SOON_SECONDS = 8.0


def ask(portal: Portal, address: str) -> str:
    """Ask for a code, which is answered at once whatever the mail server does; return the challenge."""
    began = time.monotonic()
    answer = portal.ask().post("/api/auth/send-otp", json={"email": address})
    assert answer.status_code == 200
    assert time.monotonic() - began < SOON_SECONDS
    challenge: str = answer.json()["challengeId"]
    return challenge


def tried(address: str) -> OutgoingMail:
    """Wait until the mail to an address was tried and is not in hand any more; return it."""
    mails = OutgoingMail.objects.filter(to=address)
    wait_until(lambda: mails.exclude(last_error="").exists(), what="a try")
    return mails.get()


def try_again(portal: Portal, address: str) -> None:
    """Let the wait be over."""
    OutgoingMail.objects.filter(to=address).update(next_attempt_at=timezone.now())
    portal.tick()


@pytest.mark.parametrize("refusal", ["421 closing", "451 busy"])
def test_a_code_that_the_mail_server_would_not_take_comes_and_works(portal: Portal, refusal: str) -> None:
    name = f"paul{refusal[:3]}"
    address = f"{name}@example.com"
    portal.subscriber(name, FAITH)
    portal.post_office.refusals["RCPT"] = refusal
    challenge = ask(portal, address)
    mail = tried(address)
    assert mail.state == State.PENDING
    assert timedelta(seconds=0) < mail.next_attempt_at - timezone.now() < timedelta(seconds=25)

    portal.post_office.refusals.clear()
    try_again(portal, address)
    letter = portal.post_office.wait_for(address)[0].get_body(("plain",))
    assert letter is not None
    code = CODE.findall(letter.get_content())[0]
    attempt = {"email": address, "otp": code, "challengeId": challenge}
    assert portal.ask().post("/api/auth/verify-otp", json=attempt).status_code == 200


def test_a_code_that_comes_too_late_is_dropped_and_an_operator_is_told(portal: Portal) -> None:
    portal.subscriber("quin", FAITH)
    portal.to_post_office.hang_up()
    ask(portal, "quin@example.com")
    assert tried("quin@example.com").state == State.PENDING

    OutgoingMail.objects.filter(to="quin@example.com").update(expires_at=timezone.now())
    portal.to_post_office.mend()
    portal.tick()
    wait_until(lambda: OutgoingMail.objects.get(to="quin@example.com").state == State.DROPPED)
    assert portal.post_office.to("quin@example.com") == []
    assert "were not sent in time and are dropped" in portal.processes["worker"].log.read_text()
    told = portal.ask().get("/metrics").text
    assert 'portal_sign_needs_somebody{sign="mail_lost"} 1.0' in told


def test_an_address_refused_for_good_is_given_up_and_the_next_letter_goes(portal: Portal) -> None:
    portal.post_office.refusals["RCPT"] = "550 no such user"
    queued = queue(kind="receipt", to="rosa@example.com", context=RECEIPT)
    assert queued is not None
    portal.send("accounts.tasks.send_mail", queued.pk)
    assert tried("rosa@example.com").state == State.FAILED
    portal.post_office.refusals.clear()
    after = queue(kind="receipt", to="sara@example.com", context=RECEIPT)
    assert after is not None
    portal.send("accounts.tasks.send_mail", after.pk)
    assert len(portal.post_office.wait_for("sara@example.com")) == 1
    assert portal.post_office.to("rosa@example.com") == []


def test_a_letter_whose_receipt_was_cut_off_comes_again_as_the_same_letter(portal: Portal) -> None:
    queued = queue(kind="receipt", to="tess@example.com", context=RECEIPT)
    assert queued is not None
    # Longer than what is said before the letter, shorter than the letter.
    portal.to_post_office.cut_next(after=1_000)
    portal.send("accounts.tasks.send_mail", queued.pk)
    assert tried("tess@example.com").state == State.PENDING
    try_again(portal, "tess@example.com")
    first, second = portal.post_office.wait_for("tess@example.com", 2)
    assert first["Message-ID"] == second["Message-ID"]


def test_a_mail_server_that_says_nothing_holds_nobody_up_for_long(portal: Portal) -> None:
    portal.subscriber("umay", FAITH)
    portal.to_post_office.fall_silent()
    ask(portal, "umay@example.com")
    assert tried("umay@example.com").last_error.startswith(("TimeoutError", "SMTPServerDisconnected"))
    portal.to_post_office.mend()
    try_again(portal, "umay@example.com")
    assert len(portal.post_office.wait_for("umay@example.com")) == 1
