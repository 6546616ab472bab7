"""Telling subscribers when somebody signs in to their account with a browser not seen before."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts import events, mail, site
from accounts.models import Account, SignInEvent
from accounts.network import Origin

_VERSIONS = re.compile(r"[\d._]+")


def tell(account: Account, origin: Origin, at: datetime) -> None:
    """Queue a mail and record an event when the browser is new to the account.

    Call it before the sign-in itself is noted. The first sign-in of all is no news to anybody. Versions are
    left out of the comparison, since browsers change them every few weeks.
    """
    before = SignInEvent.objects.filter(account=account, kind=SignInEvent.Kind.OK)
    known = {_family(agent) for agent in before.values_list("agent", flat=True).distinct()}
    if not known or _family(origin.agent) in known:
        return
    events.record(account, kind="signed_in", text="Signed in with a new browser.", actor="you", at=at)
    mail.queue(kind="receipt", to=account.email, account=account, context=_letter(origin, at))


def _family(agent: str) -> str:
    return _VERSIONS.sub("", agent)


def _letter(origin: Origin, at: datetime) -> dict[str, object]:
    zone = site.site_settings().time_zone
    return {
        "title": "New sign-in to your account",
        "lines": [
            "Somebody signed in to your account with a code we sent you, in a browser we had not seen."
        ],
        "facts": [
            ["When", f"{at.astimezone(ZoneInfo(zone)):%B %-d, %Y, %-I:%M %p} ({zone.replace('_', ' ')})"],
            ["Browser", origin.agent or "unknown"],
        ],
        "undo_text": "If that was you, there is nothing to do. If it was not, somebody can read your mail: "
        "change the password of your mailbox, then contact Customer Service.",
    }
