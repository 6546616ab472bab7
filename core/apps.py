"""The core app: what all other apps share."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Idempotent requests and limits."""

    name = "core"
    verbose_name = "Requests and limits"

    def ready(self) -> None:
        """Listen for connections to the database, and for the start and end of this worker, before it forks."""
        from core import prepared_sql
        from core.workers import shutdown, standstill

        prepared_sql.listen_for_connections()
        shutdown.listen_for_shutdown()
        standstill.listen_for_start()
