"""Signals of commands, so that those who count them are not imported here.

`command_settled` (`command`, and `seconds`, the time since it was opened or reopened): sent after the transaction that
closed a command that a person asked for, done or failed. What a receiver raises is logged by Django.
"""

from django.db import transaction
from django.dispatch import Signal

from billing import clock
from billing.models import Command
from billing.models.commands import SYSTEM_ACTOR

command_settled = Signal()


def announce_settled_command(command: Command) -> None:
    """Send `command_settled` after the transaction, unless nobody waits for the command."""
    if command.actor == SYSTEM_ACTOR:
        return

    def send_signal() -> None:
        began = command.first_sent_at or command.created_at
        seconds = (clock.billing_now() - began).total_seconds()
        command_settled.send_robust(sender=Command, command=command, seconds=seconds)

    transaction.on_commit(send_signal, robust=True)
