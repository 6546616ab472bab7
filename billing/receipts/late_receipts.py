"""Receipts that are sent late: if things have changed since, they say so and offer no undo (docs/rules.md, rule 16)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from accounts.models import OutgoingMail
from billing.models import Subscription
from billing.queries.commands import changed_subscription_ids, later_changed_subscription_ids
from billing.receipts.delivery import DASHBOARD_PATH, Link, commands_of_receipt

CHANGED_SINCE_LINE = "This has changed since. Check your account for the latest."
ACCOUNT_LINK = Link("See your subscriptions", DASHBOARD_PATH)


def prepare_receipt(row: OutgoingMail) -> dict[str, object]:
    """Return the context of a receipt as it may be sent now; what was done stays in it, with its date."""
    context: dict[str, Any] = row.context
    if not (_is_changed_since(row) or _has_expired_undo_link(context)):
        return context
    return {
        **context,
        "lines": [CHANGED_SINCE_LINE, *context["lines"]],
        "action_label": ACCOUNT_LINK.label,
        "action_url": ACCOUNT_LINK.path,
        "undo_text": "",
        "undo_links": [],
    }


def _is_changed_since(row: OutgoingMail) -> bool:
    """Whether a later command has changed a subscription of this receipt."""
    return any(
        changed_subscription_ids(command) & later_changed_subscription_ids(command)
        for command in commands_of_receipt(row)
    )


def _has_expired_undo_link(context: Mapping[str, Any]) -> bool:
    """Whether a change that it links to for undoing is no longer scheduled."""
    urls = [context.get("action_url") or "", *(url for _, url in context.get("undo_links") or ())]
    ids = {provider_id for url in urls for provider_id in parse_qs(urlsplit(url).query).get("undo", ())}
    return any(
        not _has_scheduled_event(subscription) for subscription in Subscription.objects.filter(provider_id__in=ids)
    )


def _has_scheduled_event(subscription: Subscription) -> bool:
    return (
        subscription.has_scheduled_pause
        or subscription.has_scheduled_changes
        or subscription.has_scheduled_cancellation
    )
