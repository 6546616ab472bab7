"""What happens at the door, kept for operators: when, who, from where. Never a code, never a token."""

from __future__ import annotations

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
