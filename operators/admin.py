"""The admin of second factors and lockouts, for superusers."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt
from django.contrib import admin
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.admin.read_only import ReadOnlyAdmin
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
    """The recent failed sign-ins. Deleting those of a user name lifts its lockout."""

    list_display = ("attempt_time", "username", "ip_address", "failures_since_start", "user_agent")
    search_fields = ("username", "ip_address")
    fields = ("attempt_time", "username", "ip_address", "failures_since_start", "user_agent")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the operator has the permission."""
        return request.user.has_perm("axes.delete_accessattempt")
