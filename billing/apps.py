"""The billing app: subscriptions, payments and invoices."""

from django.apps import AppConfig


class BillingConfig(AppConfig):
    """Connects billing's signal receivers."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "billing"
    verbose_name = "Billing"

    def ready(self) -> None:
        """Connect the receivers."""
        from billing import receivers

        receivers.connect_receivers()
