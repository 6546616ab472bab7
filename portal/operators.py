"""The operators' groups, and no more than each needs (security, row 40). A superuser may do what no group may.

Nobody but a superuser sees challenges, limits and operators, and nobody at all changes what happened.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

SUPPORT, CONTENT, FINANCE = "support", "content", "finance"

_BILLED = (
    "accounts.view_account",
    "billing.view_coupon",
    "billing.view_customer",
    "billing.view_invoice",
    "billing.view_invoicepdf",
    "billing.view_itemprice",
    "billing.view_paymentsource",
    "billing.view_retentionreport",
    "billing.view_subscription",
    "billing.view_transaction",
)

GROUPS: dict[str, tuple[str, ...]] = {
    # Sees an account's whole story and acts for its owner.
    SUPPORT: (
        *_BILLED,
        "accounts.sign_out_account",
        "accounts.view_accountevent",
        "accounts.view_outgoingmail",
        "accounts.view_signinevent",
        "billing.change_customer",
        "billing.change_pauseschedule",
        "billing.view_cancellationfeedback",
        "billing.view_command",
        "billing.view_machinery",
        "billing.view_pauseschedule",
        "billing.view_retentionevent",
        "billing.view_webhookevent",
        "preferences.change_emailpreferences",
        "preferences.view_emailpreferences",
    ),
    # Edits what subscribers are shown, and switches offers.
    CONTENT: (
        "accounts.change_brand",
        "accounts.change_streamingservice",
        "accounts.switch_offers",
        "accounts.view_brand",
        "accounts.view_sitesettings",
        "accounts.view_streamingservice",
        "billing.add_retentioncontent",
        "billing.change_retentioncontent",
        "billing.view_retentioncontent",
    ),
    # Sees what was billed and takes it along.
    FINANCE: (
        *_BILLED,
        "accounts.export_account",
        "billing.export_invoice",
        "billing.export_retentionreport",
        "billing.export_transaction",
        "billing.view_bundlerate",
    ),
}


class UnknownPermission(LookupError):
    """A group is to have a permission that no model has. It is a mistake in the program."""


def set_up_groups(**_: Any) -> None:
    """Make the groups, and give each exactly its permissions, whatever it had; their members stay.

    Raises UnknownPermission.
    """
    for name, wanted in GROUPS.items():
        group, _made = Group.objects.get_or_create(name=name)
        group.permissions.set(_permissions(wanted))


def _permissions(wanted: tuple[str, ...]) -> list[Permission]:
    named = Q(pk=None)
    for one in wanted:
        app, codename = one.split(".")
        named |= Q(content_type__app_label=app, codename=codename)
    found = list(Permission.objects.filter(named))
    if len(found) != len(wanted):
        raise UnknownPermission(f"{len(wanted) - len(found)} of {wanted}")
    return found
