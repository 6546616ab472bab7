"""The billing app: subscriptions, payments and invoices."""

from django.apps import AppConfig


class BillingConfig(AppConfig):
    """Connects billing's signal receivers, and the mirror with the serializers of its documents."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "billing"
    verbose_name = "Billing"

    def ready(self) -> None:
        """Connect the receivers and the renderer."""
        from billing import receivers
        from billing.api.documents import render_documents
        from billing.mirror import documents

        documents.register_renderer(render_documents)
        receivers.connect_receivers()
