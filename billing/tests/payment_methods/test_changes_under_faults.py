"""Payment methods under faults: one method, one charge, one mail, and no update left half done."""

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
from billing.commands import lifecycle
from billing.commands.executor import MAX_NEW_KEYS
from billing.errors import (
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    PaymentMethodGone,
    PaymentMethodInvalid,
)
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.mirror import account_import
from billing.models import Command
from billing.payment_methods import intents
from billing.payment_methods.changes import MethodChangeResult
from billing.queries.commands import has_open_command
from billing.queries.payments.payment_methods import CARD, due_invoices, wallet_of
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from billing.tests.support.faulty_proxy import FaultyProxy, is_write_request
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, VISA_CARD, Provider
from billing.tests.support.subscriber_wallet import AMEX, MASTERCARD, OWNER, SubscriberWallet, overdue_wallet
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

EMPTY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
DUE = [699, 799]
# The steps of a change: the card, its owner, the two invoices; then the default, or the removal of the old card.
STEPS = 5
KEY = "one-intent"
OPERATIONS = ["added", "replaced"]


@pytest.fixture
def finn(provider: Provider) -> SubscriberWallet:
    """Finn, whose card declined two renewals."""
    wallet = overdue_wallet(provider)
    assert wallet.amount_due() == sum(DUE)
    return wallet


@pytest.fixture
def ava(provider: Provider) -> SubscriberWallet:
    """Ava, with a plan, a primary Visa card and a Mastercard."""
    wallet = SubscriberWallet(provider, provider.subscriber("ava", FAITH))
    wallet.add_card(wallet.authorize_card(MASTERCARD))
    OutgoingMail.objects.all().delete()
    return wallet


def prepare_change(wallet: SubscriberWallet, operation: str) -> Callable[[], MethodChangeResult]:
    """Return a function that adds an American Express card, with the same intent and key on each call."""
    intent = wallet.authorize_card(AMEX)
    if operation == "added":
        return lambda: wallet.add_card(intent, key=KEY)
    old = str(wallet.source_in_role())
    return lambda: wallet.replace_card(old, intent, key=KEY)


def change_command(wallet: SubscriberWallet) -> Command:
    """Return the command of the change."""
    return Command.objects.get(account=wallet.account, key=KEY)


def expire_lease() -> None:
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now())


def settle_commands() -> None:
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())


def run_in_process_and_kill(faulty_proxy: FaultyProxy, act: Callable[[], object], *, killed_after: int) -> None:
    """Call `act` in a child process, and kill it before it sees the response to this write."""
    connection.close()  # the child must not inherit it
    process = get_context("fork").Process(target=act)
    writes = count(1)

    def kill(request: bytes) -> None:
        if is_write_request(request) and next(writes) == killed_after:
            process.kill()

    faulty_proxy.on_answer = kill
    process.start()
    process.join()
    faulty_proxy.restore()
    assert process.exitcode == -9


def assert_changed_once(wallet: SubscriberWallet, operation: str) -> None:
    assert wallet.last_digits() == (["0004", "0005", "1111"] if operation == "added" else ["0005", "1111"])
    new = str(wallet.source_in_role())
    assert wallet.provider_sources()[new]["card"]["last4"] == "0005"
    assert {name: wallet.provider_sources()[new]["card"][name] for name in OWNER} == OWNER
    invoices = wallet.provider.invoices(wallet.account)
    assert [str(invoice.status) for invoice in invoices] == ["paid"] * 4
    assert sorted(cents for _, cents in wallet.paid_charges()) == sorted(DUE * 2)
    assert OutgoingMail.objects.filter(account=wallet.account, kind="receipt").count() == 1
    assert change_command(wallet).state == Command.State.SUCCEEDED
    assert wallet.amount_due() == 0
    assert wallet_of(wallet.account).primary_id == new


