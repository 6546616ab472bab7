"""The sign-in log for operators: when, who and from where. It never contains a code or a token."""

from __future__ import annotations

from accounts.models import Account, SignInEvent
from accounts.sign_in import limits
from core.limits import Throttled, consume_limits
from core.network import Origin


def record_sign_in_event(kind: SignInEvent.Kind, email: str, origin: Origin, account: Account | None = None) -> None:
    """Add an event to the log; without `account`, the account with this address is looked up."""
    SignInEvent.objects.create(
        kind=kind,
        email=email,
        account=account or Account.objects.filter(email=email).first(),
        network=origin.address,
        agent=origin.agent,
    )


def record_refusal(email: str, origin: Origin) -> None:
    """Log that a request was throttled, up to an hourly number per network.

    The limits bound the number of wrong codes but not that of refusals, which could fill the table.
    """
    try:
        consume_limits((limits.LOGGED_REFUSALS, origin.network))
    except Throttled:
        return
    record_sign_in_event(SignInEvent.Kind.LIMITED, email, origin)
