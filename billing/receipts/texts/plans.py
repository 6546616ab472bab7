"""The texts of receipts of changes of services and billing periods."""

from collections.abc import Collection, Sequence

from billing.models import Subscription
from billing.receipts.charges import Charges
from billing.receipts.delivery import Receipt, undo_links
from billing.receipts.phrases import (
    Fact,
    billing_facts,
    end_phrase,
    goes_on_sentence,
    join_words,
    long_date,
    plan_name,
    plan_names,
    scheduled_endings,
    verb_form,
)
from billing.receipts.texts.cancellation import set_aside_lines


def services_changed_receipt(
    *,
    started: Sequence[Subscription],
    kept: Sequence[Subscription],
    ended: Sequence[Subscription],
    charges: Charges,
    going_on: Sequence[Subscription] = (),
    set_aside: Sequence[Subscription] = (),
    lost: Sequence[str] = (),
    owing: Collection[str] = (),
) -> Receipt:
    """Return the receipt of added, kept and removed services, with what was charged.

    `going_on`, `set_aside`, and `lost` are as in the receipt of a cancellation. `owing` are the provider's ids of the
    subscriptions for which something is still collected.
    """
    facts: list[Fact] = [(plan_name(subscription), "starts now") for subscription in started]
    facts += [(plan_name(subscription), "continues") for subscription in kept]
    facts += [(plan_name(subscription), end_phrase(subscription)) for subscription in ended]
    facts += charges.receipt_facts() if started or charges.total else []
    ending = scheduled_endings(ended)
    return Receipt(
        title=_services_title(started, kept, ended),
        lines=[*_services_lines(started, kept, ended, owing), *set_aside_lines(set_aside, lost)],
        facts=[*facts, *billing_facts([*started, *kept, *going_on])],
        undo_text="Changed your mind? You can undo this anytime before then." if ending else "",
        links=undo_links(ending, "Keep {}"),
    )


def billing_period_receipt(
    *, changed: Sequence[Subscription], changing: Sequence[Subscription], period_unit: str, charges: Charges
) -> Receipt:
    """Return the receipt of a switch to monthly or yearly billing, at once or at the end of the term."""
    adverb, adjective = {"month": ("monthly", "monthly"), "year": ("annually", "annual")}[period_unit]
    every = [*changed, *changing]
    return Receipt(
        title=f"{plan_names(every)} {verb_form(every, 'switches', 'switch')} to {adjective} billing"
        if changing
        else f"{plan_names(every)} {verb_form(every, 'is', 'are')} now billed {adverb}",
        lines=[_switch_line(changed, changing)],
        facts=[
            *((f"{plan_name(subscription)} changes", _change_date(subscription)) for subscription in changing),
            *(charges.receipt_facts() if changed else []),
            *billing_facts(every),
        ],
        undo_text="Changed your mind? You can undo this anytime before then." if changing else "",
        links=undo_links(changing, "Undo change" if len(changing) == 1 else "Undo change of {}"),
    )


def change_removed_receipt(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a removed scheduled change."""
    return Receipt(
        title=f"The scheduled change to {plan_names(subscriptions)} was undone",
        lines=[goes_on_sentence(subscriptions)],
        facts=billing_facts(subscriptions),
    )


def _services_title(
    started: Sequence[Subscription], kept: Sequence[Subscription], ended: Sequence[Subscription]
) -> str:
    parts = {"added": started, "kept": kept, "removed": ended}
    return f"You {join_words([f'{verb} {plan_names(plans)}' for verb, plans in parts.items() if plans])}"


def _services_lines(
    started: Sequence[Subscription],
    kept: Sequence[Subscription],
    ended: Sequence[Subscription],
    owing: Collection[str],
) -> list[str]:
    is_owed = any(subscription.provider_id in owing for subscription in ended)
    last = "No more charges for {}, except what you still owe." if is_owed else "No more charges for {}."
    lines = {
        "You can start watching {} right away.": started,
        "{} will renew as usual.": kept,
        last: ended,
    }
    return [line.format(plan_names(plans)) for line, plans in lines.items() if plans]


def _switch_line(changed: Sequence[Subscription], changing: Sequence[Subscription]) -> str:
    if not changing:
        return "The change took effect immediately."
    at_once = f"{plan_names(changed)} changed immediately. " if changed else ""
    verb = verb_form(changing, "changes", "change")
    return f"{at_once}{plan_names(changing)} {verb} at the end of your billing cycle."


def _change_date(subscription: Subscription) -> str:
    at = subscription.period_end
    return long_date(at) if at is not None else "at the end of your billing cycle"
