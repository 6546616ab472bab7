"""How much an operator may refund and credit (docs/rules.md, rule 24)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Max

from accounts.models import User
from billing.models import Command, RefundGrant, RefundLimit
from core.clock import database_now

REFUND_INVOICE, GIVE_CREDIT = "refund_invoice", "give_credit"
REFUND_KINDS = (REFUND_INVOICE, GIVE_CREDIT)
PERIOD = timedelta(hours=24)


@dataclass(frozen=True)
class Allowance:
    """What an operator may give at once and in 24 hours, and what they have given in the last 24, in cents."""

    per_act: int
    per_day: int
    given: int

    @property
    def left(self) -> int:
        """The most that the next refund or credit may give."""
        return max(min(self.per_act, self.per_day - self.given), 0)


def allowance_of(operator: User, *, besides: Command | None = None) -> Allowance | None:
    """Return what an operator may give, by the most generous of their groups; None for a superuser, without limit.

    What is being given counts, also if it is in doubt, since the same request may still give it. What was refused does
    not; nor does the command `besides`. Two queries.
    """
    if operator.is_superuser:
        return None
    limits = RefundLimit.objects.filter(group__user=operator)
    most = limits.aggregate(per_act=Max("per_act"), per_day=Max("per_day"))
    grants = RefundGrant.objects.filter(operator=operator, created_at__gt=database_now() - PERIOD)
    if besides is not None:
        grants = grants.exclude(command=besides)
    return Allowance(
        per_act=most["per_act"] or 0,
        per_day=most["per_day"] or 0,
        given=sum(grant.amount for grant in grants.select_related("command") if may_be_given(grant)),
    )


def record_grant(operator: User, command: Command, *, amount: int) -> None:
    """Count what a command gives (cents) toward its operator's limit, once, and forget what counts no more.

    It counts from now on, also if an earlier try of the command, which gave nothing, was counted before.
    """
    now = database_now()
    RefundGrant.objects.filter(operator=operator, created_at__lte=now - PERIOD).delete()
    counted = {"operator": operator, "amount": amount, "created_at": now}
    RefundGrant.objects.update_or_create(command=command, defaults=counted)


def may_be_given(grant: RefundGrant) -> bool:
    """Return whether a grant was made or is in doubt; what was refused is neither. An erased command was made."""
    command = grant.command
    return command is None or command.state != Command.State.FAILED or any(step.is_in_doubt for step in command.steps)
