"""The kinds of commands differ in what follows when all steps are done."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from billing.models import Command, Subscription
from billing.receipts.delivery import ReceiptComposer


@dataclass(frozen=True)
class CommandKind:
    """A kind of command; `name` is stored with the command, and `COMMAND_KINDS` has all kinds by name.

    In the transaction of the last step, `finish` is called with the command, its subscriptions and billing's time
    (UTC); then the `ActivityReceipt` that `compose_receipt` returns is queued. A command that ended in part gets a
    receipt of the part later.
    """

    name: str
    compose_receipt: ReceiptComposer | None = None
    finish: Callable[[Command, list[Subscription], datetime], None] | None = None
