"""Payment methods under faults: one method, one charge, one mail, and never half of an update left behind."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from multiprocessing import get_context

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from accounts.models import OutgoingMail
from billing import clock
from billing.errors import (
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    PaymentMethodGone,
    PaymentMethodInvalid,
)
from billing.models import Command
from billing.queries.payment_methods import due_invoices, wallet_of
from billing.services import commands, payment_methods, sync
from billing.services.carrying_out import NEW_KEYS_AT_MOST
from billing.services.payment_methods import Outcome
from billing.tests.api.shop import NOBODY
from billing.tests.cable import Cable, is_write
from billing.tests.live import DECLINES, FAITH, VISA, Provider
from billing.tests.purse import AMEX, MASTERCARD, OWNER, Purse, overdue_purse
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_step")]

EMPTY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
)
DUE = [699, 799]
# What `brings` writes: the card, its owner, the two invoices; then the default one is told, or the old card removed.
STEPS = 5
KEY = "one-intent"
OPERATIONS = ["added", "replaced"]


@pytest.fixture
def finn(provider: Provider) -> Purse:
    """Finn, whose card declined two renewals."""
    purse = overdue_purse(provider)
    assert purse.due() == sum(DUE)
    return purse


@pytest.fixture
def ava(provider: Provider) -> Purse:
    """Ava, with a plan, a Visa that pays for it and a Mastercard besides."""
    purse = Purse(provider, provider.subscriber("ava", FAITH))
    purse.add(purse.token(MASTERCARD))
    OutgoingMail.objects.all().delete()
    return purse


def brings(purse: Purse, operation: str) -> Callable[[], Outcome]:
    """A change that brings an American Express card, the same one however often it is asked for."""
    token = purse.token(AMEX)
    if operation == "added":
        return lambda: purse.add(token, key=KEY)
    old = str(purse.role())
    return lambda: purse.replace(old, token, key=KEY)


def brought(purse: Purse) -> Command:
    """The command behind it."""
    return Command.objects.get(account=purse.account, key=KEY)


def let_the_lease_run_out() -> None:
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now())


def settle() -> None:
    let_the_lease_run_out()
    commands.settle_due(now=clock.now())


def in_another_process(cable: Cable, act: Callable[[], object], *, killed_after: int) -> None:
    """Let a process of its own do something, and kill it when so many writes were answered and it has not heard."""
    connection.close()  # the child must not inherit it
    process = get_context("fork").Process(target=act)
    writes = count(1)

    def kill(request: bytes) -> None:
        if is_write(request) and next(writes) == killed_after:
            process.kill()

    cable.on_answer = kill
    process.start()
    process.join()
    cable.mend()
    assert process.exitcode == -9


def assert_brought_once(purse: Purse, operation: str) -> None:
    assert purse.digits() == (["0004", "0005", "1111"] if operation == "added" else ["0005", "1111"])
    new = str(purse.role())
    assert purse.held()[new]["card"]["last4"] == "0005"
    assert {name: purse.held()[new]["card"][name] for name in OWNER} == OWNER
    invoices = purse.provider.invoices(purse.account)
    assert [str(invoice.status) for invoice in invoices] == ["paid"] * 4
    assert sorted(cents for _, cents in purse.charges()) == sorted(DUE * 2)
    assert OutgoingMail.objects.filter(account=purse.account).count() == 1
    assert brought(purse).state == Command.State.SUCCEEDED
    assert purse.due() == 0
    assert wallet_of(purse.account).primary_id == new


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_worker_killed_at_each_step_leaves_the_rest_to_the_sweep(
    finn: Purse, cable: Cable, operation: str
) -> None:
    change = brings(finn, operation)

    in_another_process(cable, change, killed_after=1)
    for _ in range(STEPS - 1):
        assert brought(finn).state == Command.State.PENDING
        let_the_lease_run_out()
        # It asks again for the step that the last one died over, and dies over the next.
        in_another_process(cable, lambda: commands.settle_due(now=clock.now()), killed_after=2)
    settle()

    assert change() == Outcome(str(finn.role()), sum(DUE))
    assert_brought_once(finn, operation)


@pytest.mark.parametrize("answer", [b"", EMPTY], ids=["lost", "without its object"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_whichever_answers_are_lost_the_change_is_made_once(
    finn: Purse, cable: Cable, operation: str, answer: bytes
) -> None:
    change = brings(finn, operation)
    cable.lose_write(1, answer)
    with pytest.raises(BillingUnconfirmed):
        change()
    with pytest.raises(ChangeInProgress):
        finn.add("cb_another_token", key="another-intent")

    for _ in range(STEPS - 1):
        cable.lose_write(2, answer)
        settle()
        assert brought(finn).state == Command.State.UNKNOWN
    cable.mend()
    settle()

    assert change() == Outcome(str(finn.role()), sum(DUE))
    assert_brought_once(finn, operation)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_after_the_providers_window_it_looks_before_it_asks(
    finn: Purse, cable: Cable, operation: str
) -> None:
    change = brings(finn, operation)
    cable.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        change()

    for _ in range(STEPS - 1):
        finn.provider.travel(minutes=31)
        cable.lose_write(1)
        settle()
        assert brought(finn).state == Command.State.UNKNOWN
    cable.mend()
    finn.provider.travel(minutes=31)
    settle()

    assert change() == Outcome(str(finn.role()), sum(DUE))
    assert_brought_once(finn, operation)


@pytest.mark.parametrize("step", ["*/update_card", "*/collect_payment"])
def test_a_decline_that_is_not_heard_of_after_a_long_outage_is_not_tried_again(
    finn: Purse, sandbox: Sandbox, step: str
) -> None:
    declined, token = len(finn.provider.events("payment_failed")), finn.token(DECLINES)
    sandbox.misbehave("drop_connection_before", step)
    with pytest.raises(BillingUnconfirmed):
        finn.add(token, key=KEY)

    finn.provider.travel(minutes=31)
    sandbox.misbehave("drop_connection_after", "*/collect_payment", count=3)
    for _ in range(3):
        settle()
        assert brought(finn).state == Command.State.UNKNOWN
    settle()

    assert finn.add(token, key=KEY).collected == 0
    assert len(finn.provider.events("payment_failed")) == declined + 1
    assert len({strike["key"] for strike in sandbox.struck()[:3]}) == 1
    assert finn.due() == sum(DUE)


def test_what_is_never_done_is_asked_for_with_a_few_keys_then_given_up_and_may_be_asked_for_anew(
    finn: Purse, sandbox: Sandbox
) -> None:
    change = brings(finn, "added")
    sandbox.misbehave("drop_connection_before", "*/collect_payment", count=1000)
    with pytest.raises(BillingUnconfirmed):
        change()

    for _ in range(NEW_KEYS_AT_MOST):
        finn.provider.travel(minutes=31)
        settle()
        assert brought(finn).state == Command.State.UNKNOWN
    finn.provider.travel(minutes=31)
    settle()

    command = brought(finn)
    assert (command.state, command.error_code) == (Command.State.FAILED, BillingPartial.code)
    asked = [strike["key"] for strike in sandbox.struck()]
    assert len(set(asked)) == len(asked) == 1 + NEW_KEYS_AT_MOST
    assert not commands.is_open(finn.account)
    sandbox.behave()
    sandbox.misbehave("drop_connection_before", "*/collect_payment")
    with pytest.raises(BillingUnconfirmed):
        change()
    finn.provider.travel(minutes=31)
    settle()
    assert_brought_once(finn, "added")
    assert change() == Outcome(finn.role(), sum(DUE))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_provider_that_goes_away_half_way_is_waited_for(
    finn: Purse, cable: Cable, sandbox: Sandbox, settings: Settings, operation: str
) -> None:
    change = brings(finn, operation)
    cable.after_write(lambda: setattr(settings, "CHARGEBEE_ENDPOINT", NOBODY))

    with pytest.raises(BillingUnconfirmed):
        change()
    settle()
    assert brought(finn).state == Command.State.UNKNOWN
    assert OutgoingMail.objects.count() == 0

    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    settle()

    assert_brought_once(finn, operation)


def test_a_provider_that_is_away_from_the_start_adds_nothing_and_the_same_intent_may_be_asked_again(
    finn: Purse, sandbox: Sandbox, settings: Settings
) -> None:
    change = brings(finn, "added")
    settings.CHARGEBEE_ENDPOINT = NOBODY
    with pytest.raises(BillingUnavailable):
        change()
    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    assert "0005" not in finn.digits()

    change()

    assert_brought_once(finn, "added")


def test_a_token_that_never_arrived_and_expired_adds_nothing(finn: Purse, sandbox: Sandbox) -> None:
    change = brings(finn, "added")
    sandbox.misbehave("drop_connection_before", "/payment_sources/*")
    with pytest.raises(BillingUnconfirmed):
        change()

    finn.provider.travel(minutes=31)
    settle()

    with pytest.raises(PaymentMethodInvalid):
        change()
    assert finn.digits() == ["0004", "1111"]
    assert finn.due() == sum(DUE)


def test_what_was_added_elsewhere_meanwhile_is_not_taken_for_the_new_card(finn: Purse, cable: Cable) -> None:
    agreement = {"customer_id": "finn", "type": "paypal_express_checkout", "reference_id": "B-1"}
    finn.provider.sdk.PaymentSource.create_using_permanent_token(agreement)
    change = brings(finn, "replaced")
    cable.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        change()

    cable.mend()
    finn.provider.travel(minutes=31)
    settle()

    new = str(finn.role())
    assert change() == Outcome(new, sum(DUE))
    assert finn.held()[new]["card"]["last4"] == "0005"
    assert len(finn.held()) == 3


def test_what_a_card_had_paid_before_is_not_told_as_collected(finn: Purse, cable: Cable) -> None:
    visa = finn.other()
    first = due_invoices(finn.account)[0].provider_id
    finn.provider.sdk.Invoice.collect_payment(first, {"payment_source_id": visa, "amount": 200})
    sync.resync_account(finn.account)
    # The default one is told, then the first invoice is collected: whose answer is lost, and read much later.
    cable.lose_write(2)
    with pytest.raises(BillingUnconfirmed):
        finn.make_default(visa, key=KEY)
    cable.mend()
    finn.provider.travel(minutes=31)
    settle()

    assert finn.make_default(visa, key=KEY) == Outcome(visa, sum(DUE) - 200)


def test_an_invoice_that_somebody_paid_meanwhile_is_not_collected_and_is_no_decline(finn: Purse) -> None:
    first = finn.provider.invoices(finn.account)[2]
    visa = finn.other()
    finn.provider.sdk.Invoice.collect_payment(first.id, {"payment_source_id": visa})

    outcome = finn.add(finn.token(MASTERCARD))

    assert outcome.collected == sum(DUE) - first.total
    assert finn.due() == 0
    assert finn.role() == outcome.source_id
    assert sorted(cents for _, cents in finn.charges()) == sorted(DUE * 2)


def test_a_card_that_declines_is_not_asked_for_the_next_invoice(finn: Purse) -> None:
    declined = len(finn.provider.events("payment_failed"))

    outcome = finn.make_default(str(finn.role()))

    assert outcome == Outcome(finn.role(), 0)
    assert len(finn.provider.events("payment_failed")) == declined + 1
    assert finn.due() == sum(DUE)


@pytest.mark.parametrize("ask", [Purse.make_default, Purse.describe])
def test_a_method_removed_behind_our_back_is_not_found_and_no_longer_shown(
    ava: Purse, ask: Callable[[Purse, str], Outcome]
) -> None:
    gone = ava.other()
    ava.provider.sdk.PaymentSource.delete(gone)

    with pytest.raises(PaymentMethodGone):
        ask(ava, gone)

    assert ava.shown() == list(ava.held()) == [ava.role()]


def test_what_was_removed_behind_our_back_is_removed_or_replaced_all_the_same(ava: Purse) -> None:
    for number, ask in ((MASTERCARD, ava.remove), (AMEX, lambda one: ava.replace(one, ava.token(AMEX)))):
        gone = ava.other()
        ava.provider.sdk.PaymentSource.delete(gone)
        ask(gone)
        assert gone not in ava.shown()
        assert sorted(ava.shown()) == sorted(ava.held()), number
        ava.add(ava.token(MASTERCARD))


def test_a_role_that_is_there_already_is_no_failure(ava: Purse) -> None:
    chosen = ava.other()
    ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": chosen, "role": "primary"})

    assert ava.make_default(chosen) == Outcome(chosen, 0)

    assert wallet_of(ava.account).primary_id == ava.role() == chosen


def test_a_card_in_the_place_of_the_backup_is_the_backup(ava: Purse) -> None:
    primary, backup = ava.role(), ava.other()
    ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": backup, "role": "backup"})
    sync.resync_account(ava.account)

    outcome = ava.replace(backup, ava.token(AMEX))

    assert (ava.role(), ava.role("backup")) == (primary, outcome.source_id)
    assert ava.digits() == ["0005", "1111"]


def test_a_customer_whose_collection_stopped_with_the_last_method_is_collected_from_again(
    provider: Provider,
) -> None:
    hugo = Purse(provider, provider.subscriber("hugo"))
    hugo.remove(str(hugo.role()))
    assert hugo.provider.sdk.Customer.retrieve("hugo").customer.auto_collection == "off"

    outcome = hugo.add(hugo.token(VISA))

    assert hugo.role() == outcome.source_id
    assert hugo.provider.sdk.Customer.retrieve("hugo").customer.auto_collection == "on"


def test_two_accounts_keys_never_stand_for_one_intent(provider: Provider) -> None:
    made = [
        payment_methods.paypal_intent(provider.subscriber(name), key=key)
        for name, key in (("ava", "one"), ("bob", "one"), ("cleo", "o" * 100), ("dora", "o" * 100))
    ]

    assert len({intent["id"] for intent in made}) == len(made)
    assert [intent["customer_id"] for intent in made] == ["ava", "bob", "cleo", "dora"]
