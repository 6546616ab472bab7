"""The operators' groups, each with the permissions that its work needs.

Only superusers see challenges, limits and operators. Nobody can change logs and events.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

from billing.models import RefundLimit

SUPPORT, CONTENT, FINANCE = "support", "content", "finance"

_BILLING_PERMISSIONS = (
    "accounts.view_account",
    "billing.view_coupon",
    "billing.view_creditnote",
    "billing.view_customer",
    "billing.view_invoice",
    "billing.view_invoicepdf",
    "billing.view_item",
    "billing.view_itemprice",
    "billing.view_paymentsource",
    "billing.view_plan",
    "billing.view_promotionalcredit",
    "billing.view_churnreport",
    "billing.view_subscription",
    "billing.view_transaction",
)

GROUPS: dict[str, tuple[str, ...]] = {
    # Sees everything about an account and acts for its subscriber.
    SUPPORT: (
        *_BILLING_PERMISSIONS,
        "accounts.resend_mail",
        "accounts.sign_out_account",
        "accounts.view_accountevent",
        "accounts.view_outgoingmail",
        "accounts.view_signinevent",
        "billing.change_customer",
        "billing.act_cancel",
        "billing.act_cancel_now",
        "billing.act_change_period",
        "billing.act_change_services",
        "billing.act_collect",
        "billing.act_correct_address",
        "billing.act_free_month",
        "billing.act_give_credit",
        "billing.act_keep",
        "billing.act_pause",
        "billing.act_redeem_code",
        "billing.act_refund",
        "billing.act_remove_pause",
        "billing.act_resume",
        "billing.act_undo_change",
        "billing.view_cancellationfeedback",
        "billing.view_command",
        "billing.view_systemhealth",
        "billing.view_pauseschedule",
        "billing.view_refusedcode",
        "billing.view_churnevent",
        "billing.view_webhookevent",
        "operators.open_accountview",
        "preferences.change_emailpreferences",
        "preferences.view_emailpreferences",
    ),
    # Edits what subscribers see, and switches offers.
    CONTENT: (
        "accounts.change_brand",
        "accounts.change_streamingservice",
        "accounts.switch_offers",
        "accounts.view_brand",
        "accounts.view_sitesettings",
        "accounts.view_streamingservice",
        "billing.add_cancelscreenoffer",
        "billing.add_pauseoffercontent",
        "billing.add_plan",
        "billing.change_cancelscreenoffer",
        "billing.change_pauseoffercontent",
        "billing.change_plan",
        "billing.change_surveyquestion",
        "billing.view_cancelscreenoffer",
        "billing.view_item",
        "billing.view_itemprice",
        "billing.view_pauseoffercontent",
        "billing.view_plan",
        "billing.view_surveyquestion",
        "preferences.add_newsletter",
        "preferences.change_newsletter",
        "preferences.view_newsletter",
    ),
    # Sees and exports what was billed, and gives back what is more than support may.
    FINANCE: (
        *_BILLING_PERMISSIONS,
        "accounts.export_account",
        "billing.act_give_credit",
        "billing.act_refund",
        "billing.export_creditnote",
        "billing.export_invoice",
        "billing.export_churnreport",
        "billing.export_revenuereport",
        "billing.export_transaction",
        "billing.view_bundlerate",
        "billing.view_revenuereport",
    ),
}

# The most that an operator of a group may give back at once, and in 24 hours, in cents. Superusers change them.
REFUND_LIMITS = {SUPPORT: (50_00, 250_00), FINANCE: (500_00, 2_500_00)}


class UnknownPermission(LookupError):
    """`GROUPS` names a permission that does not exist: a programming error."""


def set_up_groups(**_: Any) -> None:
    """Create the groups and set each one's permissions; members and limits stay. Raises UnknownPermission."""
    for name, permission_names in GROUPS.items():
        group, _created = Group.objects.get_or_create(name=name)
        group.permissions.set(_find_permissions(permission_names))
        if name in REFUND_LIMITS:
            per_act, per_day = REFUND_LIMITS[name]
            RefundLimit.objects.get_or_create(group=group, defaults={"per_act": per_act, "per_day": per_day})


def _find_permissions(names: tuple[str, ...]) -> list[Permission]:
    condition = Q(pk=None)
    for name in names:
        app, codename = name.split(".")
        condition |= Q(content_type__app_label=app, codename=codename)
    permissions = list(Permission.objects.filter(condition))
    if len(permissions) != len(names):
        raise UnknownPermission(f"{len(names) - len(permissions)} of {names}")
    return permissions
