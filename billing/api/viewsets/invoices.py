"""The billing history and its PDFs."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from django.http import FileResponse, HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from accounts.subscriber import account_if_any
from billing.api.documents import document_response
from billing.api.serializers.invoices import DownloadSerializer, InvoiceRowSerializer
from billing.api.serializers.requests import PageQuery
from billing.api.viewsets.base import SubscriberViewSet
from billing.services import documents, invoices


class InvoiceViewSet(SubscriberViewSet):
    """What was billed, and the way to each invoice's PDF."""

    @extend_schema(
        operation_id="invoice_list",
        tags=["invoices"],
        parameters=[PageQuery],
        responses=InvoiceRowSerializer(many=True),
    )
    def history(self, request: Request) -> HttpResponse:
        """Answer with the invoices, newest first; `limit` and `offset` give a slice of them."""
        # The app asks for all of them; looking through no parameters costs more than the document does.
        page = self.checked(PageQuery, request.query_params) if request.query_params else {}
        if not page:
            return document_response(self.account, "invoices")
        rows: list[Any] = json.loads(documents.read(self.account, "invoices"))
        start = page.get("offset", 0)
        return Response(rows[start : start + page.get("limit", len(rows))])

    @extend_schema(operation_id="invoice_pdf", tags=["invoices"], responses=DownloadSerializer)
    def pdf(self, request: Request, number: str) -> Response:
        """Answer with a link to the PDF; 503 `invoice_not_ready` with `Retry-After` while it is being made."""
        token = invoices.signed_download(self.account, number)
        return Response({"download_url": reverse("invoice-download", kwargs={"token": token})})


class AnyAccept(BaseContentNegotiation):
    """Lets a browser ask for a file with whatever `Accept` it has."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer, which renders errors only."""
        return renderers[0], renderers[0].media_type


class InvoiceDownloadViewSet(ViewSet):
    """The PDF behind a signed link: the link is the permission, and lasts for minutes.

    A browser follows it without a token. Whoever sends one all the same gets no file of another account.
    """

    permission_classes = (AllowAny,)
    content_negotiation_class = AnyAccept

    def perform_authentication(self, request: Request) -> None:
        """Learn who asks, if that is told; a token that is no longer good hinders nobody."""
        with contextlib.suppress(AuthenticationFailed):
            super().perform_authentication(request)

    @extend_schema(
        operation_id="invoice_download",
        tags=["invoices"],
        auth=[],
        responses={(200, "application/pdf"): OpenApiTypes.BINARY},
    )
    def download(self, request: Request, token: str) -> FileResponse:
        """Answer with the file; an altered, expired or outdated link, or another account's, is not found."""
        response = FileResponse(
            invoices.open_signed(token, reader=account_if_any(request)),
            as_attachment=True,
            filename="invoice.pdf",
            content_type="application/pdf",
        )
        response["Referrer-Policy"] = "no-referrer"  # the address is the permission
        return response
