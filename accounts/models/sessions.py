"""The sessions of subscribers."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken


class SessionToken(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """A session on one device.

    Only the token's SHA-512 digest is stored; the token itself is returned once, at sign-in. `public_id` identifies
    the session to its subscriber and to operators, so that the digest is never shown.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    agent = models.CharField(max_length=200, blank=True)
    last_used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created"]
        indexes = [models.Index(fields=["expiry"], name="session_token_expiry")]

    def __str__(self) -> str:
        return f"session {self.public_id}"
