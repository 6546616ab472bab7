"""Answers hot reads ahead of REST framework and of most middleware, which take longer than the read.

Only what is certain is answered here: a plain GET of a fresh document, by an open session that needs no renewal.
Anything else passes, to the views of `billing.api`: they alone refuse, renew and rebuild.
"""

from __future__ import annotations

import re
from functools import cache

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.urls import ResolverMatch, resolve
from django.utils import timezone
from django.utils.http import quote_etag
from knox.crypto import hash_token

from accounts.sign_in.authentication import RENEWAL_INTERVAL
from billing.mirror.documents import find_document_of_session
from billing.models import AccountDocument
from core import fair_share

_KINDS: dict[str, str] = {
    "/api/account": AccountDocument.Kind.ACCOUNT,
    "/api/account/manage-plans": AccountDocument.Kind.PLANS,
    "/api/invoice/list": AccountDocument.Kind.INVOICES,
}
_ACCEPTED_TYPES = ("application/json", "*/*")
_AUTHORIZATION = re.compile(r"Bearer (\w{20,90})", re.ASCII)
# One tag, as the app sends it. A proxy that compresses makes a tag weak. Lists of tags are for the views.
_KNOWN_ETAG = re.compile(r'(?:(?:W/)?"(\w+)")?', re.ASCII)


def answer_hot_read(request: HttpRequest) -> HttpResponse | None:
    """Return the response to a hot read, or None if a view has to answer. Raises Throttled."""
    kind, token = _KINDS.get(request.path_info), _AUTHORIZATION.fullmatch(request.META.get("HTTP_AUTHORIZATION", ""))
    known = _KNOWN_ETAG.fullmatch(request.META.get("HTTP_IF_NONE_MATCH", ""))
    if kind is None or token is None or known is None or not _is_plain_get(request):
        return None
    now = timezone.now()
    found = find_document_of_session(
        hash_token(token[1]), kind, known_etag=known[1] or "", now=now, used_after=now - RENEWAL_INTERVAL
    )
    if found is None:
        return None
    fair_share.take_share(str(found.user_id), is_long=False)
    # For the log and the metrics.
    request.signed_in_user_id = found.user_id  # type: ignore[attr-defined]  # only the log reads it
    request.resolver_match = _resolve_route(request.path_info)
    headers = {"Allow": "GET, HEAD, OPTIONS", "ETag": quote_etag(found.etag)}
    if found.body is None:
        return HttpResponseNotModified(headers=headers)
    return HttpResponse(found.body, content_type="application/json", headers=headers)


def _is_plain_get(request: HttpRequest) -> bool:
    meta = request.META
    accepts_json = meta.get("HTTP_ACCEPT", "*/*") in _ACCEPTED_TYPES
    return request.method == "GET" and not meta.get("QUERY_STRING") and accepts_json


@cache
def _resolve_route(path: str) -> ResolverMatch:
    return resolve(path)
