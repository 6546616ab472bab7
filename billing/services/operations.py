"""What the steps of commands do: how each is asked for, and how the provider shows it done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot
from billing.models import Command, Subscription

# A step that the provider may have been asked for, and may have done.
SENT = "sent"
# How a step ends that a command does not end with: it was done, or there was no need.
DONE, SKIPPED = "done", "skipped"
ENDED = (DONE, SKIPPED)


@dataclass(frozen=True)
class Operation:
    """What one kind of step to a subscription does.

    `send` asks the provider, given a subscription's id, an idempotency key and the step's arguments. `holds` tells
    from the provider's present state, given the same arguments, whether the step was done. `applied` makes our own
    effects, in the transaction that applies the answer. `repeatable` is one that cannot charge twice and, asked
    again, ends in the same state: found not done after the idempotency window it is asked again, with a new key, a few
    times at most.
    """

    send: Callable[..., Sequence[Snapshot]]
    holds: Callable[..., bool]
    applied: Callable[[Subscription, datetime], None] | None = None
    repeatable: bool = False


@dataclass(frozen=True)
class AccountOperation:
    """What one kind of step to a customer's payment sources and invoices does.

    `send` and `repeatable` are as in `Operation`, without a subscription; `holds` looks at everything of the
    customer's. `made` is what later steps and the answer need to know of it, kept with the step. A step that is not
    `needed`, given the command and the step's arguments, is passed over; so is one whose refusal it `forgives`. One
    that `carries_on` is waited for while the provider cannot be reached, rather than given up half-way.
    """

    send: Callable[..., Sequence[Snapshot]]
    holds: Callable[..., bool]
    made: Callable[..., Any] | None = None
    needed: Callable[..., bool] | None = None
    repeatable: bool = True
    carries_on: bool = False
    forgives: bool = False


_operations: dict[str, Operation | AccountOperation] = {}


def register_operation(name: str, operation: Operation | AccountOperation) -> None:
    """Make known what a step of this name does."""
    _operations[name] = operation


def operation_of(command: Command, index: int) -> Operation | AccountOperation:
    """Return what the step at an index does."""
    return _operations[command.steps[index]["op"]]


def step(operation: str, subscription_id: str, **arguments: Any) -> dict[str, Any]:
    """Return a step that waits to be done; its arguments are kept as JSON."""
    return {"op": operation, "subscription": subscription_id, "args": arguments, "state": "waiting", "try": 0}


def account_step(operation: str, **arguments: Any) -> dict[str, Any]:
    """Return a step that concerns no subscription; an argument may be what an earlier one `made_by`."""
    return step(operation, "", **arguments)


def made_by(index: int) -> dict[str, int]:
    """Return what stands, among a step's arguments, for what the step at an index made."""
    return {"made_by": index}


def made(command: Command, operation: str) -> list[Any]:
    """Return what the command's steps of one kind made, in order; those passed over made nothing."""
    return [one["made"] for one in command.steps if one["op"] == operation and "made" in one]


def begun_at(command: Command, subscription_id: str) -> datetime:
    """Return since when a command may have changed a subscription: billing's time when it was first asked for."""
    begun = [
        one["begun_at"]
        for one in command.steps
        if one["subscription"] == subscription_id and "begun_at" in one
    ]
    first = datetime.fromtimestamp(min(begun), tz=UTC) if begun else None
    return first or command.first_sent_at or command.created_at


def arguments_of(command: Command, index: int) -> dict[str, Any]:
    """Return the arguments of a step as it is sent, with what earlier steps made in its place."""
    given = command.steps[index]["args"]
    return {
        name: command.steps[value["made_by"]]["made"]
        if isinstance(value, dict) and "made_by" in value
        else value
        for name, value in given.items()
    }


def has_or_will_have_price(found: SubscriptionSnapshot, *, price: str) -> bool:
    """Whether a subscription changes to a price at its term's end, or has done so since it was asked for."""
    return price in (found.item_price_id, found.changing_to)
