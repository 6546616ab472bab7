"""What happens at the door, kept for operators: when, who, from where. Never a code, never a token."""

from __future__ import annotations

from accounts import limits
from accounts.models import Account, SignInEvent
from accounts.network import Origin


def note(kind: SignInEvent.Kind, email: str, origin: Origin, account: Account | None = None) -> None:
    """Add one event at the real time; without an account, the owner of the address is looked for."""
    SignInEvent.objects.create(
        kind=kind,
        email=email,
        account=account or Account.objects.filter(email=email).first(),
        network=origin.address,
        agent=origin.agent,
    )


def note_limited(email: str, origin: Origin) -> None:
    """Add the event of a refusal.

    Wrong codes are bounded by the limits, and refusals by nothing; so that nobody fills the table with them, a
    network address leaves a bounded number of these an hour, which still shows what goes on.
    """
    try:
        limits.take((limits.NOTED_REFUSALS, origin.network))
    except limits.Throttled:
        return
    note(SignInEvent.Kind.LIMITED, email, origin)
