"""What operators do for an account in billing: resume, take a scheduled pause back, read the provider again."""

from __future__ import annotations

from accounts.admin import acts
from accounts.admin.acts import Act, Doing, Question
from accounts.models import Account
from billing import clock
from billing.admin.readable import when
from billing.catalog import find_plan
from billing.models import PauseSchedule, Subscription
from billing.money import format_cents
from billing.services import pauses, resumes, support

RESUME, REMOVE_PAUSE, RESYNC = "resume", "remove-scheduled-pause", "resync"


def _named(account: Account, subscription_id: str) -> str:
    """Name a subscription of the account by its plan; one of another account only by the id that was asked for."""
    found = Subscription.objects.filter(customer__account=account, provider_id=subscription_id).first()
    plan = find_plan(found.plan_id) if found is not None else None
    return f"{plan.name} ({subscription_id})" if plan else subscription_id


def _ask_resume(account: Account, about: str) -> Question:
    found = resumes.estimate(account, subscription_ids=[about], days=None, now=clock.now())
    name = _named(account, about)
    return Question(
        title=f"Resume {name} now?",
        lines=[
            f"This charges {format_cents(found.amount_due)} now, to {account.email}'s payment method.",
            "They are told by mail, and their activity says that support did this.",
        ],
        button=f"Resume, and charge {format_cents(found.amount_due)}",
        quote=found.quote,
    )


def _resume(account: Account, doing: Doing) -> str:
    resumes.resume(
        account,
        subscription_ids=[doing.about],
        quote=doing.quote,
        key=doing.key,
        actor=doing.actor,
        now=clock.now(),
    )
    return f"{_named(account, doing.about)} is resumed."


def _ask_remove(account: Account, about: str) -> Question:
    waiting = PauseSchedule.objects.filter(
        subscription__customer__account=account,
        subscription__provider_id=about,
        state=PauseSchedule.State.SCHEDULED,
    ).first()
    if waiting is None:
        raise pauses.NoScheduledPause
    return Question(
        title=f"Remove the scheduled pause of {_named(account, about)}?",
        lines=[
            f"It was to start on {when(waiting.pause_date)}. The subscription goes on, and bills on that date.",
            "They are told by mail, and their activity says that support did this.",
        ],
        button="Remove the pause",
    )


def _remove(account: Account, doing: Doing) -> str:
    pauses.remove_scheduled(
        account, subscription_ids=[doing.about], key=doing.key, actor=doing.actor, now=clock.now()
    )
    return f"The scheduled pause of {_named(account, doing.about)} is removed."


def _ask_resync(account: Account, about: str) -> Question:
    return Question(
        title="Read everything again from the provider?",
        lines=[
            f"What the provider holds of {account.email} replaces what the portal shows. Nothing is charged.",
            "Their activity says that support did this.",
        ],
        button="Read again",
    )


def _resync(account: Account, doing: Doing) -> str:
    support.resync(account, actor=doing.actor, now=clock.now())
    return "Everything is as the provider has it."


acts.register(
    Act(RESUME, "Resume now…", "billing.change_pauseschedule", _ask_resume, _resume, about_one=True)
)
acts.register(
    Act(
        REMOVE_PAUSE,
        "Remove the scheduled pause…",
        "billing.change_pauseschedule",
        _ask_remove,
        _remove,
        about_one=True,
    )
)
acts.register(Act(RESYNC, "Read again from the provider…", "billing.change_customer", _ask_resync, _resync))
