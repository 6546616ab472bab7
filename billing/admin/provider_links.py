"""Links to records at the provider: in its web interface, or in the sandbox's console."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from billing.models import CreditNote, Customer, Invoice, PaymentSource, Subscription, Transaction

PROVIDER_DOMAIN = "chargebee.com"
# The folders of the provider's web interface. It shows payment methods on the customer's page.
_FOLDERS = {
    Customer: "customers",
    Subscription: "subscriptions",
    Invoice: "invoices",
    CreditNote: "credit_notes",
    Transaction: "transactions",
}

IN_PROVIDER = "In Chargebee"

ProviderRecord = Customer | Subscription | Invoice | CreditNote | PaymentSource | Transaction


def provider_url(record: ProviderRecord) -> str:
    """Return the address of a record at the provider; in the sandbox, that of its customer's page."""
    customer = record if isinstance(record, Customer) else record.customer
    endpoint = urlsplit(settings.CHARGEBEE_ENDPOINT)
    if settings.CHARGEBEE_ENDPOINT and not (endpoint.hostname or "").endswith(PROVIDER_DOMAIN):
        return f"{endpoint.scheme}://{endpoint.netloc}/customers/{quote(customer.provider_id, safe='')}"
    site = endpoint.netloc or f"{settings.CHARGEBEE_SITE}.{PROVIDER_DOMAIN}"
    shown = record if type(record) in _FOLDERS else customer
    return f"https://{site}/d/{_FOLDERS[type(shown)]}/{quote(shown.provider_id, safe='')}"


def provider_link(record: ProviderRecord) -> SafeString:
    """Return a link to a record at the provider."""
    return format_html('<a class="quiet small" href="{}">{}</a>', provider_url(record), IN_PROVIDER)
