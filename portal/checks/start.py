"""The checks at the start of a server, a worker or a beat."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.checks import CheckMessage, Tags, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

from portal.checks.production import check_database_limits

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
    for message in [*messages, *_database_warnings()]:
        logger.warning("%s", message)


def _database_warnings() -> list[CheckMessage]:
    """Return what the database's limits lack; nothing while it is down, since the portal starts without it."""
    try:
        return check_database_limits(None, databases=["default"])
    except DatabaseError:
        return []
    finally:
        # Celery's pool is forked from this process, and a connection must not be shared.
        connection.close()
