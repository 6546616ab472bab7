"""Responses of hot reads: JSON that its serializer rendered when the mirror changed (decision 1)."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.encoding import force_str
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from accounts.models import Account
from billing.api.serializers.invoices import InvoiceRowSerializer
from billing.api.serializers.plans import AccountSerializer, ManagePlansSerializer
from billing.mirror import documents
from billing.models import AccountDocument
from billing.queries.documents import document_answers

_SERIALIZERS: Mapping[str, BaseSerializer[Any]] = {
    AccountDocument.Kind.ACCOUNT: AccountSerializer(),
    AccountDocument.Kind.PLANS: ManagePlansSerializer(),
    AccountDocument.Kind.INVOICES: InvoiceRowSerializer(many=True),
}


def document_response(account: Account, kind: str) -> HttpResponse:
    """Return a stored document of an account. One query."""
    return HttpResponse(documents.read_document(account, kind), content_type="application/json")


def render_documents(account: Account) -> dict[str, str]:
    """Return the JSON texts of an account's hot reads by `AccountDocument.Kind`."""
    renderer = APIView.renderer_classes[0]()
    return {
        kind: force_str(renderer.render(_SERIALIZERS[kind].to_representation(answer)))
        for kind, answer in document_answers(account).items()
    }
