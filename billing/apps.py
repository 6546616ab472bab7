"""The billing app: subscriptions, payments and invoices."""

from django.apps import AppConfig


class BillingConfig(AppConfig):
    """Connects billing's signal receivers, the mirror with its documents' serializers, and the first plans."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "billing"
    verbose_name = "Billing"

    def ready(self) -> None:
        """Connect the receivers and the renderer."""
        from django.db.models.signals import post_migrate

        from billing import receivers
        from billing.api.documents import render_documents
        from billing.first_plans import arrange_first_plans
        from billing.mirror import documents

        documents.register_renderer(render_documents)
        receivers.connect_receivers()
        post_migrate.connect(arrange_first_plans, sender=self, dispatch_uid="billing.first_plans")
