"""Refunds and credits under faults: whatever is lost and whenever, each is made once and told once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest
from chargebee import APIError
from django.contrib.auth.models import Group
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account, OutgoingMail, User
from billing import clock
from billing.changes import refunds
from billing.changes.refunds import GiveCredit, RefundInvoice
from billing.commands import lifecycle
from billing.commands.confirmation import Change, confirm_change
from billing.errors import BillingError, BillingUnavailable, BillingUnconfirmed, RefundRefused
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.mirror import account_import
from billing.models import Command
from billing.queries.payments.refund_limits import allowance_of
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from billing.tests.api.test_concurrent_requests import run_concurrently
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, Provider

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
AT_ONCE, AFTER_THE_KEYS = timedelta(seconds=1), timedelta(minutes=40)

ChangeMaker = Callable[[], Change]


@pytest.fixture
def ava(provider: Provider) -> Account:
    return provider.subscriber("ava", FAITH)


@pytest.fixture
def number(provider: Provider, ava: Account) -> str:
    return str(provider.invoices(ava)[0].id)


@pytest.fixture
def support() -> User:
    operator = User.objects.create_user("sam", is_staff=True)
    operator.groups.add(Group.objects.get(name="support"))
    return operator


@pytest.fixture(params=["refund", "credit", "promotional"])
def make_change(request: pytest.FixtureRequest, ava: Account, number: str, support: User) -> ChangeMaker:
    """Return a function that builds a refund, a credit of an invoice, or a promotional credit of $2.00."""
    if request.param == "promotional":
        return partial(GiveCredit, ava, refunds.GIVE_CREDIT, amount=200, operator=support)
    details = {"number": number, "way": request.param, "amount": 200, "reason_code": "waiver", "operator": support}
    return partial(RefundInvoice, ava, refunds.REFUND_INVOICE, **details)


def confirm(change: Change) -> Command:
    """Confirm a change, always with the same key."""
    return confirm_change(change, quote=None, key="once", actor="support:sam", now=clock.billing_now())


def settle() -> None:
    """Let the leases expire, and settle what is open."""
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())


def given_cents(provider: Provider) -> int:
    """Return what the provider has refunded and what it has credited, in cents."""
    customer = provider.sdk.Customer.retrieve("ava").customer
    refunded = provider.sdk.Transaction.list({"type": {"is": "refund"}, "limit": 100}).list
    returned = sum(entry.transaction.amount for entry in refunded)
    return int(returned + customer.refundable_credits + customer.promotional_credits)


def counted_cents(operator: User) -> int:
    """Return what counts toward an operator's limit, in cents."""
    allowance = allowance_of(operator)
    assert allowance is not None
    return allowance.given


def receipts() -> int:
    return OutgoingMail.objects.filter(kind="receipt").count()


@pytest.mark.shows("reliability-41", "rule-24")
@pytest.mark.parametrize("later", [AT_ONCE, AFTER_THE_KEYS], ids=["at once", "when its key is forgotten"])
@pytest.mark.parametrize("answer", [b"", HTML], ids=["no answer", "HTML"])
def test_it_is_made_once_if_its_answer_is_lost(
    provider: Provider, faulty_proxy: FaultyProxy, make_change: ChangeMaker, later: timedelta, answer: bytes
) -> None:
    faulty_proxy.lose_write(1, answer)
    with pytest.raises(BillingUnconfirmed):
        confirm(make_change())
    faulty_proxy.restore()
    assert given_cents(provider) == 200
    provider.travel(seconds=later.total_seconds())

    settle()

    assert (given_cents(provider), receipts()) == (200, 1)
    assert confirm(make_change()).state == Command.State.SUCCEEDED
    assert (given_cents(provider), receipts()) == (200, 1)


