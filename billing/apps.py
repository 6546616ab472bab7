"""The billing app: what a subscriber has and pays."""

from django.apps import AppConfig


class BillingConfig(AppConfig):
    """Registers billing's receivers for the hooks that accounts publishes."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "billing"
    verbose_name = "Billing"

    def ready(self) -> None:
        """Connect the receivers (import of an address the provider knows, refresh on sign-in)."""
        from billing import receivers

        receivers.connect()
