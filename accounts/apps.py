"""The accounts application: who you are, and what every application shares about an account."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Names the application and registers how its bearer token is described in the OpenAPI document."""

    name = "accounts"
    verbose_name = "Accounts and sign-in"

    def ready(self) -> None:
        """Register the OpenAPI extension, once the models it stands on are there."""
        from accounts.api import schema  # noqa: F401
