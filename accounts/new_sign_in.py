"""Telling subscribers when somebody signs in to their account with a browser, or from a network, not seen before."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts import events, mail, site
from accounts.models import Account, SignInEvent
from accounts.network import Origin

BROWSER, NETWORK = "browser", "network"

_WHERE = {BROWSER: "in a browser", NETWORK: "from a network"}
_VERSIONS = re.compile(r"[\d._]+")
# How much of an address stays when a line gets another one; whole addresses would make news of every evening.
_LASTING_BITS = {4: 16, 6: 32}


def tell(account: Account, origin: Origin, at: datetime) -> None:
    """Queue a mail and record an event when the browser or the network is new to the account.

    Call it before the sign-in itself is noted. The first sign-in of all is no news to anybody. Versions are
    left out of the comparison, since browsers change them every few weeks.
    """
    before = SignInEvent.objects.filter(account=account, kind=SignInEvent.Kind.OK)
    seen = list(before.values_list("agent", "network").distinct())
    new = _what_is_new(origin, seen) if seen else None
    if new is None:
        return
    way = "with a new browser" if new == BROWSER else "from a new network"
    events.record(account, kind="signed_in", text=f"Signed in {way}.", actor="you", at=at)
    mail.queue(kind="receipt", to=account.email, account=account, context=letter(origin, new, at))


def _what_is_new(origin: Origin, seen: Iterable[tuple[str, str]]) -> str | None:
    agents, addresses = zip(*seen, strict=True)
    if _family(origin.agent) not in {_family(agent) for agent in agents}:
        return BROWSER
    if origin.address and _lasting(origin.address) not in {_lasting(one) for one in addresses}:
        return NETWORK
    return None


def _family(agent: str) -> str:
    return _VERSIONS.sub("", agent)


def _lasting(address: str) -> str:
    """Give the part of an address that a line keeps; nothing for an address that is not known."""
    if not address:
        return ""
    bits = _LASTING_BITS[ipaddress.ip_address(address).version]
    return str(ipaddress.ip_network(f"{address}/{bits}", strict=False))


def letter(origin: Origin, new: str, at: datetime) -> dict[str, object]:
    """Return what the mail's templates take; `new` is `BROWSER` or `NETWORK`."""
    zone = site.site_settings().time_zone
    return {
        "title": "New sign-in to your account",
        "lines": [
            f"Somebody signed in to your account with a code we sent you, {_WHERE[new]} we had not seen."
        ],
        "facts": [
            ["When", f"{at.astimezone(ZoneInfo(zone)):%B %-d, %Y, %-I:%M %p} ({zone.replace('_', ' ')})"],
            ["Browser", origin.agent or "unknown"],
            ["Network address", origin.address or "unknown"],
        ],
        "undo_text": "If that was you, there is nothing to do. If it was not, somebody can read your mail: "
        "change the password of your mailbox, then contact Customer Service.",
    }
