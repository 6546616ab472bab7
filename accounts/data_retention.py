"""How long sign-in data and mails are kept (docs/rules.md, rule 17)."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.models import LoginChallenge, OutgoingMail, SessionToken, SignInEvent
from accounts.sign_in import login_code_mail
from core.models import LimitCounter

SIGN_IN_EVENT_RETENTION = timedelta(days=396)  # thirteen months at most
FINISHED_MAIL_RETENTION = timedelta(days=396)
CHALLENGE_RETENTION = timedelta(days=1)  # also of their mails, which may contain addresses that have no account


def delete_expired_data() -> None:
    """Delete expired sessions, challenges and limit counters, and old sign-in events and mails."""
    now = timezone.now()
    SessionToken.objects.filter(expiry__lte=now).delete()
    LimitCounter.objects.filter(expires_at__lte=now).delete()
    LoginChallenge.objects.filter(expires_at__lte=now - CHALLENGE_RETENTION).delete()
    OutgoingMail.objects.filter(kind=login_code_mail.MAIL_KIND, expires_at__lte=now - CHALLENGE_RETENTION).delete()
    SignInEvent.objects.filter(at__lt=now - SIGN_IN_EVENT_RETENTION).delete()
    finished = OutgoingMail.objects.exclude(state=OutgoingMail.State.PENDING)
    finished.filter(created_at__lt=now - FINISHED_MAIL_RETENTION, event=None).delete()
    finished.filter(created_at__lt=now - timedelta(days=settings.RECEIPT_RETENTION_DAYS)).delete()
