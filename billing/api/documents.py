"""Responses of hot reads: JSON that its serializer rendered when the mirror changed (decision 1)."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_str
from django.utils.http import quote_etag
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
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


# How the OpenAPI document describes a conditional read.
ETAG_PARAMETER = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The `ETag` of a response that the client has kept. The answer is 304 while nothing has changed.",
)
NOT_MODIFIED = OpenApiResponse(description="The response that the client has kept is still true.")


def document_response(request: HttpRequest, account: Account, kind: str) -> HttpResponse:
    """Return a stored document of an account, or 304 if `If-None-Match` names its tag. One query."""
    document = documents.read_document(account, kind)
    etag = quote_etag(document.etag)
    response = HttpResponse(document.body, content_type="application/json", headers={"ETag": etag})
    conditional: HttpResponse | None = get_conditional_response(request, etag=etag, response=response)
    return conditional or response


def render_documents(account: Account) -> dict[str, str]:
    """Return the JSON texts of an account's hot reads by `AccountDocument.Kind`."""
    renderer = APIView.renderer_classes[0]()
    return {
        kind: force_str(renderer.render(_SERIALIZERS[kind].to_representation(answer)))
        for kind, answer in document_answers(account).items()
    }
