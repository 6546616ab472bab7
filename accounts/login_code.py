"""The mail that carries a sign-in code. The code is made here, on sending, and stands nowhere else."""

from __future__ import annotations

import uuid

from accounts import clock, codes, hooks
from accounts.models import Account, LoginChallenge, OutgoingMail, SignInEvent

KIND = "login_code"


def prepare(mail: OutgoingMail) -> dict[str, object] | None:
    """Find the owner of the address, make a code and store its hash; None when there is nobody to send it to.

    A try that failed may have reached the mailbox after all, so each makes a new code under a new Message-ID:
    the newest mail always holds the code that works. Raises what a receiver of `finding_account` raises.
    """
    challenge = LoginChallenge.objects.filter(mail=mail, used_at=None, lapsed_at=None).first()
    if challenge is None:
        return None
    account = Account.objects.of_address(challenge.email) or hooks.find_account(challenge.email)
    if account is None or not account.user.is_active:
        return None
    code = codes.new_code()
    mail.account = account
    mail.message_id = uuid.uuid4()
    mail.save(update_fields=["account", "message_id"])
    challenge.code_hash = codes.hash_code(code, challenge=str(challenge.pk))
    challenge.save(update_fields=["code_hash"])
    return {"code": code, "minutes": minutes_left(challenge)}


def minutes_left(challenge: LoginChallenge) -> int:
    """Give for how many minutes, about, the code will still be accepted; at least one."""
    return max(1, round((challenge.expires_at - clock.now()).total_seconds() / 60))


def note_sent(mail: OutgoingMail) -> None:
    """Record that a code went out to the address."""
    challenge = LoginChallenge.objects.get(mail=mail)
    SignInEvent.objects.create(
        kind=SignInEvent.Kind.SENT,
        email=challenge.email,
        account=mail.account,
        network=challenge.network,
        agent=challenge.agent,
    )
