"""The checks at the start of a server, a worker or a beat."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.checks import Tags, run_checks
from django.core.exceptions import ImproperlyConfigured

logger = logging.getLogger(__name__)


def refuse_to_start_unsafely() -> None:
    """Run the security checks in production and log their warnings. Raises `ImproperlyConfigured`.

    Management commands run the checks by themselves; a server does not.
    """
    if not settings.PRODUCTION:
        return
    messages = run_checks(tags=[Tags.security])
    errors = [message for message in messages if message.is_serious()]
    if errors:
        raise ImproperlyConfigured("\n".join(str(error) for error in errors))
    for message in messages:
        logger.warning("%s", message)
