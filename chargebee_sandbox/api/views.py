"""The API's view: authentication, request limit, idempotency, and transaction around an operation."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from functools import partial

from django.core.exceptions import BadRequest, SuspiciousOperation, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import QueryDict

from chargebee_sandbox import clock, event_log, site_settings
from chargebee_sandbox.api import auth, customer_locks, form_encoding, idempotency, request_limit, router
from chargebee_sandbox.api.errors import ApiError, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.faults import fault_queue, request_faults, strike_log
from chargebee_sandbox.site_settings import SiteSettings

logger = logging.getLogger(__name__)


def handle_api_request(request: HttpRequest, path: str) -> HttpResponse:
    """Answer an API request; every failure is an error body in the provider's shape."""
    try:
        return _answer_request(request, "/" + path)
    except ApiError as error:
        return _json_response(error.as_body(), error.status, error.headers)
    except request_faults.ConnectionDropped:
        # A fault closed the connection: nobody reads this answer.
        return HttpResponse(status=444)
    except Exception:
        logger.exception("%s %s failed", request.method, request.path)
        failure = ApiError(500, "internal_error", "Sorry, something went wrong", kind="operation_failed")
        return _json_response(failure.as_body(), 500)


def _answer_request(request: HttpRequest, path: str) -> HttpResponse:
    request_limit.count_request()
    auth.authenticate_request(request)
    operation, arguments = router.find_operation(request.method or "", path)
    params = _read_params(request)
    webhooks = event_log.without_webhooks() if _disables_webhooks(request) else nullcontext()
    if operation.is_write or operation.estimate:
        carry_out = partial(_run_write, request, operation, arguments, params)
    else:
        carry_out = partial(_run_read, operation, arguments, params)
    with event_log.act_as("api", auth.FULL_ACCESS_USER), webhooks:
        return request_faults.answer_request(request, path, carry_out, writes=operation.is_write)


def _disables_webhooks(request: HttpRequest) -> bool:
    return request.headers.get("chargebee-event-webhook") == "all-disabled"


def _read_params(request: HttpRequest) -> Params:
    try:
        sent = request.GET if request.method == "GET" else QueryDict(request.body, encoding="utf-8")
    except (SuspiciousOperation, BadRequest, ValueError) as error:
        raise ApiError(400, "invalid_request", f"The body cannot be read: {error}") from None
    return Params(form_encoding.decode_form((name, str(value)) for name, value in sent.items()))


def _run_read(operation: router.Operation, arguments: dict[str, str], params: Params) -> HttpResponse:
    due_work.run_due_work()
    with clock.hold_time():
        return _json_response(operation.run_operation(arguments, params), 200)


def _run_write(
    request: HttpRequest, operation: router.Operation, arguments: dict[str, str], params: Params
) -> HttpResponse:
    """Run a write or an estimate once, under the write lock, with the clock held.

    An error rolls back, except one with ``keeps``.
    """
    call = idempotency.IdempotentCall(request)
    locking = customer_locks.hold_customer(operation.path, arguments, params) if operation.is_write else nullcontext()
    with locking, request_faults.delay_write(), hold_write_lock():
        due_work.run_due_work()
        with clock.hold_time():
            if operation.is_write and (stored := call.stored_answer()):
                status, answer = stored
                return _json_response(answer, status, {idempotency.REPLAYED_HEADER: "true"})
            status, answer = _attempt_operation(operation, arguments, params)
            if operation.is_write:
                call.store_answer(status, answer)
    return _json_response(answer, status)


def handle_faults(request: HttpRequest) -> HttpResponse:
    """Serve the fault queue: GET lists it, POST (form) adds a fault, DELETE clears it. Needs the API key."""
    try:
        auth.authenticate_request(request)
        match request.method:
            case "POST":
                return _json_response({"fault": fault_queue.order_fault(_read_params(request)).as_body()}, 200)
            case "DELETE":
                fault_queue.clear_faults()
        return _json_response({"list": [{"fault": fault.as_body()} for fault in fault_queue.waiting_faults()]}, 200)
    except ApiError as error:
        return _json_response(error.as_body(), error.status, error.headers)


def handle_site_settings(request: HttpRequest) -> HttpResponse:
    """Serve the site's settings: GET reads them, POST (form) changes some, DELETE resets all. Needs the API key."""
    try:
        auth.authenticate_request(request)
        with hold_write_lock():
            match request.method:
                case "POST":
                    site = _change_settings(_read_params(request))
                case "DELETE":
                    site = site_settings.reset_settings()
                case _:
                    site = site_settings.load_settings()
        values = {name: getattr(site, name) for name in site_settings.SETTING_NAMES}
        return _json_response({"site_settings": values}, 200)
    except ApiError as error:
        return _json_response(error.as_body(), error.status, error.headers)


def _change_settings(params: Params) -> SiteSettings:
    try:
        return site_settings.change_settings({name: str(value) for name, value in params.values.items()})
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise wrong_value(name, " ".join(messages)) from None


def list_strikes(request: HttpRequest) -> HttpResponse:
    """List the latest strikes, newest first, each with its sequels. Needs the API key."""
    try:
        auth.authenticate_request(request)
    except ApiError as error:
        return _json_response(error.as_body(), error.status, error.headers)
    return _json_response({"list": [{"strike": strike.as_body()} for strike in strike_log.recent_strikes()]}, 200)


def _attempt_operation(operation: router.Operation, arguments: dict[str, str], params: Params) -> tuple[int, Body]:
    try:
        with transaction.atomic():
            try:
                answer = operation.run_operation(arguments, params)
                transaction.set_rollback(operation.estimate)
                return 200, answer
            except ApiError as error:
                if not error.keeps:
                    raise
                refusal = error
    except ApiError as error:
        refusal = error
    return refusal.status, refusal.as_body()


def _json_response(answer: Body, status: int, headers: dict[str, str] | None = None) -> JsonResponse:
    return JsonResponse(answer, status=status, headers=headers)
