"""Accounts and operators."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path

from accounts import sign_in
from accounts.admin import acts, journal, story
from accounts.admin.export import ExportedAdmin
from accounts.admin.read_only import ReadOnlyAdmin
from accounts.models import Account, User

if TYPE_CHECKING:
    OperatorUserAdmin = UserAdmin[User]
else:
    OperatorUserAdmin = UserAdmin


@admin.register(User)
class OperatorAdmin(OperatorUserAdmin):
    """The operators. Subscribers have no password and are found under accounts."""

    # Django's boxes for many choices and for a moment have parts that a screen reader cannot name.
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Give the users that are not subscribers."""
        return super().get_queryset(request).filter(account=None)


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin, ExportedAdmin):
    """Subscribers; the page of each tells its whole story, and is where operators act for them."""

    list_display = ("email", "name", "created_at", "may_sign_in")
    list_filter = ("user__is_active", "created_at")
    list_select_related = ("user",)
    search_fields = ("email", "first_name", "last_name")
    date_hierarchy = "created_at"
    fields = (
        "email",
        ("first_name", "last_name"),
        "birthday",
        ("created_at", "may_sign_in", "brand"),
    )
    actions = ("sign_out_everywhere", "switch_sign_in_off", "switch_sign_in_on")
    export_columns = (
        ("email", lambda account: account.email),
        ("first_name", lambda account: account.first_name),
        ("last_name", lambda account: account.last_name),
        ("created_at", lambda account: account.created_at),
        ("may_sign_in", lambda account: account.user.is_active),
    )

    def has_manage_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may switch accounts although none can be edited."""
        return request.user.has_perm("accounts.change_account")

    def has_sign_out_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may end subscribers' sessions."""
        return request.user.has_perm("accounts.sign_out_account")

    def get_urls(self) -> list[Any]:
        """Add the address of what is done from an account's page."""
        act = path(
            "<int:account_id>/<slug:name>/",
            self.admin_site.admin_view(self.act_view),
            name="accounts_account_act",
        )
        # After Django's own, which hold `history`, `delete` and `change`, and before its catch-all.
        own = super().get_urls()
        return [*own[:-1], act, own[-1]]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the account, section by section, with what may be done for it."""
        account = self.get_object(request, object_id)
        story_context = {} if account is None else self._story(request, account)
        return super().change_view(request, object_id, form_url, {**story_context, **(extra_context or {})})

    def act_view(self, request: HttpRequest, account_id: int, name: str) -> HttpResponse:
        """Ask about an act or do it. Raises Http404 and PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        account = get_object_or_404(Account.objects.select_related("user"), pk=account_id)
        context = {**self.admin_site.each_context(request), "opts": self.opts}
        return acts.view(request, account, name, context)

    def _story(self, request: HttpRequest, account: Account) -> dict[str, Any]:
        if not self.has_view_permission(request, account):
            return {}
        return {
            "title": account.email,
            "subtitle": None,
            "acts": list(acts.on_top(account, request)),
            "sections": list(story.sections(account, request)),
            "lists": list(self._lists(request, account)),
        }

    def _lists(self, request: HttpRequest, account: Account) -> Iterator[tuple[str, str]]:
        """Give the address and the name of each list of what refers to the account that the operator may see."""
        for relation in Account._meta.related_objects:
            shown = self.admin_site._registry.get(relation.related_model)
            if shown is not None and shown.has_view_permission(request):
                narrowed = {f"{relation.field.name}__id__exact": account.pk}
                yield (
                    story.list_address(relation.related_model, **narrowed),
                    str(relation.related_model._meta.verbose_name_plural),
                )

    @admin.display(description="birthday")
    def birthday(self, account: Account) -> str | None:
        """Give month and day in words; None where the subscriber has not told."""
        month = account.birth_month
        return f"{calendar.month_name[month]} {account.birth_day}" if month else None

    @admin.display(boolean=True, description="may sign in", ordering="user__is_active")
    def may_sign_in(self, account: Account) -> bool:
        """Whether the account is switched on."""
        return account.user.is_active

    @admin.action(description="Sign out everywhere", permissions=["sign_out"])
    def sign_out_everywhere(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """End every session of the accounts chosen."""
        ended = 0
        for account in accounts.select_related("user"):
            ended += sign_in.end_sessions_for(account, actor=journal.actor_of(request))
            journal.note(request, account, "Signed out everywhere.")
        messages.success(request, f"Sessions ended: {ended}.")

    @admin.action(description="Switch sign-in off, and sign out", permissions=["manage"])
    def switch_sign_in_off(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """Refuse the accounts chosen from now on."""
        for account in accounts.select_related("user"):
            sign_in.switch_off(account)
            journal.note(request, account, "Switched sign-in off.")
        messages.success(request, "Sign-in is off for the accounts chosen.")

    @admin.action(description="Switch sign-in on", permissions=["manage"])
    def switch_sign_in_on(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """Let the accounts chosen sign in again."""
        for account in accounts.select_related("user"):
            sign_in.switch_on(account)
            journal.note(request, account, "Switched sign-in on.")
        messages.success(request, "Sign-in is on for the accounts chosen.")
