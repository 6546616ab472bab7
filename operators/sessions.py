"""When an operator's session ends for good, however busy it is (settings: after half an hour without a request)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

LONGEST_SESSION = timedelta(hours=12)
SIGNED_IN_AT = "signed_in_at"


@receiver(user_logged_in)
def remember_sign_in(request: HttpRequest, **_: Any) -> None:
    """Store when the session began, in seconds since 1970."""
    request.session[SIGNED_IN_AT] = timezone.now().timestamp()


def end_old_session(request: HttpRequest) -> None:
    """Sign the operator out if they signed in too long ago."""
    latest = timezone.now() - LONGEST_SESSION
    if request.user.is_authenticated and request.session.get(SIGNED_IN_AT, 0) <= latest.timestamp():
        logout(request)
