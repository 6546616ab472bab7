"""The tables that all apps share: requests with an `Idempotency-Key`, and the counters of rate limits."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.workers.leases import Leased, LeaseQuerySet


class IdempotentRequest(Leased):
    """A request with an `Idempotency-Key`, and its final response once there is one; kept for 24 hours."""

    UNFINISHED = Q(status__isnull=True)

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="idempotent_requests")
    key = models.CharField(max_length=100)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of method, path, query and body.")
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Empty until the answer is final.")
    body = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    objects = LeaseQuerySet["IdempotentRequest"].as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_request_per_key")]

    def __str__(self) -> str:
        return self.key


class LimitCounter(models.Model):
    """The recent uses of a limit by a subject; `key` names both."""

    key = models.CharField(max_length=320, primary_key=True)
    uses = models.JSONField(default=list, db_default=[], help_text="When, in seconds since 1970, the oldest first.")
    count = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
