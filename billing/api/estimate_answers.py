"""Answers to estimates, kept for half a minute: asking for the same again costs the provider nothing.

An answer is found by its account, the content of the request, and the versions of what the mirror has of the account
and of the prices: a change of any of them asks anew. What the mirror does not know yet can make an answer outdated, but
not confirm it: a confirmation asks the provider itself and compares the quote (docs/rules.md, request-10).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_200_OK
from rest_framework.views import APIView

from accounts.models import Account
from accounts.sign_in.current_account import signed_in_account
from billing import clock
from billing.models import ContentVersion, Customer, PaymentSource, Subscription
from core.clock import database_now
from core.fair_share import may_take_long
from core.idempotency import RequestInProgress, answer_request_once, request_fingerprint
from core.models import IdempotentRequest

KEPT_SECONDS = 30
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
        forget_old = functools.partial(_forget_old_answers, account)
        content = [request_fingerprint(request), *_versions(account)]
        key = PREFIX + hashlib.sha256("\n".join(content).encode()).hexdigest()
        try:
            return answer_request_once(view, request, key, act, allow=forget_old, may_store=_is_estimate)
        except RequestInProgress:
            return act()

    return may_take_long(answer_estimate)


def forget_estimates(account: Account) -> None:
    """Ask the provider anew for the next estimate: the figures of one were outdated."""
    _kept_answers(account).delete()


def _is_estimate(response: Response) -> bool:
    return response.status_code == HTTP_200_OK


def _kept_answers(account: Account) -> Any:
    return IdempotentRequest.objects.filter(user_id=account.user_id, key__startswith=PREFIX)


def _forget_old_answers(account: Account) -> None:
    _kept_answers(account).filter(created_at__lt=database_now() - timedelta(seconds=KEPT_SECONDS)).delete()


def _versions(account: Account) -> Iterator[str]:
    """Yield what changes with the mirror of an account, with the prices, and with each half a minute."""
    yield str(int(clock.billing_now().timestamp()) // KEPT_SECONDS)
    yield str(ContentVersion.objects.values_list("version", flat=True).first())
    own = Q(customer__account=account)
    rows = [
        Customer.objects.filter(account=account),
        Subscription.objects.filter(own),
        PaymentSource.objects.filter(own),
    ]
    columns = ("provider_id", "resource_version", "deleted")
    first, *others = (row.values_list(*columns) for row in rows)
    for row in sorted(first.union(*others)):
        yield ":".join(map(str, row))
