"""Django's handle on the sandbox."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """The only app of the sandbox's own Django project."""

    name = "billing.sandbox"
    label = "sandbox"
    default_auto_field = "django.db.models.BigAutoField"
