"""Answers to estimates, kept for half a minute: asking for the same again costs the provider nothing.

An answer is found by its account, the content of the request, and the versions of what the mirror has of the account
and of the prices: a change of any of them asks anew. What the mirror does not know yet can make an answer outdated, but
not confirm it: a confirmation asks the provider itself and compares the quote (docs/rules.md, request-10).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_200_OK
from rest_framework.views import APIView

from accounts.models import Account
from accounts.sign_in.current_account import signed_in_account
from billing import clock
from billing.queries.record_versions import record_versions
from core.clock import database_now
from core.fair_share import may_take_long
from core.idempotency import RequestInProgress, answer_request_once, forget_requests, request_fingerprint

KEPT_FOR = timedelta(seconds=30)
# No client's key begins like this: it is not printable.
PREFIX = "\x1aestimate:"

ViewMethod = Callable[..., Response]


def estimate_action(method: ViewMethod) -> ViewMethod:
    """Let a view's method answer the same estimate from the provider once in half a minute.

    Requests that come while the first one is being answered wait for its answer. Errors are not kept.
    """

    @functools.wraps(method)
    def answer_estimate(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
        def act(key: str = "") -> Response:
            return method(view, request, *args, **kwargs)

        account = signed_in_account(request)
        forget_requests(account.user_id, PREFIX, before=database_now() - KEPT_FOR)
        key = _answer_key(request, account)
        try:
            response = answer_request_once(view, request, key, act, may_store=_is_estimate)
        except RequestInProgress:
            return act()
        if not _is_estimate(response):
            forget_requests(account.user_id, key)
        return response

    return may_take_long(answer_estimate)


def forget_estimates(account: Account) -> None:
    """Ask the provider anew for the next estimate: the figures of one were outdated."""
    forget_requests(account.user_id, PREFIX)


def _is_estimate(response: Response) -> bool:
    return response.status_code == HTTP_200_OK


def _answer_key(request: Request, account: Account) -> str:
    """Return a key that changes with the request, the account's records, the prices, and each time travel."""
    content = [request_fingerprint(request), str(clock.clock_offset()), *record_versions(account)]
    return PREFIX + hashlib.sha256("\n".join(content).encode()).hexdigest()
