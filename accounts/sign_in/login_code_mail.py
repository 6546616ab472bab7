"""The mail with a sign-in code. The code is created when the mail is sent and stored only as a hash."""

from __future__ import annotations

import uuid

from accounts import signals
from accounts.mail.samples import MailSample
from accounts.models import LoginChallenge, OutgoingMail, SignInEvent
from accounts.sign_in import otp
from core import clock

MAIL_KIND = "login_code"
CODE_MAIL_SAMPLE = MailSample("sign-in-code", "Sign-in code", MAIL_KIND, lambda: {"code": "482913", "minutes": 10})


def prepare_code_mail(mail: OutgoingMail) -> dict[str, object] | None:
    """Create a code, store its hash and return the mail's context, or None if no active account has the address.

    Known addresses are looked up anew, too: one may belong to somebody else by now.
    A failed delivery may have reached the mailbox after all. So each attempt creates a new code and Message-ID: the
    newest mail always holds the valid code. Raises what a receiver of `address_entered` raises.
    """
    challenge = LoginChallenge.objects.filter(mail=mail, used_at=None, lapsed_at=None).first()
    if challenge is None:
        return None
    account = signals.find_account(challenge.email, typed_email=challenge.typed_email)
    if account is None or not account.user.is_active:
        return None
    code = otp.new_code()
    mail.account = account
    mail.message_id = uuid.uuid4()
    mail.save(update_fields=["account", "message_id"])
    challenge.account = account
    challenge.code_hash = otp.hash_code(code, challenge=str(challenge.pk))
    challenge.save(update_fields=["account", "code_hash"])
    return {"code": code, "minutes": minutes_left(challenge)}


def minutes_left(challenge: LoginChallenge) -> int:
    """Return for how many minutes the code remains valid, rounded, at least one."""
    return max(1, round((challenge.expires_at - clock.database_now()).total_seconds() / 60))


def record_code_sent(mail: OutgoingMail) -> None:
    """Add to the sign-in log that a code was sent."""
    challenge = LoginChallenge.objects.get(mail=mail)
    SignInEvent.objects.create(
        kind=SignInEvent.Kind.SENT,
        email=challenge.email,
        account=mail.account,
        network=challenge.network,
        agent=challenge.agent,
    )
