"""A Celery application that fails fast while the broker is down."""

from __future__ import annotations

import time
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

# A message is a hint, and the sweep finds the rows whose message was lost. So within this time only one caller waits
# for a broker that does not respond, instead of every request.
UNAVAILABLE_SECONDS = 5.0


class BrokerUnavailable(OperationalError):
    """The broker failed recently and is not tried again yet."""


class FailFastCelery(Celery):
    """A Celery application that does not try to publish for a while after the broker failed."""

    _unavailable_until = 0.0

    def send_task(self, *args: Any, **options: Any) -> Any:
        """Publish a task's message. Raises `OperationalError` if the broker is down or failed recently."""
        if time.monotonic() < self._unavailable_until:
            raise BrokerUnavailable
        try:
            return super().send_task(*args, **options)
        except OperationalError:
            self._unavailable_until = time.monotonic() + UNAVAILABLE_SECONDS
            raise
