"""The sandbox's Django app."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """The only app of the sandbox's Django project; its label names the tables and the template folder."""

    name = "chargebee_sandbox"
    label = "sandbox"
    default_auto_field = "django.db.models.BigAutoField"
