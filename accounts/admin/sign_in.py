"""The sign-in log, challenges and limit counters. Codes are never shown; sessions are on the account's page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.admin.lists.large_tables import BoundedPaginator, LargeTableAdmin
from accounts.admin.lists.read_only import ReadOnlyAdmin, account_link
from accounts.models import LoginChallenge, SignInEvent
from core.models import LimitCounter


@admin.register(SignInEvent)
class SignInEventAdmin(LargeTableAdmin, ReadOnlyAdmin):
    """The sign-in log, newest entries first."""

    list_display = ("at", "kind", "email", "network", "agent", "account_page")
    list_filter = ("kind", "at")
    list_select_related = ("account",)
    ordering = ("-at",)
    search_fields = ("email__startswith", "network__exact")
    search_help_text = "Start of an address, or a network"
    fields = ("at", "kind", "email", "account_page", "network", "agent")

    @admin.display(description="account", ordering="account__email")
    def account_page(self, event: SignInEvent) -> SafeString | str:
        """Return a link to the account."""
        return account_link(event.account)


@admin.register(LoginChallenge)
class LoginChallengeAdmin(ReadOnlyAdmin):
    """The challenges of the last day."""

    paginator = BoundedPaginator
    show_full_result_count = False
    list_display = ("created_at", "email", "state", "tries", "blind_tries", "network")
    search_fields = ("email", "network")
    fields = (
        "created_at",
        "email",
        "state",
        "tries",
        "blind_tries",
        "expires_at",
        "used_at",
        "lapsed_at",
        "shares_code_of",
        "known_browser",
        "network",
        "agent",
        "mail",
    )

    @admin.display(description="state")
    def state(self, challenge: LoginChallenge) -> str:
        """Return the challenge's state in words."""
        if challenge.used_at:
            return "used"
        if challenge.lapsed_at:
            return "replaced"
        return "open" if challenge.expires_at > timezone.now() else "expired"


@admin.register(LimitCounter)
class LimitCounterAdmin(ReadOnlyAdmin):
    """The counters of the limits. Deleting one lifts the limit for its subject."""

    paginator = BoundedPaginator
    show_full_result_count = False
    list_display = ("key", "count", "started_at", "expires_at")
    search_fields = ("key",)
    fields = ("key", "count", "started_at", "expires_at")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the operator has the permission."""
        return request.user.has_perm("core.delete_limitcounter")
