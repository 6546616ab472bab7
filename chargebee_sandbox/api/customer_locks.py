"""Locks of customers: as at the provider, concurrent writes of one customer do not wait for each other for long.

After the time in the site's settings, a write that waits is answered with 429 ``lock_timeout``.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.models import CreditNote, Invoice, PaymentSource, Subscription
from chargebee_sandbox.row_lookup import find_row
from chargebee_sandbox.site_settings import load_settings

_OWNED_MODELS: dict[str, type[Subscription] | type[Invoice] | type[PaymentSource] | type[CreditNote]] = {
    "subscriptions": Subscription,
    "invoices": Invoice,
    "payment_sources": PaymentSource,
    "credit_notes": CreditNote,
}

_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


@contextmanager
def hold_customer(path: str, arguments: Mapping[str, str], params: Params) -> Iterator[None]:
    """Hold the lock of the customer whom a write at ``path`` concerns, if it concerns one.

    Raises: ApiError 429 lock_timeout.
    """
    customer_id = _concerned_customer(path, arguments, params)
    if customer_id is None:
        yield
        return
    lock = _locks[customer_id]
    if not lock.acquire(timeout=load_settings().lock_wait_seconds):
        message = "Another request is changing this customer; please try again"
        raise ApiError(429, "lock_timeout", message, kind="operation_failed")
    try:
        yield
    finally:
        lock.release()


def _concerned_customer(path: str, arguments: Mapping[str, str], params: Params) -> str | None:
    kind, handle = path.split("/")[1], arguments.get("handle")
    if handle is None and isinstance(named := params.values.get("reference_invoice_id"), str):
        kind, handle = "invoices", named
    if handle is None:
        named = params.values.get("customer_id")
        return named if isinstance(named, str) else None
    if kind == "customers":
        return handle
    model = _OWNED_MODELS.get(kind)
    row = find_row(model, "handle", handle) if model else None
    return None if row is None else row.customer_id
