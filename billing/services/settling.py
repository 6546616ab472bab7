"""Settling open commands: whatever kind they are of, and whoever began them."""

from datetime import datetime

from billing.services import (
    add_remove,
    alignment,
    cancelling,
    codes,
    commands,
    endings,
    feedback,
    offers,
    pauses,
    payment_methods,
    periods,
    resumes,
    undo,
)

# Each makes its kinds of commands and steps known when it is imported. A worker that is to finish what a web process
# began has no endpoints to import them for it.
KNOWN = (
    add_remove,
    alignment,
    cancelling,
    codes,
    endings,
    offers,
    pauses,
    payment_methods,
    periods,
    resumes,
    undo,
)


def settle_due(*, now: datetime) -> dict[str, int]:
    """Take up the open commands whose lease has run out, and what hangs on how they ended; return how many it were."""
    counts = commands.settle_due(now=now)
    feedback.settle(now=now)
    return counts
