"""Publishing messages without waiting for a broker that is known to be away."""

from __future__ import annotations

import time
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

# A message is a hint: the sweep finds what was not told. So only one caller in this time waits for a broker that does
# not answer, and not each message of each request.
AWAY_SECONDS = 5.0


class BrokerAway(OperationalError):
    """The broker did not take a message a moment ago, and is not asked again yet."""


class PatientCelery(Celery):
    """A Celery application that spares its callers the wait for a broker that was away a moment ago."""

    _away_until = 0.0

    def send_task(self, *args: Any, **options: Any) -> Any:
        """Publish a task's message. Raises `OperationalError` when the broker is away, or was a moment ago."""
        if time.monotonic() < self._away_until:
            raise BrokerAway
        try:
            return super().send_task(*args, **options)
        except OperationalError:
            self._away_until = time.monotonic() + AWAY_SECONDS
            raise
