"""The texts of receipts of cancellations and their removal."""

from collections.abc import Collection, Sequence

from billing.models import Subscription
from billing.receipts.charges import Charges
from billing.receipts.delivery import ADD_SERVICES_PATH, DASHBOARD_PATH, Link, Receipt, undo_links
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

NO_CHARGES = Charges()


def cancellation_receipt(
    ended: Sequence[Subscription],
    *,
    going_on: Sequence[Subscription] = (),
    set_aside: Sequence[Subscription] = (),
    lost: Sequence[str] = (),
    charges: Charges = NO_CHARGES,
    owing: Collection[str] = (),
) -> Receipt:
    """Return the receipt of a cancellation, with the end of each subscription by its state in the mirror.

    `going_on` are the account's other subscriptions, whose next bills may have changed with the bundle. `set_aside`
    are those whose scheduled pause or change was set aside. `lost` names discounts that waited for a next bill.
    `charges` are those that waited for a bill, which an immediate end has. `owing` are the provider's ids of the
    subscriptions for which a bill is overdue or charges wait.
    """
    ending = scheduled_endings(ended)
    undo_text, links = _way_back(ended, ending)
    return Receipt(
        title=_title(ended, ending),
        lines=[
            *_end_lines(ended, ending, charges, owing),
            *set_aside_lines(set_aside, lost),
        ],
        facts=[
            *((plan_name(subscription), end_phrase(subscription)) for subscription in ended),
            *(charges.receipt_facts() if charges.total else []),
            *billing_facts([*ending, *going_on]),
        ],
        undo_text=undo_text,
        links=links,
    )


def _title(ended: Sequence[Subscription], ending: Sequence[Subscription]) -> str:
    over = _ended_at_once(ended, ending)
    canceled = f"{plan_names(over)} {verb_form(over, 'was', 'were')} canceled"
    if not ending:
        return canceled
    scheduled = f"Your cancellation of {plan_names(ending)} is scheduled"
    return f"{scheduled}, and {canceled}" if over else scheduled


def _ended_at_once(ended: Sequence[Subscription], ending: Sequence[Subscription]) -> list[Subscription]:
    return [subscription for subscription in ended if subscription not in ending]


def _way_back(ended: Sequence[Subscription], ending: Sequence[Subscription]) -> tuple[str, Sequence[Link]]:
    """Return what is said of keeping the plans or starting them again, and the links to it; nothing of unsold ones."""
    if ending:
        kept = f"keep {plan_names(ending)} anytime before {verb_form(ending, 'it ends', 'they end')}"
        what = kept if _ended_at_once(ended, ending) else "undo this anytime before then"
        return f"Changed your mind? You can {what}.", undo_links(ending, "Keep {}")
    if any(subscription.plan.on_sale for subscription in ended):
        return "You can start again anytime.", [Link("Start again", ADD_SERVICES_PATH)]
    return "", [Link("See your subscriptions", DASHBOARD_PATH)]


def cancellation_removed_receipt(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a removed cancellation, with the pauses and changes that were restored."""
    pausing = [subscription for subscription in subscriptions if subscription.has_scheduled_pause]
    changing = [subscription for subscription in subscriptions if subscription.has_scheduled_changes]
    renewing = [subscription for subscription in subscriptions if subscription not in [*pausing, *changing]]
    lines = [
        *([f"{plan_names(renewing)} will renew as usual."] if renewing else []),
        *(f"Your pause of {plan_name(subscription)} is scheduled again." for subscription in pausing),
        *(f"Your plan change for {plan_name(subscription)} is scheduled again." for subscription in changing),
    ]
    return Receipt(
        title=f"Your cancellation of {plan_names(subscriptions)} was undone",
        lines=lines,
        facts=[*_pause_facts(pausing), *billing_facts(subscriptions)],
        links=undo_links([*pausing, *changing], "See upcoming changes to {}"),
    )


def schedules_removed_receipt(subscriptions: Sequence[Subscription]) -> Receipt:
    """Return the receipt of a cancellation that failed after it had set aside what was scheduled."""
    return Receipt(
        title=f"Scheduled changes to {plan_names(subscriptions)} were removed",
        lines=[goes_on_sentence(subscriptions)],
        facts=billing_facts(subscriptions),
    )


def _pause_facts(pausing: Sequence[Subscription]) -> list[Fact]:
    return [
        (f"{plan_name(subscription)} pauses", long_date(subscription.pause_date))
        for subscription in pausing
        if subscription.pause_date is not None
    ]


def set_aside_lines(set_aside: Sequence[Subscription], lost: Sequence[str]) -> list[str]:
    """Return what an end takes the place of: scheduled pauses and changes, and discounts that waited for a bill."""
    lines = []
    if set_aside:
        canceled = f"This also cancels the scheduled changes to {plan_names(set_aside)}."
        lines.append(f"{canceled} If you undo the cancellation, we'll put them back.")
    if lost:
        lines.append(f"{join_words(lost)} won't be used unless you undo this.")
    return lines


def _end_lines(
    ended: Sequence[Subscription], ending: Sequence[Subscription], charges: Charges, owing: Collection[str]
) -> list[str]:
    over = _ended_at_once(ended, ending)
    lines = []
    for rows, last in _by_charges(ending, owing):
        lines.append(f"You can watch {plan_names(rows)} until {verb_form(rows, 'it ends', 'they end')}. {last}")
    if over:
        billed = "We billed what was left to bill. " if charges.total else ""
        lines.append(f"{plan_names(over)} ended immediately. {billed}{_last_charges(over, owing)}")
    return lines


def _by_charges(ending: Sequence[Subscription], owing: Collection[str]) -> list[tuple[list[Subscription], str]]:
    """Return what ends without another bill and what is billed until its end, each with the words for it."""
    over = [subscription for subscription in ending if not subscription.bills_before_end]
    billed = [subscription for subscription in ending if subscription.bills_before_end]
    words = [(over, _last_charges(over, owing)), (billed, "We bill you until then.")]
    return [(rows, charges) for rows, charges in words if rows]


def _last_charges(over: Sequence[Subscription], owing: Collection[str]) -> str:
    """Return that nothing more is charged for these, except what is still owed: it is collected all the same."""
    is_owed = any(subscription.provider_id in owing for subscription in over)
    return "No more charges, except what you still owe." if is_owed else "No more charges."
