"""A night's notices and thousands of receipts wait: sign-in codes and changes do not wait behind them."""

from __future__ import annotations

import time

import pytest

from accounts.models import OutgoingMail
from billing.mirror import account_import
from billing.tests.support.live_provider import FAITH
from faults.support.busy_night import JOB_REQUESTS, NOTICES, busy_night, queue_notices, queue_receipts
from faults.support.running_portal import RunningPortal, wait_until
from faults.support.sign_in import ask_for_code

# More receipts than the workers send at once: those that remain show that a code did not wait for its turn.
SENT_AT_ONCE = 20
CODES = 5
State = OutgoingMail.State


@pytest.mark.shows("reliability-40")
def test_codes_and_changes_do_not_wait_behind_notices(portal: RunningPortal) -> None:
    account, browser = portal.create_subscriber("wren")
    portal.provider.subscribe("wren", FAITH, unit="Yearly")
    account_import.resync_account(account)
    for number in range(CODES):
        portal.create_subscriber(f"xena{number}")
    notices = OutgoingMail.objects.filter(account=account, kind="notice")
    receipts = OutgoingMail.objects.filter(to__startswith="many", state=State.PENDING)
    queue_notices(account)
    with busy_night(portal):
        queue_receipts(portal)
        began = time.monotonic()
        portal.send_ticks()
        wait_until(notices.filter(state=State.SENT).exists, what="the first notice")
        for number in range(CODES):
            ask_for_code(portal, f"xena{number}@example.com")
            portal.mail_server.wait_for_mails(f"xena{number}@example.com")
            assert receipts.count() > SENT_AT_ONCE
            changed = {"firstName": "Wren", "lastName": f"Number {number}", "bmonth": 0, "bday": 0}
            key = {"Idempotency-Key": f"wren-{number}"}
            assert browser.post("/api/account/profile/update", json=changed, headers=key).status_code == 200
        assert notices.filter(state=State.PENDING).count() > NOTICES - 100
        # Two requests each, at the pace of jobs after a burst of a tenth of a minute.
        minutes = (time.monotonic() - began) / 60
        assert notices.filter(state=State.SENT).count() <= (JOB_REQUESTS / 10 + JOB_REQUESTS * minutes) / 2 + 1
