"""Payment methods: add, update, remove, make default; and collecting what is due (contract, rules 10 and 11).

Each change is one command. Its first step is the change itself, whose refusal changes nothing; what follows cannot be
refused for the card's sake, and is carried on with until it is done.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    PaymentMethodInvalid,
    QuoteChanged,
)
from billing.gateway import payment_methods as gateway
from billing.gateway.errors import GatewayError, NotSent, Refused
from billing.models import Command, Customer, PaymentSource, Subscription
from billing.queries.payment_methods import PAYPAL, TYPES, Wallet, due_invoices, wallet_of
from billing.services import (
    carrying_out,
    commands,
    half_way,
    operations,
    parts,
    payment_words,
    receipts,
    sync,
)
from billing.services import payment_steps as steps
from billing.services.quotes import quote_of
from portal.errors import InvalidInput, NotFound

logger = logging.getLogger(__name__)

ADD, UPDATE, DELETE, SETPRIMARY = "ADD", "UPDATE", "DELETE", "SETPRIMARY"
OPERATIONS = (ADD, UPDATE, DELETE, SETPRIMARY)
KINDS = {
    ADD: "add_payment_method",
    UPDATE: "update_payment_method",
    DELETE: "remove_payment_method",
    SETPRIMARY: "set_default_payment_method",
}
DONE_IN_PART = (
    "Only a part of this change was made. Please look at your payment methods, and try again to finish."
)


class _DoneAlready(Exception):
    """There is nothing to change and nothing to collect."""


class PaymentMethodInUse(BillingError):
    """It is the default one, and a plan is live (contract, rule 11)."""

    code = "payment_method_in_use"
    status = 409
    message = "Your default payment method can’t be deleted because you have an active plan."  # noqa: RUF001  (the specification's word)


@dataclass(frozen=True)
class Wish:
    """What is asked for: an operation, a method's type, the source it is about, a token or intent, the card's owner.

    `owner` has first_name, last_name, billing_state and billing_zip, for cards only.
    """

    operation: str
    method: str
    source_id: str = ""
    token: str = ""
    owner: Mapping[str, str] | None = None
    quote: str | None = None

    @property
    def brings_a_method(self) -> bool:
        """Whether a new source comes of it."""
        return bool(self.token) and self.operation in (ADD, UPDATE)

    @property
    def collects(self) -> bool:
        """Whether what is due is collected with it: a method that is added, replaced or made default."""
        return self.brings_a_method or self.operation == SETPRIMARY


@dataclass(frozen=True)
class Outcome:
    """What became of a change: the source it ended with, None when that was removed, and what was collected (cents)."""

    source_id: str | None
    collected: int


def state_of(account: Account) -> dict[str, Any]:
    """Return what is due in cents, and the quote that stands for collecting it. One query."""
    due = {invoice.provider_id: invoice.cents("amount_due") for invoice in due_invoices(account)}
    return {"amount_due": sum(due.values()), "quote": quote_of(due)}


def paypal_intent(account: Account, *, key: str) -> dict[str, Any]:
    """Return a new payment intent for keeping a PayPal account, as the provider made it.

    Raises BillingUnavailable: an intent that may have been made and was not answered charges nothing.
    """
    customer = _customer(account)
    try:
        return gateway.create_paypal_intent(customer.provider_id, key=_intent_key(customer, key))
    except GatewayError as error:
        if isinstance(error, Refused):
            logger.exception("No payment intent could be made for account %s", account.pk)
        raise BillingUnavailable(retry_after=getattr(error, "retry_after", None)) from error


def change(account: Account, wish: Wish, *, key: str, actor: str, now: datetime) -> Outcome:
    """Make a change of payment methods, and collect what is due where it brings a method or makes one the default.

    Raises NotFound, InvalidInput, PaymentMethodInvalid (spent, expired, another's, not authorised), PaymentMethodInUse,
    PaymentProcessingFailed (refused when added; nothing changed), QuoteChanged and what a command raises. A decline of
    what is due is no error: the method stays, and the outcome says that nothing was collected.
    """
    if not commands.exists(account, key=key):
        _check_named(account, wish)
        _check_intent(account, wish)
    try:
        command = commands.perform(
            account,
            kind=KINDS[wish.operation],
            key=key,
            actor=actor,
            now=now,
            plan=lambda: _planned(account, wish),
        )
    except _DoneAlready:
        return Outcome(source_id=wish.source_id, collected=0)
    except BillingPartial as error:
        raise BillingPartial(DONE_IN_PART) from error
    return Outcome(source_id=_ended_with(command), collected=steps.collected(command))


def _customer(account: Account) -> Customer:
    customer = Customer.objects.filter(account=account).first()
    if customer is None:
        raise NotFound
    return customer


def _intent_key(customer: Customer, key: str) -> str:
    """Return the provider's idempotency key of an intent: another customer's never, however the keys are spelt."""
    return "intent:" + hashlib.sha256(f"{customer.provider_id}\0{key}".encode()).hexdigest()


def _check_named(account: Account, wish: Wish) -> None:
    """Look at the source a wish is about. Raises NotFound and InvalidInput."""
    if wish.operation == ADD:
        return
    source = _still_there(wallet_of(account), wish)
    if wish.method and TYPES[source.text("type")] != wish.method:
        raise InvalidInput(fields={"paymentsource": ["This payment method is of another kind."]})


def _check_quote(account: Account, wish: Wish) -> None:
    if wish.quote is None or not wish.collects:
        return
    state = state_of(account)
    if wish.quote != state["quote"]:
        raise QuoteChanged(extra=state)


def _check_intent(account: Account, wish: Wish) -> None:
    """Look whether PayPal's intent is authorised: the browser's word is no proof. Raises PaymentMethodInvalid."""
    if wish.method != PAYPAL or not wish.brings_a_method:
        return
    try:
        if gateway.is_authorised(wish.token, customer_id=_customer(account).provider_id):
            return
    except Refused:
        pass  # the provider has no such intent
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    raise PaymentMethodInvalid


def _planned(account: Account, wish: Wish) -> list[dict[str, Any]]:
    """Return the steps of a change. What is due is looked at here, so that no more is collected than was shown."""
    _check_quote(account, wish)
    return _PLANS[wish.operation](account, wish)


def _planned_adding(account: Account, wish: Wish) -> list[dict[str, Any]]:
    customer, wallet = _customer(account), wallet_of(account)
    # A card that an earlier try brought half way is not kept twice, however often its number is typed.
    tries = [one for one in half_way.tries(account) if wallet.find(one.brought)]
    earlier, paid = [one.brought for one in tries], [one.brought for one in tries if one.collected]
    return [
        # The provider's first source is the primary one; said all the same, for a customer whose primary was removed.
        *_bringing(customer, wish, as_primary=not wallet.primary_id, earlier=earlier),
        *steps.collecting(account, customer, steps.kept_of(earlier), paid),
        *steps.removing_twins(customer, earlier),
    ]


def _planned_updating(account: Account, wish: Wish) -> list[dict[str, Any]]:
    customer, wallet = _customer(account), wallet_of(account)
    old = _still_there(wallet, wish)
    if not wish.brings_a_method:
        return [steps.description(old, wish.owner or {})]
    new = operations.made_by(0)
    # What earlier tries brought may hold the role by now, and goes with the old one: the newest token alone counts. The
    # old one goes last, for as long as it is there the change can be asked for anew.
    earlier = (wallet.find(one.brought) for one in half_way.tries(account, to_replace=old.provider_id))
    replaced = [*filter(None, earlier), old]
    is_backup = any(one.provider_id == wallet.backup_id for one in replaced)
    return [
        *_bringing(customer, wish, as_primary=any(wallet.is_primary(one) for one in replaced)),
        *([steps.role_of(customer, new, steps.BACKUP)] if is_backup else []),
        *steps.taking_over(customer, new, replaced),
        *steps.collecting(account, customer, new),
        *(steps.removal(customer, one) for one in replaced),
    ]


def _planned_removing(account: Account, wish: Wish) -> list[dict[str, Any]]:
    wallet = wallet_of(account)
    source = _still_there(wallet, wish)
    if not wallet.is_deletable(source):
        raise PaymentMethodInUse
    return [steps.removal(_customer(account), source)]


def _planned_default(account: Account, wish: Wish) -> list[dict[str, Any]]:
    customer, wallet = _customer(account), wallet_of(account)
    source = _still_there(wallet, wish)
    source_id = source.provider_id
    role = [] if wallet.is_primary(source) else [steps.role_of(customer, source_id, steps.PRIMARY)]
    planned = [*role, *steps.collecting(account, customer, source_id)]
    if not planned:
        raise _DoneAlready
    return planned


_PLANS: dict[str, Callable[[Account, Wish], list[dict[str, Any]]]] = {
    ADD: _planned_adding,
    UPDATE: _planned_updating,
    DELETE: _planned_removing,
    SETPRIMARY: _planned_default,
}


def _still_there(wallet: Wallet, wish: Wish) -> PaymentSource:
    """Return the source that a wish is about as it is now. Raises NotFound."""
    source = wallet.find(wish.source_id)
    if source is None:
        raise NotFound
    return source


def _bringing(
    customer: Customer, wish: Wish, *, as_primary: bool, earlier: Sequence[str] = ()
) -> list[dict[str, Any]]:
    how: dict[str, Any] = {"as_primary": as_primary, "earlier": earlier}
    if wish.method == PAYPAL:
        return steps.bringing_paypal(customer, intent=wish.token, **how)
    return steps.bringing_card(customer, token=wish.token, owner=wish.owner or {}, **how)


def _ended_with(command: Command) -> str | None:
    """Return the source that a command was about in the end, None when it was removed."""
    if command.kind == KINDS[DELETE]:
        return None
    return steps.brought(command) or str(command.steps[0]["args"]["source"])


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    for one in (*_done(command, steps.REMOVE), *_done(command, steps.REMOVE_TWIN)):
        sync.bury("payment_source", one["source"])
    parts.tell(command, subscriptions, now)


def _done(command: Command, operation: str) -> list[dict[str, Any]]:
    """Return the arguments of a command's steps of one kind that were done."""
    return [
        operations.arguments_of(command, index)
        for index, one in enumerate(command.steps)
        if one["op"] == operation and one["state"] == operations.DONE
    ]


def _told(command: Command, _: list[Subscription]) -> parts.Told:
    return parts.Told(kind=command.kind, receipt=_receipt(command))


def _receipt(command: Command) -> receipts.Receipt:
    """Return the receipt of those of a command's steps that are to be told; others may have been told before."""
    if command.kind == KINDS[DELETE]:
        removed = PaymentSource.objects.get(provider_id=command.steps[0]["args"]["source"])
        return payment_words.payment_method_removed(removed)
    whole = Command.objects.get(pk=command.pk)
    source = PaymentSource.objects.get(provider_id=_ended_with(whole))
    tried = steps.asked_to_collect(command)
    due = (one for one in due_invoices(command.account) if one.provider_id in tried)
    still_due = sum(invoice.cents("amount_due") for invoice in due)
    receipt = _words(whole)(source, collected=steps.collected(command), still_due=still_due)
    is_new_told = steps.added(whole) is None or steps.added(command) is not None
    return receipt if is_new_told else payment_words.rest_of(receipt)


def _words(command: Command) -> Callable[..., receipts.Receipt]:
    """Return the receipt that tells what came about: an update that left the old one there has added one."""
    has_added = steps.brought(command) is not None and not _done(command, steps.REMOVE)
    if has_added:
        return payment_words.payment_method_added
    return {
        KINDS[UPDATE]: payment_words.payment_method_updated,
        KINDS[SETPRIMARY]: payment_words.default_payment_method,
    }[command.kind]


for _kind in KINDS.values():
    parts.register(_kind, _told)
    carrying_out.register_kind(_kind, _finished)
