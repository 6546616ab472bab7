"""What the portal assumes of the provider where its documentation is silent; a trial on a test site shows it."""

from collections.abc import Iterator
from enum import StrEnum

from billing.site_check.findings import Finding, State
from billing.site_check.site_reader import SiteReader

TOPIC_NAME = "Assumptions"
TRY_IT = "Run check_site --try on a test site with these settings."


class Assumption(StrEnum):
    """What is assumed, as the table has it."""

    FUTURE_START = "the first bill of a subscription that starts later can be estimated"
    TRIAL = "a trial is billed from its end"
    RENEWAL = "a renewal is invoiced and paid at the end of the term"
    UPGRADE = "a change now is charged as its estimate says"
    SCHEDULED_CHANGE = "a change at the end of the term can be read back"
    COUPON_ESTIMATE = "a change of coupons alone can be estimated, with the next bill at the present price"
    COUPON_BESIDE_CHANGE = "a coupon can be put on beside a scheduled change, which can then be restored"
    SCHEDULED_PAUSE = "a pause at the end of the term stops the renewal"
    RENEWAL_ESTIMATE = "the renewal of a subscription with a scheduled pause can be estimated"
    CHANGE_UNDER_PAUSE = "a change now keeps a scheduled pause"
    PAUSE_REMOVED = "a removed pause brings the renewal back"
    PAUSE_ERROR = "a refused pause is a 4xx error with a code, and nothing changes"
    RESUME_IN_TERM = "resuming within the paid term charges nothing"
    PAUSED = "a scheduled pause begins at the end of the term"
    RESUME_AFTER_TERM = "resuming after the term charges as its estimate says"
    RESUME_DECLINED = "a resume whose payment is declined leaves the subscription paused"
    DUNNING = "a declined renewal leaves an invoice due, which is tried again"
    DUNNING_END = "dunning ends; the subscription is kept or canceled"
    CANCELLATION = "a cancellation at the end of the term can be removed"
    ENDED = "a paused subscription can be canceled at once"
    REPEATED_KEY = "a repeated idempotency key gets the first answer and changes nothing"
    REPEATED_REFUSAL = "a refusal is the same for a repeated idempotency key"
    CARD_INTENT = "a payment intent of 0.00 saves a card"
    PAYPAL_INTENT = "a payment intent of 0.00 saves a PayPal account"
    SMALLEST_JOURNEY = "the time machine travels an hour or less"


def assume(assumption: Assumption, found: str, *, holds: bool) -> Finding:
    """Return the finding about an assumption that was tried."""
    if holds:
        return Finding(TOPIC_NAME, assumption, found, State.OK)
    todo = "The portal relies on this: do not go live, and report it with the recording of --record."
    return Finding(TOPIC_NAME, assumption, found, State.WRONG, todo)


def check_assumptions(_site: SiteReader) -> Iterator[Finding]:
    """Report that nothing of this can be read."""
    for assumption in Assumption:
        yield Finding(TOPIC_NAME, assumption, "not tried", State.UNREADABLE, TRY_IT)
