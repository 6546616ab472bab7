"""Idempotency keys: a POST repeated within the window gets the first answer and has no second effect."""

from __future__ import annotations

import hashlib
import json

from django.http import HttpRequest

from chargebee_sandbox import clock
from chargebee_sandbox.api.errors import ApiError, wrong_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import IdempotencyRecord

KEY_HEADER = "chargebee-idempotency-key"
REPLAYED_HEADER = "chargebee-idempotency-replayed"
WINDOW_SECONDS = 30 * 60
"""How long an answer is stored, in seconds of the site's clock."""


class IdempotentCall:
    """A POST with its idempotency key; without the header nothing is looked up or stored."""

    def __init__(self, request: HttpRequest) -> None:
        self.key = request.headers.get(KEY_HEADER, "")
        if len(self.key) > 100:
            raise wrong_value(KEY_HEADER, "can be up to 100 characters long")
        signature = f"{request.path}\n".encode() + request.body
        self._fingerprint = hashlib.sha256(signature).hexdigest()

    def stored_answer(self) -> tuple[int, Body] | None:
        """Return the status and body of the first answer, or None without one in the window.

        Raises: ApiError 422 if the key was used for a different request.
        """
        if not self.key:
            return None
        IdempotencyRecord.objects.filter(created_at__lte=clock.now_seconds() - WINDOW_SECONDS).delete()
        record = IdempotencyRecord.objects.filter(key=self.key).first()
        if record is None:
            return None
        if record.fingerprint != self._fingerprint:
            message = "The idempotency key provided has already been used for a different request"
            raise ApiError(422, "unable_to_process_request", message)
        return record.status, json.loads(record.answer)

    def store_answer(self, status: int, answer: Body) -> None:
        """Store the answer under the key."""
        if self.key:
            IdempotencyRecord.objects.create(
                key=self.key,
                fingerprint=self._fingerprint,
                status=status,
                answer=json.dumps(answer),
                created_at=clock.now_seconds(),
            )