@pytest.mark.shows("reliability-41")
@pytest.mark.parametrize("later", [AT_ONCE, AFTER_THE_KEYS], ids=["at once", "when its key is forgotten"])
def test_a_worker_that_dies_before_the_call_leaves_nothing_half_done(
    provider: Provider, make_change: ChangeMaker, support: User, later: timedelta
) -> None:
    change = make_change()
    preview = change.preview(clock.billing_now())
    assert preview is not None
    lifecycle._open_command(
        Command(account=change.account, kind=change.kind.name, key="once", actor="support:sam", shown=preview.shown),
        now=clock.billing_now(),
        plan=lambda command: change.plan_steps(command, preview),
    )
    provider.travel(seconds=later.total_seconds())

    settle()

    # Late, it is not sent: nobody knows whether the operator still wants it. The same confirmation can repeat it.
    is_late = later == AFTER_THE_KEYS
    assert (given_cents(provider), receipts()) == ((0, 0) if is_late else (200, 1))
    # So it counts: otherwise the operator could give as much again, and then repeat it.
    assert counted_cents(support) == 200
    assert confirm(make_change()).state == Command.State.SUCCEEDED
    assert (given_cents(provider), receipts()) == (200, 1)


@pytest.mark.shows("rule-24")
def test_what_was_in_doubt_counts_no_more_once_it_is_refused(
    provider: Provider, ava: Account, number: str, support: User
) -> None:
    change = RefundInvoice(
        ava,
        refunds.REFUND_INVOICE,
        number=number,
        way="refund",
        amount=200,
        reason_code="waiver",
        operator=support,
    )
    provider.sandbox.order_fault("drop_connection_before", "*/refund")
    with pytest.raises(BillingUnconfirmed):
        confirm(change)
    provider.travel(minutes=40)
    settle()
    assert counted_cents(support) == 200

    provider.sandbox.order_fault("error", "*/refund", status=400, api_error_code="invalid_state_for_request")
    with pytest.raises(RefundRefused):
        confirm(change)

    assert counted_cents(support) == 0


def test_a_provider_that_cannot_be_reached_leaves_nothing(
    provider: Provider, settings: Settings, make_change: ChangeMaker
) -> None:
    endpoint = settings.CHARGEBEE_ENDPOINT
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    with pytest.raises(BillingUnavailable):
        confirm(make_change())
    settings.CHARGEBEE_ENDPOINT = endpoint
    assert (given_cents(provider), receipts()) == (0, 0)
    confirm(make_change())
    assert (given_cents(provider), receipts()) == (200, 1)


@pytest.mark.shows("rule-24")
@pytest.mark.parametrize("seed", range(3))
def test_no_sequence_gives_back_more_than_was_paid(
    provider: Provider, ava: Account, number: str, support: User, seed: int
) -> None:
    """Draw refunds and credits here and at the provider."""
    support.is_superuser = True
    support.save()
    draw = random.Random(seed)  # noqa: S311  (not security-relevant)
    for turn in range(8):
        amount = draw.choice([1, 99, 200, 350, 699])
        if draw.random() < 0.3:
            with suppress(APIError):  # the provider refuses more than is left
                provider.sdk.Invoice.refund(number, {"refund_amount": amount})
        else:
            change = RefundInvoice(
                ava,
                refunds.REFUND_INVOICE,
                number=number,
                way=draw.choice(["refund", "credit"]),
                amount=amount,
                reason_code="other",
                operator=support,
            )
            with suppress(BillingError):
                confirm_change(change, quote=None, key=f"turn-{turn}", actor="support:sam", now=clock.billing_now())
        assert given_cents(provider) <= 699
    account_import.resync_account(ava)
    assert given_cents(provider) > 0


@pytest.mark.services
@pytest.mark.shows("rule-24")
def test_twenty_operators_at_once_refund_once(provider: Provider, make_change: ChangeMaker) -> None:
    preview = make_change().preview(clock.billing_now())
    assert preview is not None
    quote = preview.shown["quote"]

    def confirm_by_operator(number: int) -> str:
        try:
            confirm_change(
                make_change(), quote=quote, key=f"key-{number}", actor="support:sam", now=clock.billing_now()
            )
        except BillingError as error:
            return error.code
        except OperationalError:
            # The lock timeout: a web request is answered with 503.
            return "lock_timeout"
        return "given"

    outcomes = Counter(run_concurrently(confirm_by_operator))

    assert outcomes["given"] == 1
    assert set(outcomes) <= {"given", "quote_changed", "change_in_progress", "billing_unavailable", "lock_timeout"}
    assert (given_cents(provider), receipts()) == (200, 1)