@pytest.mark.shows("reliability-15")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_sweep_finishes_after_a_worker_killed_at_each_step(
    finn: SubscriberWallet, faulty_proxy: FaultyProxy, operation: str
) -> None:
    change = prepare_change(finn, operation)

    run_in_process_and_kill(faulty_proxy, change, killed_after=1)
    for _ in range(STEPS - 1):
        assert change_command(finn).state == Command.State.PENDING
        expire_lease()
        # It repeats the step at which the last process was killed, and is killed at the next one.
        run_in_process_and_kill(
            faulty_proxy,
            lambda: lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now()),
            killed_after=2,
        )
    settle_commands()

    assert change() == MethodChangeResult(str(finn.source_in_role()), sum(DUE))
    assert_changed_once(finn, operation)


@pytest.mark.shows("reliability-3")
@pytest.mark.parametrize("answer", [b"", EMPTY], ids=["lost", "without its object"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_lost_answer_of_every_step_changes_once(
    finn: SubscriberWallet, faulty_proxy: FaultyProxy, operation: str, answer: bytes
) -> None:
    change, other_intent = prepare_change(finn, operation), finn.authorize_card(AMEX)
    faulty_proxy.lose_write(1, answer)
    with pytest.raises(BillingUnconfirmed):
        change()
    with pytest.raises(ChangeInProgress):
        finn.add_card(other_intent, key="another-intent")

    for _ in range(STEPS - 1):
        faulty_proxy.lose_write(2, answer)
        settle_commands()
        assert change_command(finn).state == Command.State.UNKNOWN
    faulty_proxy.restore()
    settle_commands()

    assert change() == MethodChangeResult(str(finn.source_in_role()), sum(DUE))
    assert_changed_once(finn, operation)


@pytest.mark.shows("reliability-4")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_it_reads_back_before_it_retries_after_the_replay_window(
    finn: SubscriberWallet, faulty_proxy: FaultyProxy, operation: str
) -> None:
    change = prepare_change(finn, operation)
    faulty_proxy.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        change()

    for _ in range(STEPS - 1):
        finn.provider.travel(minutes=31)
        faulty_proxy.lose_write(1)
        settle_commands()
        assert change_command(finn).state == Command.State.UNKNOWN
    faulty_proxy.restore()
    finn.provider.travel(minutes=31)
    settle_commands()

    assert change() == MethodChangeResult(str(finn.source_in_role()), sum(DUE))
    assert_changed_once(finn, operation)


@pytest.mark.parametrize("step", ["*/update_card", "*/collect_payment"])
def test_a_decline_whose_answers_are_lost_is_not_retried(finn: SubscriberWallet, sandbox: Sandbox, step: str) -> None:
    declines_before, token = len(finn.provider.events("payment_failed")), finn.authorize_card(DECLINING_CARD)
    sandbox.order_fault("drop_connection_before", step)
    with pytest.raises(BillingUnconfirmed):
        finn.add_card(token, key=KEY)

    finn.provider.travel(minutes=31)
    sandbox.order_fault("drop_connection_after", "*/collect_payment", count=3)
    for _ in range(3):
        settle_commands()
        assert change_command(finn).state == Command.State.UNKNOWN
    settle_commands()

    assert finn.add_card(token, key=KEY).collected_cents == 0
    assert len(finn.provider.events("payment_failed")) == declines_before + 1
    assert len({strike["key"] for strike in sandbox.struck()[:3]}) == 1
    assert finn.amount_due() == sum(DUE)


def test_a_step_that_never_succeeds_is_given_up_and_can_be_requested_again(
    finn: SubscriberWallet, sandbox: Sandbox
) -> None:
    change = prepare_change(finn, "added")
    sandbox.order_fault("drop_connection_before", "*/collect_payment", count=1000)
    with pytest.raises(BillingUnconfirmed):
        change()

    for _ in range(MAX_NEW_KEYS):
        finn.provider.travel(minutes=31)
        settle_commands()
        assert change_command(finn).state == Command.State.UNKNOWN
    finn.provider.travel(minutes=31)
    settle_commands()

    command = change_command(finn)
    assert (command.state, command.error_code) == (Command.State.FAILED, BillingPartial.code)
    keys = [strike["key"] for strike in sandbox.struck()]
    assert len(set(keys)) == len(keys) == 1 + MAX_NEW_KEYS
    assert not has_open_command(finn.account)
    sandbox.clear_faults()
    sandbox.order_fault("drop_connection_before", "*/collect_payment")
    with pytest.raises(BillingUnconfirmed):
        change()
    finn.provider.travel(minutes=31)
    settle_commands()
    assert_changed_once(finn, "added")
    assert change() == MethodChangeResult(finn.source_in_role(), sum(DUE))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_change_interrupted_by_an_outage_is_finished_after_it(
    finn: SubscriberWallet, faulty_proxy: FaultyProxy, sandbox: Sandbox, settings: Settings, operation: str
) -> None:
    change = prepare_change(finn, operation)
    faulty_proxy.run_after_write(lambda: setattr(settings, "CHARGEBEE_ENDPOINT", UNREACHABLE_ENDPOINT))

    with pytest.raises(BillingUnconfirmed):
        change()
    settle_commands()
    assert change_command(finn).state == Command.State.UNKNOWN
    assert not OutgoingMail.objects.filter(kind="receipt").exists()

    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    settle_commands()

    assert_changed_once(finn, operation)


def test_an_unreachable_provider_adds_nothing_and_the_key_may_be_retried(
    finn: SubscriberWallet, sandbox: Sandbox, settings: Settings
) -> None:
    change = prepare_change(finn, "added")
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    with pytest.raises(BillingUnavailable):
        change()
    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    assert "0005" not in finn.last_digits()

    change()

    assert_changed_once(finn, "added")


@pytest.mark.shows("reliability-2")
def test_an_expired_token_that_never_arrived_adds_nothing(finn: SubscriberWallet, sandbox: Sandbox) -> None:
    change = prepare_change(finn, "added")
    sandbox.order_fault("drop_connection_before", "/payment_sources/*")
    with pytest.raises(BillingUnconfirmed):
        change()

    finn.provider.travel(minutes=31)
    settle_commands()

    with pytest.raises(PaymentMethodInvalid):
        change()
    assert finn.last_digits() == ["0004", "1111"]
    assert finn.amount_due() == sum(DUE)


def test_a_source_added_in_the_console_is_not_mistaken_for_the_new_card(
    finn: SubscriberWallet, faulty_proxy: FaultyProxy
) -> None:
    agreement = {"customer_id": "finn", "type": "paypal_express_checkout", "reference_id": "B-1"}
    finn.provider.sdk.PaymentSource.create_using_permanent_token(agreement)
    change = prepare_change(finn, "replaced")
    faulty_proxy.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        change()

    faulty_proxy.restore()
    finn.provider.travel(minutes=31)
    settle_commands()

    new = str(finn.source_in_role())
    assert change() == MethodChangeResult(new, sum(DUE))
    assert finn.provider_sources()[new]["card"]["last4"] == "0005"
    assert len(finn.provider_sources()) == 3


def test_an_earlier_payment_does_not_count_as_collected(finn: SubscriberWallet, faulty_proxy: FaultyProxy) -> None:
    visa = finn.other_source()
    first = due_invoices(finn.account)[0].provider_id
    finn.provider.sdk.Invoice.collect_payment(first, {"payment_source_id": visa, "amount": 200})
    account_import.resync_account(finn.account)
    # The second write collects the first invoice; its answer is lost, and read back after the window.
    faulty_proxy.lose_write(2)
    with pytest.raises(BillingUnconfirmed):
        finn.make_default(visa, key=KEY)
    faulty_proxy.restore()
    finn.provider.travel(minutes=31)
    settle_commands()

    assert finn.make_default(visa, key=KEY) == MethodChangeResult(visa, sum(DUE) - 200)


def test_a_customer_whose_id_is_the_number_of_an_invoice_is_no_invoice(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    wallet = overdue_wallet(provider, name="4")
    assert due_invoices(wallet.account)[0].provider_id == "4"
    visa = wallet.other_source()
    faulty_proxy.lose_write(2)
    with pytest.raises(BillingUnconfirmed):
        wallet.make_default(visa, key=KEY)
    faulty_proxy.restore()
    wallet.provider.travel(minutes=31)
    settle_commands()

    assert wallet.make_default(visa, key=KEY) == MethodChangeResult(visa, sum(DUE))


def test_an_invoice_paid_meanwhile_is_neither_collected_nor_declined(
    finn: SubscriberWallet,
) -> None:
    first = finn.provider.invoices(finn.account)[2]
    visa = finn.other_source()
    finn.provider.sdk.Invoice.collect_payment(first.id, {"payment_source_id": visa})

    outcome = finn.add_card(finn.authorize_card(MASTERCARD))

    assert outcome.collected_cents == sum(DUE) - first.total
    assert finn.amount_due() == 0
    assert finn.source_in_role() == outcome.source_id
    assert sorted(cents for _, cents in finn.paid_charges()) == sorted(DUE * 2)


def test_a_declined_card_is_not_charged_for_the_next_invoice(finn: SubscriberWallet) -> None:
    declines_before = len(finn.provider.events("payment_failed"))

    outcome = finn.make_default(str(finn.source_in_role()))

    assert outcome == MethodChangeResult(finn.source_in_role(), 0)
    assert len(finn.provider.events("payment_failed")) == declines_before + 1
    assert finn.amount_due() == sum(DUE)


@pytest.mark.parametrize("change", [SubscriberWallet.make_default, SubscriberWallet.describe_owner])
def test_a_method_removed_in_the_console_is_not_found_and_no_longer_shown(
    ava: SubscriberWallet, change: Callable[[SubscriberWallet, str], MethodChangeResult]
) -> None:
    removed = ava.other_source()
    ava.provider.sdk.PaymentSource.delete(removed)

    with pytest.raises(PaymentMethodGone):
        change(ava, removed)

    assert ava.shown_cards() == list(ava.provider_sources()) == [ava.source_in_role()]


def test_a_source_removed_in_the_console_can_still_be_removed_or_replaced(ava: SubscriberWallet) -> None:
    for number, change in (
        (MASTERCARD, ava.remove_source),
        (AMEX, lambda source: ava.replace_card(source, ava.authorize_card(AMEX))),
    ):
        removed = ava.other_source()
        ava.provider.sdk.PaymentSource.delete(removed)
        change(removed)
        assert removed not in ava.shown_cards()
        assert sorted(ava.shown_cards()) == sorted(ava.provider_sources()), number
        ava.add_card(ava.authorize_card(MASTERCARD))


def test_a_role_assigned_in_the_console_is_no_failure(ava: SubscriberWallet) -> None:
    chosen = ava.other_source()
    ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": chosen, "role": "primary"})

    assert ava.make_default(chosen) == MethodChangeResult(chosen, 0)

    assert wallet_of(ava.account).primary_id == ava.source_in_role() == chosen


def test_the_replacement_of_the_backup_card_is_the_backup(ava: SubscriberWallet) -> None:
    primary, backup = ava.source_in_role(), ava.other_source()
    ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": backup, "role": "backup"})
    account_import.resync_account(ava.account)

    outcome = ava.replace_card(backup, ava.authorize_card(AMEX))

    assert (ava.source_in_role(), ava.source_in_role("backup")) == (primary, outcome.source_id)
    assert ava.last_digits() == ["0005", "1111"]


def test_adding_a_card_turns_auto_collection_on_again(
    provider: Provider,
) -> None:
    hugo = SubscriberWallet(provider, provider.subscriber("hugo"))
    hugo.remove_source(str(hugo.source_in_role()))
    assert hugo.provider.sdk.Customer.retrieve("hugo").customer.auto_collection == "off"

    outcome = hugo.add_card(hugo.authorize_card(VISA_CARD))

    assert hugo.source_in_role() == outcome.source_id
    assert hugo.provider.sdk.Customer.retrieve("hugo").customer.auto_collection == "on"


def test_equal_keys_of_two_accounts_create_two_intents(provider: Provider) -> None:
    created = [
        intents.create_saving_intent(provider.subscriber(name), CARD, key=key)
        for name, key in (("ava", "one"), ("bob", "one"), ("cleo", "o" * 100), ("dora", "o" * 100))
    ]

    assert len({intent["id"] for intent in created}) == len(created)
    assert [intent["customer_id"] for intent in created] == ["ava", "bob", "cleo", "dora"]
