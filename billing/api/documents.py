"""Responses of hot reads: the stored JSON, without serializer and renderer (decision 1)."""

from django.http import HttpResponse

from accounts.models import Account
from billing.mirror import documents


def document_response(account: Account, kind: str) -> HttpResponse:
    """Return a stored document of an account. One query."""
    return HttpResponse(documents.read_document(account, kind), content_type="application/json")
