"""The core app: what all other apps share."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Idempotent requests and limits."""

    name = "core"
    verbose_name = "Requests and limits"

    def ready(self) -> None:
        """Listen for the start and the end of this worker, before it forks."""
        from core.workers import shutdown, standstill

        shutdown.listen_for_shutdown()
        standstill.listen_for_start()
