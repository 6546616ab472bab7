"""The billing history and invoice PDFs."""

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

from accounts.sign_in.current_account import signed_in_account_or_none
from billing.api.documents import ETAG_PARAMETER, NOT_MODIFIED, document_response
from billing.api.serializers.invoices import DownloadSerializer, InvoiceRowSerializer
from billing.api.serializers.requests import PageQuery
from billing.api.viewsets.base import SubscriberViewSet
from billing.invoices import pdf_files
from billing.mirror import documents


class InvoiceViewSet(SubscriberViewSet):
    """The invoices, and links to their PDFs."""

    @extend_schema(
        operation_id="invoice_list",
        tags=["invoices"],
        parameters=[PageQuery, ETAG_PARAMETER],
        responses={200: InvoiceRowSerializer(many=True), 304: NOT_MODIFIED},
    )
    def list_invoices(self, request: Request) -> HttpResponse:
        """Return the invoices, newest first, or the slice that `limit` and `offset` select."""
        # The app asks for all of them; validating an empty query costs more than reading the document.
        page = self.validate_input(PageQuery, request.query_params) if request.query_params else {}
        if not page:
            return document_response(request, self.account, "invoices")
        rows: list[Any] = json.loads(documents.read_document(self.account, "invoices").body)
        start = page.get("offset", 0)
        return Response(rows[start : start + page.get("limit", len(rows))])

    @extend_schema(operation_id="invoice_pdf", tags=["invoices"], responses=DownloadSerializer)
    def link_pdf(self, request: Request, number: str) -> Response:
        """Return a link to the PDF; 503 `invoice_not_ready` with `Retry-After` while it is rendered."""
        return _link_response(pdf_files.invoice_token(self.account, number))

    @extend_schema(operation_id="credit_note_pdf", tags=["invoices"], responses=DownloadSerializer)
    def link_credit_note(self, request: Request, number: str) -> Response:
        """Return a link to a credit note's PDF; 503 `invoice_not_ready` with `Retry-After` while it is rendered."""
        return _link_response(pdf_files.credit_note_token(self.account, number))

    @extend_schema(operation_id="invoice_statement", tags=["invoices"], responses=DownloadSerializer)
    def link_statement(self, request: Request, year: int) -> Response:
        """Return a link to the statement of a year; 503 `invoice_not_ready` with `Retry-After` while it is rendered."""
        return _link_response(pdf_files.statement_token(self.account, year))


def _link_response(token: str) -> Response:
    return Response({"download_url": reverse("invoice-download", kwargs={"token": token})})


class AnyAccept(BaseContentNegotiation):
    """Ignores the `Accept` header, so that any browser can download the file."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer, which is used for errors only."""
        return renderers[0], renderers[0].media_type


class InvoiceDownloadViewSet(ViewSet):
    """The PDF behind a signed link, which authorizes the download for a few minutes.

    A browser follows it without a session token. With one, the file must belong to that account.
    """

    permission_classes = (AllowAny,)
    content_negotiation_class = AnyAccept

    def perform_authentication(self, request: Request) -> None:
        """Authenticate if a token is sent; an expired one is ignored."""
        with contextlib.suppress(AuthenticationFailed):
            super().perform_authentication(request)

    @extend_schema(
        operation_id="invoice_download",
        tags=["invoices"],
        auth=[],
        responses={(200, "application/pdf"): OpenApiTypes.BINARY},
    )
    def download_pdf(self, request: Request, token: str) -> FileResponse:
        """Return the file; 404 for an altered, expired or outdated link, or one of another account."""
        pdf = pdf_files.open_signed_pdf(token, reader=signed_in_account_or_none(request))
        response = FileResponse(pdf.file, as_attachment=True, filename=pdf.name, content_type="application/pdf")
        response["Referrer-Policy"] = "no-referrer"  # the URL is the permission
        return response
