"""The mail with a sign-in code. The code is created when the mail is sent and stored only as a hash."""

from __future__ import annotations

import uuid

from accounts import signals
from accounts.mail.samples import MailSample
from accounts.models import LoginChallenge, OutgoingMail, SignInEvent
from accounts.sign_in import guessing, otp
from accounts.sign_in.known_browsers import sign_in_link
from core import clock

MAIL_KIND = "login_code"
CODE_MAIL_SAMPLE = MailSample("sign-in-code", "Sign-in code", MAIL_KIND, lambda: {"code": "482913", "minutes": 10})
LINK_MAIL_SAMPLE = MailSample(
    "sign-in-link", "Sign-in link for a new browser", MAIL_KIND, lambda: {"action_url": "/sign-in-link/…"}
)


def prepare_code_mail(mail: OutgoingMail) -> dict[str, object] | None:
    """Create a code, store its hash and return the mail's context, or None if no active account has the address.

    Where guessing has closed the address to new browsers, their mail has a link instead of a code.

    Known addresses are looked up anew, too: one may belong to somebody else by now.
    A failed delivery may have reached the mailbox after all. So each attempt creates a new code and Message-ID: the
    newest mail always holds the valid code. Raises what a receiver of `address_entered` raises.
    """
    challenge = LoginChallenge.objects.filter(mail=mail, used_at=None).first()
    # A replaced challenge is still mailed if its code is shared: no other mail has it.
    if challenge is None or (challenge.lapsed_at is not None and not challenge.shared_by.exists()):
        return None
    account = signals.find_account(challenge.email, typed_email=challenge.typed_email)
    if account is None or not account.user.is_active:
        return None
    mail.account = account
    mail.message_id = uuid.uuid4()
    mail.save(update_fields=["account", "message_id"])
    if not challenge.known_browser and guessing.is_closed_to_new_browsers(challenge.email):
        return {"action_url": sign_in_link(challenge.email)}
    code = otp.new_code()
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
