"""Sign-ins at the running portal."""

from __future__ import annotations

import time

from faults.support.running_portal import RunningPortal

# Less than the mail server's time-out.
SOON_SECONDS = 8.0


def ask_for_code(portal: RunningPortal, address: str) -> str:
    """Request a sign-in code, assert a fast answer, and return the challenge's id."""
    began = time.monotonic()
    answer = portal.open_browser().post("/api/auth/send-otp", json={"email": address})
    assert answer.status_code == 200
    assert time.monotonic() - began < SOON_SECONDS
    challenge: str = answer.json()["challengeId"]
    return challenge
