"""What subscribers are told about leaving, and about staying after all."""

from collections.abc import Sequence

from billing.models import Subscription
from billing.services.receipts import ADD_SERVICES, BEFORE_TAX, Link, Receipt, undo_links
from billing.services.wording import (
    Fact,
    billing_facts,
    end_of,
    goes_on,
    listed,
    long_date,
    names_of,
    plan_name,
    still_there,
    verb,
)


def cancelled(
    ended: Sequence[Subscription],
    *,
    going_on: Sequence[Subscription] = (),
    set_aside: Sequence[Subscription] = (),
    lost: Sequence[str] = (),
) -> Receipt:
    """Return the receipt of a cancellation: what ends when, each by its state in the mirror.

    `going_on` are the account's others, whose next bill may have changed with the bundle; for those `set_aside`
    something was scheduled, which does not come about now; `lost` is what waits, in words, for a bill that will not
    come.
    """
    ending = still_there(ended)
    return Receipt(
        title=f"Your cancellation of {names_of(ended)} is scheduled"
        if ending
        else f"{names_of(ended)} {verb(ended, 'is', 'are')} cancelled",
        lines=[
            *_end_lines(ended, ending),
            *_set_aside_line(set_aside),
            *_lost_line(lost),
        ],
        note=BEFORE_TAX if going_on else "",
        facts=[*((plan_name(one), end_of(one)) for one in ended), *billing_facts(going_on)],
        undo_text="Changed your mind? Until that date you can keep watching as before."
        if ending
        else "You can start again whenever you like.",
        links=undo_links(ending, "Keep {}") if ending else [Link("Start again", ADD_SERVICES)],
    )


def kept(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a scheduled cancellation taken back; what it had set aside is there again."""
    pausing = [one for one in subscriptions if one.has_scheduled_pause]
    changing = [one for one in subscriptions if one.has_scheduled_changes]
    restored = [
        *(f"The pause of {plan_name(one)} is scheduled again." for one in pausing),
        *(f"The change of {plan_name(one)} is scheduled again." for one in changing),
    ]
    return Receipt(
        title=f"You keep {names_of(subscriptions)}",
        lines=["What was going to end goes on as before.", *restored],
        note=BEFORE_TAX,
        facts=[*_pause_facts(pausing), *billing_facts(subscriptions)],
        links=undo_links([*pausing, *changing], "See what is scheduled for {}"),
    )


def scheduled_set_aside(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of what was scheduled and taken away for an ending that did not come about."""
    return Receipt(
        title=f"What was scheduled for {names_of(subscriptions)} was removed",
        lines=[goes_on(subscriptions)],
        note=BEFORE_TAX,
        facts=billing_facts(subscriptions),
    )


def _pause_facts(pausing: Sequence[Subscription]) -> list[Fact]:
    return [
        (f"{plan_name(one)} pauses", long_date(one.pause_date))
        for one in pausing
        if one.pause_date is not None
    ]


def _set_aside_line(set_aside: Sequence[Subscription]) -> list[str]:
    return [f"What was scheduled for {names_of(set_aside)} is off."] if set_aside else []


def _end_lines(ended: Sequence[Subscription], ending: Sequence[Subscription]) -> list[str]:
    over = [one for one in ended if one not in ending]
    lines = []
    if ending:
        lines.append(
            f"You can watch {names_of(ending)} until the date below, and nothing is billed for "
            f"{verb(ending, 'it', 'them')} any more."
        )
    if over:
        lines.append(
            f"{names_of(over)} {verb(over, 'has', 'have')} ended at once. Nothing is billed any more."
        )
    return lines


def _lost_line(lost: Sequence[str]) -> list[str]:
    if not lost:
        return []
    return [f"{listed(lost)} will not be used, unless you keep what it waits for."]
