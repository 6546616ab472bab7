"""Serving a hot read: finished bytes, no serializer and no renderer (decision 1)."""

from django.http import HttpResponse

from accounts.models import Account
from billing.services import documents


def document_response(account: Account, kind: str) -> HttpResponse:
    """Return a stored document as it is; one query."""
    return HttpResponse(documents.read(account, kind), content_type="application/json")
