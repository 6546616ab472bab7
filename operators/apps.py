"""The operators application and the admin's configuration."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class OperatorsConfig(AppConfig):
    """Configures the application."""

    name = "operators"
    default = True
    verbose_name = "Operators"

    def ready(self) -> None:
        """Register the OpenAPI extension."""
        from operators import schema  # noqa: F401


class OperatorsAdminConfig(admin.AdminConfig):
    """Configures Django's admin with the site that requires a second factor."""

    default = False
    default_site = "operators.site.OperatorsSite"
