"""`Idempotency-Key`: the same request with the same key acts once, with one response (docs/rules.md, "Requests").

The first request with a key claims it by lease, and its final response is stored; later ones get that response. A key
whose lease has expired, or whose response was not final, may be claimed again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.clock import database_now
from core.errors import InvalidInput, PortalError
from core.limits import Limit, consume_limits
from core.models import IdempotentRequest
from core.responses import VerbatimResponse

KEY_HEADER_NAME = "Idempotency-Key"
KEY_PARAMETER = OpenApiParameter(
    KEY_HEADER_NAME,
    {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[\\x21-\\x7e][\\x20-\\x7e]*$"},
    OpenApiParameter.HEADER,
    description="One per intent, at most 100 printable characters. The same request with the same key acts once.",
)
# Longer than a request can run.
CLAIM_LEASE = timedelta(seconds=60)
# A second request with the same key waits for the first one's response, so that a double click gets the same response.
MAX_WAIT_SECONDS = 10.0
POLL_SECONDS = 0.1

_KEY_PATTERN = re.compile(r"\A[\x20-\x7e]{1,100}\Z")
_EXPECTED_ERRORS = (PortalError, APIException, Http404, PermissionDenied)
# These statuses are about the form of the request, not the outcome of the change.
_UNSTORED_STATUSES = (406, 415)

ViewMethod = Callable[..., Response]


class IdempotencyKeyReused(PortalError):
    """The key was used with another request."""

    code = "idempotency_key_reused"
    status = 409
    message = "This request was already used for another change. Please start again."


@dataclass(frozen=True)
class FinalAnswer:
    """The final answer to a request: its HTTP status, and a body in values of JSON."""

    status: int
    body: Any


class RequestInProgress(PortalError):
    """The first request with this key is still being processed."""

    code = "change_in_progress"
    status = 409
    message = "Another change to your account is still in progress. Please try again in a moment."
    default_retry_after = 5


def idempotent_action(*, limit: Limit | None = None) -> Callable[[ViewMethod], ViewMethod]:
    """Let a view's method, which takes `key`, act once per key and signed-in user.

    The view's `key` is derived, never the client's own: that could equal the key of a job's command, or be used again
    for another change after its row was deleted. `limit` is per user; a key counts once however often it is repeated, a
    request without a key counts each time.
    Raises InvalidInput for a malformed key, IdempotencyKeyReused, RequestInProgress and Throttled.
    """

    def decorate(method: ViewMethod) -> ViewMethod:
        @functools.wraps(method)
        def answer_request(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
            act = functools.partial(_call_method, method, view, request, *args, **kwargs)
            allow = functools.partial(_count_use, _signed_in_user(request), limit)
            key = request.headers.get(KEY_HEADER_NAME)
            if key is not None:
                return answer_request_once(view, request, _validate_key(key), act, allow=allow)
            allow()
            return act(key=uuid.uuid4().hex)

        return answer_request

    return decorate


def _signed_in_user(request: Request) -> AbstractBaseUser:
    if not isinstance(request.user, AbstractBaseUser):
        raise NotAuthenticated
    return request.user


def _count_use(user: AbstractBaseUser, limit: Limit | None) -> None:
    if limit is not None:
        consume_limits((limit, str(user.pk)))


def _validate_key(key: str) -> str:
    if not _KEY_PATTERN.match(key):
        raise InvalidInput(fields={KEY_HEADER_NAME: ["A key has 1 to 100 printable characters."]})
    return key


def _call_method(method: ViewMethod, view: APIView, request: Request, *args: Any, key: str, **kwargs: Any) -> Response:
    # Parse the body even if the view does not use it, so that an unsupported media type is always refused.
    _ = request.data
    return method(view, request, *args, key=key, **kwargs)


def answer_request_once(
    view: APIView,
    request: Request,
    key: str,
    act: Callable[..., Response],
    *,
    allow: Callable[[], None] = lambda: None,
    may_store: Callable[[Response], bool] = lambda _: True,
) -> Response:
    """Return the response to a request with this key: that of the first one, as soon as there is a final one.

    `act` makes the response and gets a key of its own, as in `answer_once`; so does `allow`. A final response that
    `may_store` does not accept counts as not final. Raises as `answer_once`.
    """
    given: list[Response] = []

    def answer(own_key: str) -> FinalAnswer | None:
        given.append(_expected_answer(view, act, own_key))
        return _final_answer(request, given[0]) if may_store(given[0]) else None

    stored = answer_once(_signed_in_user(request), key, request_fingerprint(request), answer, allow=allow)
    return given[0] if stored is None or given else VerbatimResponse(stored.body, status=stored.status)


def answer_once(
    user: AbstractBaseUser,
    key: str,
    fingerprint: str,
    answer: Callable[[str], FinalAnswer | None],
    *,
    allow: Callable[[], None] = lambda: None,
) -> FinalAnswer | None:
    """Return the answer to a user's request with this key: that of the first one, as soon as there is a final one.

    `fingerprint` identifies what is asked. `answer` is called with a key of its own, which the request's changes may
    use, and returns None if its answer is not final: the request may then be repeated. `allow` is called if the key is
    new, and may raise. Raises IdempotencyKeyReused, RequestInProgress, and what the two raise.
    """
    row = _claim_or_wait(user, key, fingerprint, allow)
    if row.status is not None:
        return FinalAnswer(row.status, row.body)
    final = None
    try:
        final = answer(f"request-{row.pk}")
        if final is not None:
            row.finish(status=final.status, body=final.body)
    finally:
        if final is None:
            row.retry_later(timedelta(0))
    return final


def _claim_or_wait(user: AbstractBaseUser, key: str, fingerprint: str, allow: Callable[[], None]) -> IdempotentRequest:
    """Return the key's row: with its final response, or claimed by this request.

    `allow` is called if the key is new; if it raises, the key stays new.
    """
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while True:
        row, is_claimed = _claim_key(user, key, fingerprint, allow)
        if row.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        if is_claimed or row.status is not None:
            return row
        if time.monotonic() > deadline:
            raise RequestInProgress
        time.sleep(POLL_SECONDS)


def _claim_key(
    user: AbstractBaseUser, key: str, fingerprint: str, allow: Callable[[], None]
) -> tuple[IdempotentRequest, bool]:
    try:
        with transaction.atomic():
            row = IdempotentRequest.objects.create(
                user_id=user.pk,
                key=key,
                fingerprint=fingerprint,
                attempts=1,
                next_attempt_at=database_now() + CLAIM_LEASE,
            )
            # In the same transaction, so that the key is stored only if the request is allowed.
            allow()
            return row, True
    except IntegrityError:
        found = IdempotentRequest.objects.filter(user_id=user.pk, key=key).first()
    if found is None:
        # It was forgotten in between.
        return _claim_key(user, key, fingerprint, allow)
    return found, found.fingerprint == fingerprint and found.claim(CLAIM_LEASE)


def _expected_answer(view: APIView, act: Callable[..., Response], key: str) -> Response:
    try:
        return act(key=key)
    except _EXPECTED_ERRORS as error:
        return view.handle_exception(error)


def _final_answer(request: Request, response: Response) -> FinalAnswer | None:
    """Return a response as it is stored; None for one that is not final, such as one that asks to retry."""
    if response.status_code >= 500 or "Retry-After" in response or response.status_code in _UNSTORED_STATUSES:
        return None
    body = json.loads(request.accepted_renderer.render(response.data, renderer_context={"response": response}))
    return FinalAnswer(response.status_code, body)


def forget_requests(user_id: int, key_prefix: str, *, before: datetime | None = None) -> None:
    """Delete a user's requests whose keys begin with this, all or those from before a time (UTC): they act anew."""
    rows = IdempotentRequest.objects.filter(user_id=user_id, key__startswith=key_prefix)
    (rows if before is None else rows.filter(created_at__lt=before)).delete()


def request_fingerprint(request: Request) -> str:
    """Return a digest of method, path, query and body."""
    parts = (request.method or "", request.path, request.META.get("QUERY_STRING", ""))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape") + b"\0" + request.body).hexdigest()
