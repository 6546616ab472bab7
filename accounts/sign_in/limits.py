"""How often codes may be requested and tried.

Browsers that have signed in to the address before have allowances of their own. All others share theirs with nobody but
their network, so that a stranger who knows an address uses up only a stranger's allowance.
"""

from __future__ import annotations

from datetime import timedelta

from core.limits import Limit

# Per address, and per network or known browser.
SEND_GAP = Limit("send-gap", 1, timedelta(seconds=30), grows_on_demo=False)
SEND_ADDRESS = Limit("send-address", 5, timedelta(hours=1))
TRY_ADDRESS = Limit("try-address", 10, timedelta(minutes=15))

# Per network, for all addresses. They do not hold for known browsers.
SEND_NETWORK = Limit("send-network", 20, timedelta(hours=1))
TRY_NETWORK = Limit("try-network", 100, timedelta(minutes=15))

# What all strangers together may send to one mailbox: so many mails, and one in every ten minutes in any case. A
# request beyond these opens a challenge for the code that was mailed last, so that its owner always has a valid one.
MAILBOX = Limit("send-mailbox", 5, timedelta(hours=1))
MAILBOX_AT_LEAST = Limit("send-mailbox-at-least", 1, timedelta(minutes=10), grows_on_demo=False)

# NIST SP 800-63B, section 5.2.2: at most 100 failures in a row. The window bounds what is stored.
FAILURES = Limit("failures", 100, timedelta(days=30), grows_on_demo=False)

LOGGED_REFUSALS = Limit("noted-refusals", 100, timedelta(hours=1))


def requester_subject(email: str, network: str, known_browser: str) -> str:
    """Return whom a limit per address counts: a known browser by its id, anybody else by the network."""
    return f"{known_browser or network}:{email}"


def failures_subject(email: str, known_browser: str) -> str:
    """Return whose wrong codes are counted together: a known browser's, or those of all strangers."""
    return f"{known_browser}:{email}" if known_browser else email
