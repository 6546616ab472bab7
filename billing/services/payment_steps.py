"""The steps that changes of payment methods are made of: what is sent, and how the provider shows it done.

Card data is in none of them: a card's token and PayPal's intent are good once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q

from accounts.models import Account
from billing.gateway import payment_methods as gateway
from billing.gateway.snapshots import (
    InvoiceSnapshot,
    PaymentSourceSnapshot,
    Snapshot,
    SubscriptionSnapshot,
    TransactionSnapshot,
)
from billing.models import Command, Customer, Invoice, PaymentSource, Subscription
from billing.queries.dues import DUE
from billing.queries.payment_methods import CARD, PAYPAL, TYPES, due_invoices, looks_like
from billing.services import operations

ADD_CARD, ADD_PAYPAL, DESCRIBE, UPDATE_CARD = "add_card", "add_paypal", "describe_card", "update_card"
TAKE_ROLE, COLLECT, MAKE_PAYER_PRIMARY, REMOVE = "take_role", "collect", "make_payer_primary", "remove_source"
TAKE_SUBSCRIPTION, KEEP_ONE, REMOVE_TWIN = "take_subscription", "keep_one", "remove_twin"
PRIMARY, BACKUP = "primary", "backup"


def description(source: PaymentSource, owner: Mapping[str, str]) -> dict[str, Any]:
    """Return the step that changes what a card says of its owner."""
    return operations.account_step(UPDATE_CARD, source=source.provider_id, **owner)


def bringing_card(
    customer: Customer, *, token: str, owner: Mapping[str, str], as_primary: bool, earlier: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the steps that bring a card, the first of which makes it; `earlier` is as in `kept_of`."""
    return [
        operations.account_step(ADD_CARD, token=token, **_addition(customer, as_primary)),
        *_keeping_one(earlier),
        operations.account_step(DESCRIBE, source=kept_of(earlier), **owner),
    ]


