"""Celery tasks of operators."""

from __future__ import annotations

from axes.models import AccessAttempt
from celery import shared_task
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from operators.account_views import delete_old_views


@shared_task
def forget() -> None:
    """Delete expired admin sessions and views of accounts, and failed sign-ins that no longer count."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    delete_old_views()
    AccessAttempt.objects.filter(attempt_time__lte=now - settings.AXES_COOLOFF_TIME).delete()
