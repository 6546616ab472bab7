"""The core app: what all other apps share."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Idempotent requests and limits."""

    name = "core"
    verbose_name = "Requests and limits"
