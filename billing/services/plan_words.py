"""What subscribers are told about their services and how they are billed."""

from collections.abc import Sequence

from billing.models import Subscription
from billing.services.charges import Charges
from billing.services.receipts import BEFORE_TAX, Receipt, undo_links
from billing.services.wording import (
    Fact,
    billing_facts,
    end_of,
    goes_on,
    long_date,
    names_of,
    plan_name,
    still_there,
    verb,
)


def services_changed(
    *,
    started: Sequence[Subscription],
    kept: Sequence[Subscription],
    ended: Sequence[Subscription],
    charges: Charges,
) -> Receipt:
    """Return the receipt of services added, kept and removed, with what was charged at once."""
    facts: list[Fact] = [(plan_name(one), "starts now") for one in started]
    facts += [(plan_name(one), "goes on") for one in kept]
    facts += [(plan_name(one), end_of(one)) for one in ended]
    facts += charges.facts() if started else []
    ending = still_there(ended)
    return Receipt(
        title="Your services were changed",
        lines=["This is what you have from now on."],
        note=BEFORE_TAX if started or kept else "",
        facts=[*facts, *billing_facts([*started, *kept])],
        undo_text="Changed your mind? You can keep what is to end until its date." if ending else "",
        links=undo_links(ending, "Keep {}"),
    )


def periods_switched(
    *, changed: Sequence[Subscription], changing: Sequence[Subscription], period_unit: str, charges: Charges
) -> Receipt:
    """Return the receipt of a switch to monthly or yearly billing, at once or at the term's end."""
    word = {"month": "monthly", "year": "yearly"}[period_unit]
    every = [*changed, *changing]
    return Receipt(
        title=f"{names_of(every)} will be billed {word}"
        if changing
        else f"{names_of(every)} {verb(every, 'is', 'are')} now billed {word}",
        lines=[_switch_line(changed, changing)],
        note=BEFORE_TAX,
        facts=[
            *((f"{plan_name(one)} changes", _change_date(one)) for one in changing),
            *(charges.facts() if changed else []),
            *billing_facts(every),
        ],
        undo_text="Changed your mind? Until then you can take the change back." if changing else "",
        links=undo_links(changing, "Take back the change of {}"),
    )


def scheduled_change_removed(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a scheduled change taken back."""
    return Receipt(
        title=f"The scheduled change of {names_of(subscriptions)} was removed",
        lines=[goes_on(subscriptions)],
        note=BEFORE_TAX,
        facts=billing_facts(subscriptions),
    )


def _switch_line(changed: Sequence[Subscription], changing: Sequence[Subscription]) -> str:
    if not changing:
        return "The change took effect at once."
    at_once = f"{names_of(changed)} changed at once. " if changed else ""
    return f"{at_once}{names_of(changing)} {verb(changing, 'changes', 'change')} when the paid time is over."


def _change_date(subscription: Subscription) -> str:
    at = subscription.current_term_end
    return long_date(at) if at is not None else "when its term ends"
