"""Celery tasks of operators."""

from __future__ import annotations

from axes.models import AccessAttempt
from celery import shared_task
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone


@shared_task
def forget() -> None:
    """Delete expired admin sessions, and failed sign-ins that no longer count."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    AccessAttempt.objects.filter(attempt_time__lte=now - settings.AXES_COOLOFF_TIME).delete()
