"""What is kept, and how long (contract, rule 17)."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from accounts import login_code
from accounts.models import LimitCounter, LoginChallenge, OutgoingMail, SessionToken, SignInEvent

SIGN_IN_EVENTS = timedelta(days=396)  # thirteen months, at their longest
FINISHED_MAIL = timedelta(days=396)
CHALLENGES = timedelta(days=1)  # and the rows of their mails, which may name addresses of strangers


def forget_what_is_over() -> None:
    """Delete expired sessions, challenges and counters, and sign-in events and mails past their time."""
    now = timezone.now()
    SessionToken.objects.filter(expiry__lte=now).delete()
    LimitCounter.objects.filter(expires_at__lte=now).delete()
    LoginChallenge.objects.filter(expires_at__lte=now - CHALLENGES).delete()
    OutgoingMail.objects.filter(kind=login_code.KIND, expires_at__lte=now - CHALLENGES).delete()
    SignInEvent.objects.filter(at__lt=now - SIGN_IN_EVENTS).delete()
    OutgoingMail.objects.filter(created_at__lt=now - FINISHED_MAIL).exclude(
        state=OutgoingMail.State.PENDING
    ).delete()
