"""Fixtures of the account's page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from accounts.mail.queue import queue_mail
from accounts.models import Account, SessionToken, SignInEvent
from accounts.profile import events
from billing.models import CancellationFeedback, Command, PauseSchedule, Subscription, WebhookEvent
from billing.tests.admin.account_desk import PLANTED, operator_client
from billing.tests.api.mirror_factory import (
    NOW,
    apply_catalog,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)


@pytest.fixture
def support(db: None) -> Client:
    """Return a client signed in as support."""
    return operator_client("support")


@pytest.fixture
def alice() -> Account:
    """Return Alice with a row for every section of her page, and a script in every typed text."""
    apply_catalog()
    card = {
        "brand": "visa",
        "last4": "1111",
        "expiry_month": 3,
        "expiry_year": 2031,
    }
    account = open_account(
        "alice",
        make_resource("payment_source", "pm_1", customer_id="alice", type="card", status="valid", card=card),
        make_subscription("sub_1", status="paused", pause_date=timestamp_at(-2), next_billing_at=None),
        make_invoice("INV-17", amount_due=699, status="payment_due", dunning_status=PLANTED),
    )
    Account.objects.filter(pk=account.pk).update(first_name=PLANTED, last_name=PLANTED, birth_month=2, birth_day=29)
    PauseSchedule.objects.create(
        subscription=Subscription.objects.get(),
        state="paused",
        pause_date=NOW - timedelta(days=2),
        resume_date=NOW + timedelta(days=28),
        created_at=NOW,
    )
    Command.objects.create(account=account, key="key-1", kind="pause", actor=f"support:{PLANTED}", steps=[])
    WebhookEvent.objects.create(
        event_id="ev_1",
        event_type="subscription_paused",
        occurred_at=NOW,
        source="webhook",
        payload={"names": {"customer": ["alice"]}},
        owner="alice",
        error=PLANTED,
    )
    queue_mail(kind="receipt", to=account.email, account=account, context={"title": PLANTED})
    CancellationFeedback.objects.create(
        account=account,
        at=NOW,
        key="key-2",
        services=[PLANTED],
        reason="Too expensive",
        actor="you",
        outcome="cancelled",
    )
    events.record_event(account, kind="paused", text=PLANTED, actor="support:olga", at=NOW)
    SessionToken.objects.create(user=account.user, agent=PLANTED)
    SignInEvent.objects.create(kind="ok", email=account.email, account=account, agent=PLANTED, network="10.0.0.7")
    return account
