"""One account's share of a process of the web server, so that nobody can slow everybody.

Threads and processor time belong to a process, so each process counts in memory: a count that all share could leave the
threads of one process to one account, and would cost a read as much as the read itself. What all processes share, the
provider's requests, is counted in the database (`core.limits`).

- A request that may take long, because it asks the provider or collects much, holds a thread for that long. An account
  may hold half of the threads of a process with such requests, half of which wait for the others.
- Each account may begin so many requests a second, and many at once after a rest.

A refusal is remembered for as long as it says to wait: repeating the request costs no query.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError

from core.limits import Limit, Throttled, check_limit, count_uses

logger = logging.getLogger(__name__)

# A visit to the account home is about ten requests: somebody may open fifteen pages at once after a rest.
ALLOWANCE_SECONDS = 30
# The smallest site may make 150 requests a minute. The most that one screen asks for is about ten.
PROVIDER_LIMIT = Limit("provider", 60, timedelta(minutes=1))
BUSY_SECONDS = 1
# How long a request that may take long waits for the account's earlier ones in this process.
PATIENCE_SECONDS = 5
# How many accounts are remembered before idle ones are dropped, and how many refusals.
ROOM = 10_000


class AccountBusy(Throttled):
    """So many long requests of the account are being answered that others would wait for it."""

    message = "Your earlier requests are still being answered. Please try again in a moment."


def _new_turns() -> threading.Semaphore:
    return threading.Semaphore(max(1, settings.WEB_THREADS // 4))


@dataclass
class _Account:
    """An account's long requests: how many hold a thread, and how many more may be answered at once.

    `whole_at` is when its allowance of requests is whole again (monotonic seconds).
    """

    held: int = 0
    turns: threading.Semaphore = field(default_factory=_new_turns)
    whole_at: float = -math.inf


@dataclass
class RequestShare:
    """What a request uses: its identity, whose it is, what it holds, and its requests to the provider."""

    request: str = ""
    account: str = ""
    holds_thread: bool = False
    has_turn: bool = False
    provider_requests: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Until when requests that are alike are refused (monotonic seconds), and with which error."""

    until: float
    error: type[Throttled]
    message: str


@dataclass
class _ProcessState:
    now: Callable[[], float] = time.monotonic
    accounts: dict[str, _Account] = field(default_factory=dict)
    refusals: dict[str, Refusal] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_state = _ProcessState()
Method = TypeVar("Method", bound=Callable[..., Any])
_share: ContextVar[RequestShare | None] = ContextVar("request_share", default=None)


def reset_shares(*, now: Callable[[], float] = time.monotonic) -> None:
    """Forget all requests; `now` becomes the clock, in seconds."""
    global _state  # noqa: PLW0603  (one for the process)
    _state = _ProcessState(now)


# A lock held during a fork would never be released in the child.
os.register_at_fork(after_in_child=reset_shares)


@contextmanager
def share_process(request: str) -> Iterator[None]:
    """Let a request of an account within this block take its share, and release it at the end.

    `request` identifies requests that are alike: the token, the method and the path. Raises Throttled for one that was
    refused and has not waited.
    """
    _check_refusals(request)
    share = RequestShare(request)
    token = _share.set(share)
    try:
        yield
    finally:
        _share.reset(token)
        _release_share(share)


def take_share(account: str, *, is_long: bool) -> None:
    """Begin an account's request. Raises Throttled, or AccountBusy for one more that may take long."""
    share = _share.get()
    a_second = settings.ACCOUNT_REQUESTS_A_SECOND
    if share is None or share.account or a_second is None:
        return
    try:
        usage = _begin_request(account, is_long, 1 / a_second)
        share.account, share.holds_thread = account, is_long
        if is_long:
            share.has_turn = usage.turns.acquire(timeout=PATIENCE_SECONDS)
            if not share.has_turn:
                raise AccountBusy(retry_after=BUSY_SECONDS)
            check_limit(PROVIDER_LIMIT, account)
    except Throttled as error:
        _remember_refusal(share.request, error)
        raise


def may_take_long(method: Method) -> Method:
    """Mark a view's method whose requests may hold a thread for long; all but GET are taken for such."""
    method.may_take_long = True  # type: ignore[attr-defined]  # only the throttle reads it
    return method


def count_provider_request() -> None:
    """Count a request to the provider for the account whose request makes it, if any does."""
    share = _share.get()
    if share is not None:
        share.provider_requests += 1


def _begin_request(account: str, is_long: bool, interval: float) -> _Account:
    with _state.lock:
        now = _state.now()
        usage = _state.accounts.setdefault(account, _Account())
        whole_at = max(usage.whole_at, now) + interval
        wait = whole_at - now - ALLOWANCE_SECONDS
        if wait > 0:
            raise Throttled(retry_after=math.ceil(wait))
        if is_long and usage.held >= max(1, settings.WEB_THREADS // 2):
            raise AccountBusy(retry_after=BUSY_SECONDS)
        usage.whole_at = whole_at
        usage.held += is_long
        if len(_state.accounts) > ROOM:
            _forget_idle_accounts(now)
        return usage


def _remember_refusal(request: str, error: Throttled) -> None:
    with _state.lock:
        now = _state.now()
        if len(_state.refusals) >= ROOM:
            _state.refusals = {}
        _state.refusals[request] = Refusal(now + (error.retry_after or 0), type(error), error.message)


def _check_refusals(request: str) -> None:
    refusal = _state.refusals.get(request)
    wait = 0 if refusal is None else refusal.until - _state.now()
    if refusal is not None and wait > 0:
        raise refusal.error(refusal.message, retry_after=math.ceil(wait))


def _forget_idle_accounts(now: float) -> None:
    idle = [name for name, usage in _state.accounts.items() if not usage.held and usage.whole_at <= now]
    for name in idle:
        del _state.accounts[name]


def _release_share(share: RequestShare) -> None:
    try:
        if share.account and share.provider_requests:
            count_uses(PROVIDER_LIMIT, share.account, share.provider_requests)
    except DatabaseError as error:
        # The request itself has been answered.
        logger.warning("Requests to the provider could not be counted: %s", type(error).__name__)
    finally:
        if share.holds_thread:
            with _state.lock:
                usage = _state.accounts[share.account]
                usage.held -= 1
            if share.has_turn:
                usage.turns.release()
