"""The one view of the API: authentication, limits, idempotency and transactions around an operation."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from functools import partial

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import QueryDict

from billing.sandbox import clock, events
from billing.sandbox.body import Body
from billing.sandbox.engine import due
from billing.sandbox.engine.lock import writing
from billing.sandbox.faults import journal, queue, requests
from billing.sandbox.wire import auth, form, idempotency, limits, router
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params

logger = logging.getLogger(__name__)


def api(request: HttpRequest, path: str) -> HttpResponse:
    """Answer one API request; every failure is the provider's JSON.

    Nobody reads the answer to a connection that was cut on purpose.
    """
    try:
        return _answer(request, "/" + path)
    except ApiError as error:
        return _json(error.body(), error.status, error.headers)
    except requests.ConnectionDropped:
        return HttpResponse(status=444)
    except Exception:
        logger.exception("%s %s failed", request.method, request.path)
        failure = ApiError(500, "internal_error", "Sorry, something went wrong", kind="operation_failed")
        return _json(failure.body(), 500)


def _answer(request: HttpRequest, path: str) -> HttpResponse:
    limits.count_request()
    auth.authenticate(request)
    operation, arguments = router.find(request.method or "", path)
    params = _params(request)
    silence = events.without_webhooks() if _asks_for_silence(request) else nullcontext()
    reads = request.method == "GET" and not operation.estimate
    if reads:
        carry_out = partial(_read, operation, arguments, params)
    else:
        carry_out = partial(_write, request, operation, arguments, params)
    with events.acting("api", auth.FULL_ACCESS_USER), silence:
        return requests.answer(request, path, carry_out, writes=not reads and not operation.estimate)


def _asks_for_silence(request: HttpRequest) -> bool:
    return request.headers.get("chargebee-event-webhook") == "all-disabled"


def _params(request: HttpRequest) -> Params:
    try:
        sent = request.GET if request.method == "GET" else QueryDict(request.body, encoding="utf-8")
    except (SuspiciousOperation, BadRequest, ValueError) as error:
        raise ApiError(400, "invalid_request", f"The body cannot be read: {error}") from None
    return Params(form.decode((name, str(value)) for name, value in sent.items()))


def _read(operation: router.Operation, arguments: dict[str, str], params: Params) -> HttpResponse:
    due.settle()
    with clock.at():
        return _json(operation.run(arguments, params), 200)


def _write(
    request: HttpRequest, operation: router.Operation, arguments: dict[str, str], params: Params
) -> HttpResponse:
    """Act once, alone, at one instant; an error undoes everything but what it says it keeps."""
    call = idempotency.IdempotentCall(request)
    with writing():
        due.settle()
        with clock.at():
            if not operation.estimate and (stored := call.stored_answer()):
                status, answer = stored
                return _json(answer, status, {idempotency.REPLAYED: "true"})
            status, answer = _attempt(operation, arguments, params)
            if not operation.estimate:
                call.store(status, answer)
    return _json(answer, status)


def order_faults(request: HttpRequest) -> HttpResponse:
    """The queue of faults: GET shows it, POST (form) orders one, DELETE forgets all. The API key guards it."""
    try:
        auth.authenticate(request)
        match request.method:
            case "POST":
                return _json({"fault": queue.order(_params(request)).body()}, 200)
            case "DELETE":
                queue.clear()
        return _json({"list": [{"fault": fault.body()} for fault in queue.waiting()]}, 200)
    except ApiError as error:
        return _json(error.body(), error.status, error.headers)


def struck(request: HttpRequest) -> HttpResponse:
    """The faults that struck last, the newest first, and what came after each. The API key guards it."""
    try:
        auth.authenticate(request)
    except ApiError as error:
        return _json(error.body(), error.status, error.headers)
    return _json({"list": [{"strike": strike.body()} for strike in journal.newest()]}, 200)


def _attempt(operation: router.Operation, arguments: dict[str, str], params: Params) -> tuple[int, Body]:
    kept: ApiError | None = None
    try:
        with transaction.atomic():
            try:
                answer = operation.run(arguments, params)
                transaction.set_rollback(operation.estimate)
                return 200, answer
            except ApiError as error:
                if not error.keeps:
                    raise
                kept = error
    except ApiError as error:
        kept = error
    return kept.status, kept.body()


def _json(answer: Body, status: int, headers: dict[str, str] | None = None) -> JsonResponse:
    return JsonResponse(answer, status=status, headers=headers)
