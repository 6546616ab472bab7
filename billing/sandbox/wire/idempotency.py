"""The idempotency header: the same POST sent again within the window gets its first answer and acts once."""

from __future__ import annotations

import hashlib
import json

from django.http import HttpRequest

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.models import IdempotencyRecord
from billing.sandbox.wire.errors import ApiError, wrong_value

HEADER = "chargebee-idempotency-key"
REPLAYED = "chargebee-idempotency-replayed"
WINDOW = 30 * 60
"""Seconds of the site's clock for which an answer is kept."""


class IdempotentCall:
    """One POST under its key; without the header everything here does nothing."""

    def __init__(self, request: HttpRequest) -> None:
        self.key = request.headers.get(HEADER, "")
        if len(self.key) > 100:
            raise wrong_value(HEADER, "can be up to 100 characters long")
        described = f"{request.path}\n".encode() + request.body
        self._fingerprint = hashlib.sha256(described).hexdigest()

    def stored_answer(self) -> tuple[int, Body] | None:
        """The first answer, if there was one within the window.

        Raises: ApiError 422 where the key was used for another request.
        """
        if not self.key:
            return None
        IdempotencyRecord.objects.filter(created_at__lte=clock.now() - WINDOW).delete()
        record = IdempotencyRecord.objects.filter(key=self.key).first()
        if record is None:
            return None
        if record.fingerprint != self._fingerprint:
            message = "The idempotency key provided has already been used for a different request"
            raise ApiError(422, "unable_to_process_request", message)
        return record.status, json.loads(record.answer)

    def store(self, status: int, answer: Body) -> None:
        """Keep the answer under the key."""
        if self.key:
            IdempotencyRecord.objects.create(
                key=self.key,
                fingerprint=self._fingerprint,
                status=status,
                answer=json.dumps(answer),
                created_at=clock.now(),
            )
