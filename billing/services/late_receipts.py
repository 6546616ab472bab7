"""Receipts that leave late: of what is otherwise by now they say so first, and offer nothing to undo (rule 16)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from accounts.models import OutgoingMail
from billing.models import Command, Subscription
from billing.services import parts
from billing.services.receipts import DASHBOARD, Link

CHANGED_SINCE = "This has changed again since. Your account says how things are now."
ACCOUNT = Link("See your subscriptions", DASHBOARD)


def prepare(row: OutgoingMail) -> dict[str, object]:
    """Return the words of a receipt as they may be sent now: what was done stays told, with its date."""
    context: dict[str, Any] = row.context
    if not (_is_changed_since(row) or _is_nothing_left_to_undo(context)):
        return context
    return {
        **context,
        "lines": [CHANGED_SINCE, *context["lines"]],
        "action_label": ACCOUNT.label,
        "action_url": ACCOUNT.path,
        "undo_text": "",
        "undo_links": [],
    }


def _is_changed_since(row: OutgoingMail) -> bool:
    """Whether a later command changed what this receipt is about."""
    what, _, rest = (row.dedupe_key or "").partition(":")
    command = Command.objects.filter(pk=rest.partition(":")[0]).first() if what == "command" else None
    return command is not None and bool(parts.changed_by(command) & parts.changed_since(command))


def _is_nothing_left_to_undo(context: Mapping[str, Any]) -> bool:
    """Whether something that can be taken back by it is gone or has come about."""
    urls = [context.get("action_url") or "", *(url for _, url in context.get("undo_links") or ())]
    named = {one for url in urls for one in parse_qs(urlsplit(url).query).get("undo", ())}
    return any(
        not _has_something_scheduled(one) for one in Subscription.objects.filter(provider_id__in=named)
    )


def _has_something_scheduled(one: Subscription) -> bool:
    return one.has_scheduled_pause or one.has_scheduled_changes or one.has_scheduled_cancellation
