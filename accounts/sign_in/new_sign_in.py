"""Notices of sign-ins from a browser or a network that the account has not used before."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts.brands import site
from accounts.mail import queue
from accounts.mail.samples import SAMPLE_TIME, MailSample
from accounts.models import Account, SignInEvent
from accounts.profile import events
from accounts.sign_in.browser_name import browser_name
from core.network import Origin

BROWSER, NETWORK = "browser", "network"

_VERSION_NUMBERS = re.compile(r"[\d._]+")
# The prefix of an address that stays the same when a provider assigns a new one. Comparing whole addresses would
# send a notice after every reconnect.
_PREFIX_LENGTHS = {4: 16, 6: 32}


def notify_new_sign_in(account: Account, origin: Origin, at: datetime) -> None:
    """Queue a mail and record an event if the browser or the network is new to the account.

    Call this before the sign-in itself is logged. The account's first sign-in sends nothing. Version numbers are
    ignored, because browsers change them every few weeks.
    """
    sign_ins = SignInEvent.objects.filter(account=account, kind=SignInEvent.Kind.OK)
    seen = list(sign_ins.values_list("agent", "network").distinct())
    new = _detect_novelty(origin, seen) if seen else None
    if new is None:
        return
    way = "with a new browser" if new == BROWSER else "from a new network"
    event = events.record_event(account, kind="signed_in", text=f"Signed in {way}.", actor="you", at=at)
    context = new_sign_in_context(origin, new, at)
    queue.queue_mail(kind="receipt", to=account.email, account=account, context=context, event=event)


def _detect_novelty(origin: Origin, seen: Iterable[tuple[str, str]]) -> str | None:
    agents, addresses = zip(*seen, strict=True)
    if _browser_family(origin.agent) not in {_browser_family(agent) for agent in agents}:
        return BROWSER
    seen_networks = {_lasting_network(address) for address in addresses}
    if origin.address and _lasting_network(origin.address) not in seen_networks:
        return NETWORK
    return None


def _browser_family(agent: str) -> str:
    return _VERSION_NUMBERS.sub("", agent)


def _lasting_network(address: str) -> str:
    """Return the network of an address by `_PREFIX_LENGTHS`, empty for an unknown address."""
    if not address:
        return ""
    bits = _PREFIX_LENGTHS[ipaddress.ip_address(address).version]
    return str(ipaddress.ip_network(f"{address}/{bits}", strict=False))


def new_sign_in_sample() -> MailSample:
    """Return the sample of this mail for the admin's previews."""
    origin = Origin(address="203.0.113.7", agent="Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0")
    return MailSample(
        "new-sign-in",
        "New sign-in",
        "receipt",
        lambda: new_sign_in_context(origin, BROWSER, SAMPLE_TIME),
    )


def new_sign_in_context(origin: Origin, new: str, at: datetime) -> dict[str, object]:
    """Return the context of the mail's templates; `new` is `BROWSER` or `NETWORK`."""
    zone = site.site_settings().time_zone
    browser = browser_name(origin.agent)
    origin_name = {BROWSER: browser, NETWORK: "a new network"}[new]
    return {
        "title": f"New sign-in to your account from {origin_name}",
        "lines": ["If this was you, you don't need to do anything."],
        "facts": [
            ["When", f"{at.astimezone(ZoneInfo(zone)):%B %-d, %Y, %-I:%M %p} ({zone.replace('_', ' ')})"],
            ["Browser", browser],
            ["Network address", origin.address or "Unknown"],
        ],
        "undo_text": "Wasn't you? Someone may have access to your email. Change your email password, "
        "then contact Customer Service.",
    }
