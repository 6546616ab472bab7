"""The admin of second factors and lockouts, for superusers, and the action to see a subscriber's screens."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from accounts.admin.lists.read_only import ReadOnlyAdmin
from operators import account_views
from operators.lockout import unlock_operator
from operators.models import Authenticator

# django-otp's pages show keys and codes, and create devices without proof of possession.
admin.site.unregister([StaticDevice, TOTPDevice])


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadOnlyAdmin):
    """The enrolled apps. An operator's own page resets the second factor."""

    list_display = ("user", "created_at", "last_used_at", "throttling_failure_count")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    fields = (
        "user",
        "created_at",
        "last_used_at",
        "throttling_failure_count",
        "throttling_failure_timestamp",
    )


@admin.register(AccessAttempt)
class AccessAttemptAdmin(ReadOnlyAdmin):
    """The recent failed sign-ins. Deleting one deletes all of its user name, and unlocks it."""

    list_display = ("attempt_time", "username", "ip_address", "failures_since_start", "user_agent")
    search_fields = ("username", "ip_address")
    fields = ("attempt_time", "username", "ip_address", "failures_since_start", "user_agent")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the operator has the permission."""
        return request.user.has_perm("axes.delete_accessattempt")

    def delete_model(self, request: HttpRequest, obj: AccessAttempt) -> None:
        """Delete a failed sign-in, and unlock its user name."""
        unlock_operator(obj.username)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[AccessAttempt]) -> None:
        """Delete failed sign-ins, and unlock their user names."""
        for username in set(queryset.values_list("username", flat=True)):
            unlock_operator(username)


def _ask_view(asked: ActionRequest) -> ActionQuestion:
    minutes = int(account_views.DURATION.total_seconds() // 60)
    return ActionQuestion(
        title=f"See the screens of {asked.account}?",
        lines=[
            f"For {minutes} minutes you see the portal as this subscriber does. Nothing can be changed there.",
            "The forms for cards and PayPal aren't loaded, and their data can't be downloaded.",
            "Their activity shows that Customer Service looked at the account, without your name.",
        ],
        button="See their screens",
    )


def _begin_view(confirmed: ConfirmedAction) -> str:
    account_views.begin_view(confirmed.account, confirmed.operator, actor=confirmed.actor, reason=confirmed.reason)
    return "Began to see the subscriber's screens."


register_action(
    AccountAction(
        name="see-screens",
        label="See their screens…",
        permission=account_views.PERMISSION,
        build_question=_ask_view,
        perform=_begin_view,
        answer_done=account_views.open_screens,
    )
)
