"""An end to guessing: after 100 wrong codes in a row, an address signs in from known browsers only.

The owner is told by mail. A request from another browser is then answered by mail with a link instead of a code: the
browser in which it is opened becomes a known one, so that nobody is kept out, and nothing short can be guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from accounts.mail import queue
from accounts.mail.samples import MailSample
from accounts.models import Account, OutgoingMail, SignInEvent
from accounts.profile import events
from accounts.sign_in import limits
from core import clock
from core.limits import Throttled, consume_limits, count_used_up, forget_uses, is_used_up

CLOSED_MAIL_KIND = "sign_in_closed"
COUNTED_TIME = timedelta(hours=1)
# Subscribers mistype, too; so many wrong codes an hour are noticed only if they outnumber the sign-ins.
TOLERATED_WRONG_CODES = 50


class ClosedToNewBrowsers(Throttled):
    """Too many wrong codes were entered for this address: only known browsers may try one."""

    message = (
        "Too many wrong codes were entered for this address. Request a new code: "
        "the email has a link that lets this browser sign in."
    )


@dataclass(frozen=True, slots=True)
class GuessingHealth:
    """The last hour's wrong codes and sign-ins, and how many addresses are closed to new browsers now."""

    wrong_codes: int
    sign_ins: int
    closed_addresses: int

    @property
    def is_suspicious(self) -> bool:
        """Return whether there are more wrong codes than subscribers mistype: somebody tries many addresses."""
        return self.wrong_codes > max(TOLERATED_WRONG_CODES, self.sign_ins)


def guessing_health(now: datetime) -> GuessingHealth:
    """Return what the sign-in log tells of guessing, at real time `now`."""
    counted = SignInEvent.objects.filter(at__gt=now - COUNTED_TIME).aggregate(
        wrong=Count("pk", filter=Q(kind=SignInEvent.Kind.FAILED)),
        right=Count("pk", filter=Q(kind=SignInEvent.Kind.OK)),
    )
    return GuessingHealth(counted["wrong"], counted["right"], count_used_up(limits.FAILURES))


def count_failure(email: str, known_browser: str) -> int:
    """Count a try as failed before its code is compared, so that concurrent tries never exceed the limit.

    Return how many are left. Raises ClosedToNewBrowsers, and Throttled for a known browser that has entered as many
    wrong codes itself.
    """
    try:
        return consume_limits((limits.FAILURES, limits.failures_subject(email, known_browser)))
    except Throttled as error:
        if known_browser:
            raise
        raise ClosedToNewBrowsers(retry_after=error.retry_after) from error


def tell_owner_of_last_failure(email: str, known_browser: str, *, left: int) -> None:
    """Tell the owner by mail if strangers have used up their last try with a code that was wrong."""
    if not left and not known_browser:
        # For an unknown address as well, which the mail task drops: the time that this takes tells nothing.
        queue.queue_mail(kind=CLOSED_MAIL_KIND, to=email, context={})


def forget_failures(email: str, known_browser: str) -> None:
    """Begin to count anew after a sign-in by the same browser, or by any stranger's if it is not a known one."""
    forget_uses(limits.FAILURES, limits.failures_subject(email, known_browser))


def is_closed_to_new_browsers(email: str) -> bool:
    """Return whether an address signs in from known browsers only."""
    return is_used_up(limits.FAILURES, limits.failures_subject(email, ""))


def prepare_closed_mail(mail: OutgoingMail) -> dict[str, object] | None:
    """Return the context of the mail to the owner, or None if no active account has the address."""
    account = Account.objects.select_related("user").filter(email=mail.to, user__is_active=True).first()
    if account is None:
        return None
    mail.account, mail.brand_id = account, account.brand_id
    mail.save(update_fields=["account", "brand"])
    return closed_mail_context()


def record_closed_mail_sent(mail: OutgoingMail) -> None:
    """Tell it in the activity, too."""
    if mail.account is not None:
        events.record_event(
            mail.account,
            kind="sign_in_closed",
            text="Many wrong sign-in codes were entered. Only browsers that you have used can sign in with a code.",
            actor="system",
            at=clock.database_now(),
        )


def closed_mail_context() -> dict[str, object]:
    """Return the context of the mail's templates."""
    return {
        "title": "Somebody is guessing your sign-in codes",
        "lines": [
            f"Somebody has entered {limits.FAILURES.count} wrong sign-in codes for your address. Nobody got in.",
            "From now on, only browsers that have signed in before can use a code.",
            "In a new browser, request a code as usual: the email then has a link that lets this browser in.",
        ],
        "undo_text": "Were these tries yours? Then you don't need to do anything.",
    }


CLOSED_MAIL_SAMPLE = MailSample("sign-in-closed", "Many wrong sign-in codes", CLOSED_MAIL_KIND, closed_mail_context)