def bringing_paypal(
    customer: Customer, *, intent: str, as_primary: bool, earlier: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the steps that bring a PayPal account, the first of which makes it; `earlier` is as in `kept_of`."""
    added = operations.account_step(ADD_PAYPAL, intent=intent, **_addition(customer, as_primary))
    return [added, *_keeping_one(earlier)]


def kept_of(earlier: Sequence[str]) -> dict[str, int]:
    """Return what stands for the source that is kept of a new one and those that tries in vain brought earlier."""
    return operations.made_by(1 if earlier else 0)


def _keeping_one(earlier: Sequence[str]) -> list[dict[str, Any]]:
    if not earlier:
        return []
    return [operations.account_step(KEEP_ONE, source=operations.made_by(0), earlier=list(earlier))]


def removing_twins(customer: Customer, earlier: Sequence[str]) -> list[dict[str, Any]]:
    """Return the steps that remove those of a new source and of earlier ones that are the kept one over again."""
    extra = [operations.made_by(0), *earlier] if earlier else []
    return [
        operations.account_step(REMOVE_TWIN, customer=customer.provider_id, source=one, kept=kept_of(earlier))
        for one in extra
    ]


def _addition(customer: Customer, as_primary: bool) -> dict[str, Any]:
    # Those that are not shown count too: one of them must not be taken for the new one.
    before = customer.payment_sources.values_list("provider_id", flat=True)
    return {"customer": customer.provider_id, "as_primary": as_primary, "before": sorted(before)}


def removal(customer: Customer, source: PaymentSource) -> dict[str, Any]:
    """Return the step that removes a source."""
    return operations.account_step(REMOVE, customer=customer.provider_id, source=source.provider_id)


def role_of(customer: Customer, source: Any, role: str) -> dict[str, Any]:
    """Return the step that gives a source a role."""
    return operations.account_step(TAKE_ROLE, customer=customer.provider_id, source=source, role=role)


def taking_over(customer: Customer, source: Any, replaced: Iterable[PaymentSource]) -> list[dict[str, Any]]:
    """Return the steps that charge to a source the plans that were tied to those in whose place it comes."""
    tied = Q(payload__payment_source_id__in=[one.provider_id for one in replaced])
    found = customer.subscriptions.filter(tied, deleted=False).order_by("pk")
    return [
        operations.account_step(
            TAKE_SUBSCRIPTION,
            subscription=one.provider_id,
            source=source,
            tied_to=one.text("payment_source_id"),
        )
        for one in found
    ]


def collecting(
    account: Account, customer: Customer, source: Any, paid: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the steps that collect what is due with a source, and make it the default one when it paid.

    `paid` are those sources that have paid already, in an earlier try that went no further.
    """
    due = due_invoices(account)
    if not due and not paid:
        return []
    default = {"customer": customer.provider_id, "source": source, "paid": list(paid)}
    return [
        *(_collection(invoice, source) for invoice in due),
        operations.account_step(MAKE_PAYER_PRIMARY, **default),
    ]


def _collection(invoice: Invoice, source: Any) -> dict[str, Any]:
    # A source may have paid a part of an invoice before: that is not collected by this command.
    before = sorted(link["txn_id"] for link in invoice.payload.get("linked_payments") or ())
    return operations.account_step(COLLECT, invoice=invoice.provider_id, source=source, before=before)


def collected(command: Command) -> int:
    """Return what a command collected, in cents."""
    return sum(operations.made(command, COLLECT))


def added(command: Command) -> str | None:
    """Return the id of the source that a command made, None when it was about one that was there."""
    made = [*operations.made(command, ADD_CARD), *operations.made(command, ADD_PAYPAL)]
    return str(made[0]) if made else None


def brought(command: Command) -> str | None:
    """Return the id of the source that a command ended with: the new one, or the one it is over again; else None."""
    kept = operations.made(command, KEEP_ONE)
    return str(kept[0]) if kept else added(command)


def replaced(command: Command) -> str | None:
    """Return the id of the source that a command was asked to replace, None for others; it is removed last."""
    removals = [str(one["args"]["source"]) for one in command.steps if one["op"] == REMOVE]
    return removals[-1] if removals and added(command) else None


def concerns(command: Command, source_id: str) -> bool:
    """Return whether something was done about a source by a command, or it was kept for being there already."""
    done = (one for one in command.steps if one["state"] == operations.DONE)
    return any(source_id in (one["args"].get("source"), one.get("made")) for one in done)


def _add_card(*, key: str, before: Sequence[str], **asked: Any) -> list[Snapshot]:
    return gateway.add_card(key=key, **asked)


def _add_paypal(*, key: str, before: Sequence[str], **asked: Any) -> list[Snapshot]:
    return gateway.add_paypal(key=key, **asked)


def _ask_nothing(**_: Any) -> list[Snapshot]:
    """Which one is kept is seen from what the mirror holds."""
    return []


def _kept(_: Sequence[Snapshot], *, source: str, earlier: Sequence[str]) -> str:
    """Return the id of the earliest source that a new one is over again, else the new one's."""
    return next((one for one in earlier if _is_over_again(source, one)), source)


def _is_over_again(source: str, other: str) -> bool:
    held = {row.provider_id: row for row in PaymentSource.objects.filter(provider_id__in=(source, other))}
    return len(held) == 2 and looks_like(held[source], held[other])


def _remove(*, key: str, customer: str, source: str, kept: str = "") -> list[Snapshot]:
    tied = Subscription.objects.filter(payload__payment_source_id=source, deleted=False)
    ids = list(tied.order_by("pk").values_list("provider_id", flat=True))
    return gateway.remove(key=key, customer=customer, source=source, tied=ids)


def _is_twin(_: Command, *, source: str, kept: str, **__: Any) -> bool:
    return _is_over_again(source, kept)


def _collect(*, key: str, invoice: str, source: str, before: Sequence[str] = ()) -> list[Snapshot]:
    return gateway.collect(key=key, invoice=invoice, source=source)


def _make_primary(*, key: str, customer: str, source: str, paid: Sequence[str] = ()) -> list[Snapshot]:
    return gateway.assign_role(key=key, customer=customer, source=source, role=PRIMARY)


def _new_source(found: Sequence[Snapshot], *, before: Sequence[str], **asked: Any) -> str | None:
    """Return the id of the newest source, of the kind that was asked for, that was not there before."""
    kind = PAYPAL if "intent" in asked else CARD
    new = [
        one
        for one in found
        if isinstance(one, PaymentSourceSnapshot)
        and not one.deleted
        and one.id not in before
        and TYPES.get(one.payload.get("type", "")) == kind
    ]
    newest = max(new, key=lambda one: int(one.payload.get("created_at") or 0), default=None)
    return newest.id if newest else None


def _is_added(found: Sequence[Snapshot], **asked: Any) -> bool:
    return _new_source(found, **asked) is not None


def _brought(found: Sequence[Snapshot], **asked: Any) -> str:
    """Return the id of the source that an answer is about, or that the account has since.

    A provider may answer with one that it had already, where the same method is added again.
    """
    known = (one.id for one in found if isinstance(one, PaymentSourceSnapshot))
    return _new_source(found, **asked) or next(known)


def _source_of(found: Sequence[Snapshot], source: str) -> PaymentSourceSnapshot | None:
    held = (one for one in found if isinstance(one, PaymentSourceSnapshot) and one.id == source)
    return next(held, None)


def _describes(found: Sequence[Snapshot], *, source: str, **owner: str) -> bool:
    held = _source_of(found, source)
    return held is not None and _is_described(held.payload, owner)


def _is_described(payload: Mapping[str, Any], owner: Mapping[str, str]) -> bool:
    card = payload.get("card") or {}
    return all((card.get(name) or "") == value for name, value in owner.items())


def _needs_describing(_: Command, *, source: str, **owner: str) -> bool:
    """The card fields were told the names too; where the provider kept them there is nothing to add."""
    row = PaymentSource.objects.filter(provider_id=source).first()
    return row is not None and not _is_described(row.payload, owner)


def _has_role(found: Sequence[Snapshot], *, source: str, role: str, **_: Any) -> bool:
    return any(one.payload.get(f"{role}_payment_source_id") == source for one in found)


def _is_primary(found: Sequence[Snapshot], *, source: str, **_: Any) -> bool:
    return _has_role(found, source=source, role=PRIMARY)


def _is_tied_otherwise(found: Sequence[Snapshot], *, subscription: str, tied_to: str, **_: Any) -> bool:
    held = (one for one in found if isinstance(one, SubscriptionSnapshot) and one.id == subscription)
    return any(one.payload.get("payment_source_id") != tied_to for one in held)


def _is_gone(found: Sequence[Snapshot], *, source: str, **_: Any) -> bool:
    held = _source_of(found, source)
    return held is None or held.deleted


def _is_paid(found: Sequence[Snapshot], *, invoice: str, **_: Any) -> bool:
    held = (one for one in found if isinstance(one, InvoiceSnapshot) and one.id == invoice)
    return any(one.status == "paid" for one in held)


def _charged(found: Sequence[Snapshot], *, invoice: str, source: str, before: Sequence[str] = ()) -> int:
    """Return what a source paid of an invoice since, in cents; 0 after a decline."""
    payments = {
        one.id
        for one in found
        if isinstance(one, TransactionSnapshot)
        and one.payload.get("payment_source_id") == source
        and one.payload.get("status") == "success"
        and one.id not in before
    }
    links = (one.payload["linked_payments"] for one in found if one.id == invoice)
    return sum(
        int(link.get("applied_amount") or 0) for rows in links for link in rows if link["txn_id"] in payments
    )


def _nothing_declined(command: Command, *, invoice: str, **_: Any) -> bool:
    """After a decline the card is not asked for the next invoice: every decline counts against the subscriber.

    One that had been paid by then was not declined.
    """
    tried = [number for number in asked_to_collect(command, done=True) if number != invoice]
    return not Invoice.objects.filter(provider_id__in=tried, status__in=DUE).exists()


def asked_to_collect(command: Command, *, done: bool = False) -> list[str]:
    """Return the numbers of the invoices that a command is to collect, or has tried to."""
    steps = (one for one in command.steps if one["op"] == COLLECT)
    return [one["args"]["invoice"] for one in steps if not done or one["state"] == operations.DONE]


def _is_replaced(command: Command, *, source: str, **_: Any) -> bool:
    """What the command brought is not removed, were it the one that was there before."""
    return brought(command) != source


def _has_paid(command: Command, *, customer: str, source: str, paid: Sequence[str] = ()) -> bool:
    held = Customer.objects.get(provider_id=customer)
    has_paid = collected(command) > 0 or source in paid
    return has_paid and held.text("primary_payment_source_id") != source


def _register() -> None:
    operation = operations.AccountOperation
    known = {
        ADD_CARD: operation(send=_add_card, holds=_is_added, made=_brought),
        ADD_PAYPAL: operation(send=_add_paypal, holds=_is_added, made=_brought),
        DESCRIBE: operation(
            send=gateway.update_card,
            holds=_describes,
            needed=_needs_describing,
            carries_on=True,
            forgives=True,
        ),
        UPDATE_CARD: operation(send=gateway.update_card, holds=_describes),
        TAKE_ROLE: operation(send=gateway.assign_role, holds=_has_role, carries_on=True),
        COLLECT: operation(
            send=_collect, holds=_is_paid, made=_charged, needed=_nothing_declined, carries_on=True
        ),
        MAKE_PAYER_PRIMARY: operation(
            send=_make_primary, holds=_is_primary, needed=_has_paid, carries_on=True
        ),
        KEEP_ONE: operation(send=_ask_nothing, holds=lambda *_, **__: True, made=_kept, carries_on=True),
        REMOVE_TWIN: operation(send=_remove, holds=_is_gone, needed=_is_twin, carries_on=True),
        TAKE_SUBSCRIPTION: operation(
            send=gateway.take_subscription, holds=_is_tied_otherwise, carries_on=True
        ),
        REMOVE: operation(send=_remove, holds=_is_gone, needed=_is_replaced, carries_on=True),
    }
    for name, one in known.items():
        operations.register_operation(name, one)


_register()
