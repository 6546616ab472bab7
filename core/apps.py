"""The core app: what all other apps share."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Idempotent requests and limits."""

    name = "core"
    verbose_name = "Requests and limits"

    def ready(self) -> None:
        """Listen for the start and the end of this worker, before it forks."""
        from core import worker_shutdown, worker_standstill

        worker_shutdown.listen_for_shutdown()
        worker_standstill.listen_for_start()
