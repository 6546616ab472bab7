"""Accounts and operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts import sign_in
from accounts.admin.read_only import ReadOnlyAdmin
from accounts.models import Account, SessionToken, User

if TYPE_CHECKING:
    OperatorUserAdmin = UserAdmin[User]
else:
    OperatorUserAdmin = UserAdmin


@admin.register(User)
class OperatorAdmin(OperatorUserAdmin):
    """The operators. Subscribers have no password and are found under accounts."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Give the users that are not subscribers."""
        return super().get_queryset(request).filter(account=None)


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    """Subscribers, with a way to everything that belongs to each."""

    list_display = ("email", "name", "created_at", "may_sign_in")
    list_filter = ("user__is_active", "created_at")
    list_select_related = ("user",)
    search_fields = ("email", "first_name", "last_name")
    date_hierarchy = "created_at"
    fields = (
        "email",
        "first_name",
        "last_name",
        "birth_month",
        "birth_day",
        "created_at",
        "may_sign_in",
        "sessions",
        "related",
    )
    actions = ("sign_out_everywhere", "switch_sign_in_off", "switch_sign_in_on")

    def has_manage_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may act on accounts although none can be edited."""
        return request.user.has_perm("accounts.change_account")

    @admin.display(boolean=True, description="may sign in", ordering="user__is_active")
    def may_sign_in(self, account: Account) -> bool:
        """Whether the account is switched on."""
        return account.user.is_active

    @admin.display(description="signed in at")
    def sessions(self, account: Account) -> SafeString | str:
        """List the sessions; no token and no digest of one."""
        rows = SessionToken.objects.filter(user=account.user).values_list(
            "agent", "created", "last_used_at", "expiry"
        )
        told = (
            (agent or "unknown browser", f"{since:%Y-%m-%d %H:%M}", f"{used:%Y-%m-%d}", f"{until:%Y-%m-%d}")
            for agent, since, used, until in rows
        )
        return format_html_join("", "<p>{}: since {} UTC, last used {}, until {}</p>", told) or "nowhere"

    @admin.display(description="belongs to it")
    def related(self, account: Account) -> SafeString:
        """Link to the lists of everything that refers to the account."""
        return format_html_join("", '<p><a href="{}?{}__id__exact={}">{}</a></p>', _related_lists(account))

    @admin.action(description="Sign out everywhere", permissions=["manage"])
    def sign_out_everywhere(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """End every session of the accounts chosen."""
        ended = sum(sign_in.sign_out_everywhere(account) for account in accounts.select_related("user"))
        messages.success(request, f"Sessions ended: {ended}.")

    @admin.action(description="Switch sign-in off, and sign out", permissions=["manage"])
    def switch_sign_in_off(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """Refuse the accounts chosen from now on."""
        for account in accounts.select_related("user"):
            sign_in.switch_off(account)
        messages.success(request, "Sign-in is off for the accounts chosen.")

    @admin.action(description="Switch sign-in on", permissions=["manage"])
    def switch_sign_in_on(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """Let the accounts chosen sign in again."""
        for account in accounts.select_related("user"):
            sign_in.switch_on(account)
        messages.success(request, "Sign-in is on for the accounts chosen.")


def _related_lists(account: Account) -> Iterator[tuple[str, str, Any, str]]:
    """Give the address, the field, the account's id and the name of each list that the admin can show."""
    for relation in Account._meta.related_objects:
        meta = relation.related_model._meta
        try:
            address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        except NoReverseMatch:
            continue
        yield address, relation.field.name, account.pk, str(meta.verbose_name_plural)
