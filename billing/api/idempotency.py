"""`Idempotency-Key`: the same change with the same key acts once and is answered alike (contract, section 2)."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import uuid
from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.limits import Limit
from accounts.models import Account
from accounts.once import HEADER, KEY_HEADER
from accounts.subscriber import account_of
from billing.api import allowances
from billing.api.verbatim import Verbatim
from billing.services import idempotency
from portal.errors import InvalidInput, PortalError

__all__ = ["KEY_HEADER", "acts_once", "acts_once_within"]

_KEY = re.compile(r"\A[\x20-\x7e]{1,100}\Z")
_EXPECTED = (PortalError, APIException, Http404, PermissionDenied)
# These say how the request was sent, not what became of the change.
_ABOUT_THE_REQUEST = (406, 415)

Method = Callable[..., Response]


def acts_once(method: Method) -> Method:
    """Let a viewset's method, which takes `key`, act once per key and account.

    The key is the client's, or a fresh one when it sends none. Raises InvalidInput for a malformed key,
    IdempotencyKeyReused when it came with another request, ChangeInProgress while that request is at work.
    """
    return _acting_once(method, limit=None)


def acts_once_within(limit: Limit) -> Callable[[Method], Method]:
    """Let a viewset's method act once as `acts_once` does, and an account so only as often as a limit allows.

    An intent counts once, however often it is asked with its key how it ended; without a key each request counts.
    Raises `limits.Throttled` too.
    """
    return functools.partial(_acting_once, limit=limit)


def _acting_once(method: Method, *, limit: Limit | None) -> Method:
    @functools.wraps(method)
    def answer(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
        act = functools.partial(_act, method, view, request, *args, **kwargs)
        allow = functools.partial(_allow, account_of(request), limit)
        given = request.headers.get(HEADER)
        if given is not None:
            return _once(view, request, _checked(given), act, allow)
        allow()
        return act(key=uuid.uuid4().hex)

    return answer


def _allow(account: Account, limit: Limit | None) -> None:
    if limit is not None:
        allowances.take(limit, account)


def _checked(key: str) -> str:
    if not _KEY.match(key):
        raise InvalidInput(fields={HEADER: ["A key has 1 to 100 printable characters."]})
    return key


def _act(method: Method, view: APIView, request: Request, *args: Any, key: str, **kwargs: Any) -> Response:
    # Read here even where nothing is taken from it, so that a body of another type is always refused.
    _ = request.data
    return method(view, request, *args, key=key, **kwargs)


def _once(
    view: APIView, request: Request, key: str, act: Callable[..., Response], allow: Callable[[], None]
) -> Response:
    account, fingerprint = account_of(request), _fingerprint(request)
    begun = idempotency.begin(account, key, fingerprint, allow=allow)
    if isinstance(begun, idempotency.Replay):
        return Verbatim(begun.body, status=begun.status)
    kept = False
    try:
        response = _expected_answer(view, act, begun.command_key)
        kept = _keep(account, key, request, response)
    finally:
        if not kept:
            idempotency.abandon(account, key)
    return response


def _expected_answer(view: APIView, act: Callable[..., Response], key: str) -> Response:
    try:
        return act(key=key)
    except _EXPECTED as error:
        return view.handle_exception(error)


def _keep(account: Account, key: str, request: Request, response: Response) -> bool:
    """Keep an answer that is final: one that asks to try again, or that was cut short, is not."""
    if response.status_code >= 500 or "Retry-After" in response or response.status_code in _ABOUT_THE_REQUEST:
        return False
    body = json.loads(
        request.accepted_renderer.render(response.data, renderer_context={"response": response})
    )
    idempotency.finish(account, key, response.status_code, body)
    return True


def _fingerprint(request: Request) -> str:
    """Return what makes two requests the same one: method, path, query and body."""
    parts = (request.method or "", request.path, request.META.get("QUERY_STRING", ""))
    return hashlib.sha256(
        "\0".join(parts).encode("utf-8", "surrogateescape") + b"\0" + request.body
    ).hexdigest()
