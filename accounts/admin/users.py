"""Accounts and operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone

from accounts.admin import audit_log
from accounts.admin.desk import account_actions, account_page, timeline
from accounts.admin.desk.front_page import name_conditions
from accounts.admin.desk.zones import ZoneChoice
from accounts.admin.forms.plain_text import PlainTextAdmin
from accounts.admin.lists.csv_export import ExportableAdmin
from accounts.admin.lists.large_tables import LargeTableAdmin
from accounts.admin.lists.read_only import ReadOnlyAdmin
from accounts.models import Account, User
from accounts.models.users import SUBSCRIBER_PREFIX
from accounts.sign_in import flow

if TYPE_CHECKING:
    OperatorUserAdmin = UserAdmin[User]
else:
    OperatorUserAdmin = UserAdmin


@admin.register(User)
class OperatorAdmin(PlainTextAdmin, OperatorUserAdmin):
    """The operators. Subscribers are listed as accounts."""

    # Django's widgets for many-to-many fields and datetimes have parts without an accessible name.
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return the users who are not subscribers."""
        return super().get_queryset(request).exclude(username__startswith=SUBSCRIBER_PREFIX)


# Django's own page of groups answers a NUL in its address with an error of PostgreSQL.
admin.site.unregister(Group)


@admin.register(Group)
class OperatorGroupAdmin(PlainTextAdmin, GroupAdmin):
    """The groups of operators, and what each may do."""

    filter_horizontal = ()


@admin.register(Account)
class AccountAdmin(LargeTableAdmin, ReadOnlyAdmin, ExportableAdmin):
    """The subscribers. Each page shows all about an account and offers the actions on it."""

    list_display = ("email", "name", "created_at", "may_sign_in")
    list_filter = ("user__is_active", "created_at")
    list_select_related = ("user", "brand")
    ordering = ("email",)
    search_fields = ("email__startswith",)
    search_help_text = "Start of an address, or a name"
    fields = ("email",)  # the page shows all else in parts of its own
    actions = ("switch_sign_in_off", "switch_sign_in_on")
    export_columns = (
        ("email", lambda account: account.email),
        ("first_name", lambda account: account.first_name),
        ("last_name", lambda account: account.last_name),
        ("created_at", lambda account: account.created_at),
        ("may_sign_in", lambda account: account.user.is_active),
    )

    def search_conditions(self, term: str) -> list[Q]:
        """Return the conditions that find accounts by address, and by name as the desk does."""
        return [*super().search_conditions(term), *name_conditions(term)]

    def has_manage_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may activate and deactivate accounts, which are otherwise read-only."""
        return request.user.has_perm("accounts.change_account")

    def get_urls(self) -> list[Any]:
        """Add the URL of the account actions."""
        action = path(
            "<int:account_id>/<slug:name>/",
            self.admin_site.admin_view(self.action_view),
            name="accounts_account_act",
        )
        # After Django's URLs with `history`, `delete` and `change`, and before its catch-all.
        django_urls = super().get_urls()
        return [*django_urls[:-1], action, django_urls[-1]]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the account with its sections and actions."""
        account = self.get_object(request, object_id)
        if account is None or not self.has_view_permission(request, account):
            return super().change_view(request, object_id, form_url, extra_context)
        zones = ZoneChoice(request.GET)
        with timezone.override(zones.current):
            page_context = {**self._account_page_context(request, account), "zones": zones}
            page = super().change_view(request, object_id, form_url, {**page_context, **(extra_context or {})})
            # Times are written on the chosen clock as the template is rendered.
            return page.render() if isinstance(page, TemplateResponse) else page

    def action_view(self, request: HttpRequest, account_id: int, name: str) -> HttpResponse:
        """Show an action's confirmation page or perform it. Raises Http404 and PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        account = get_object_or_404(Account.objects.select_related("user"), pk=account_id)
        context = {**self.admin_site.each_context(request), "opts": self.opts}
        return account_actions.answer_action(request, account, name, context)

    def _account_page_context(self, request: HttpRequest, account: Account) -> dict[str, Any]:
        sections = list(account_page.account_sections(account, request))
        return {
            "title": account.email,
            "subtitle": None,
            "acts": list(account_actions.action_links(account, request)),
            "facts": list(account_page.account_facts(account, request)),
            "sections": [section for section in sections if not section.is_aside],
            "asides": [section for section in sections if section.is_aside],
            "timeline": timeline.read_timeline(account, request),
            "lists": list(self._related_lists(request, account)),
        }

    def _related_lists(self, request: HttpRequest, account: Account) -> Iterator[tuple[str, str]]:
        """Yield the URL and the name of each list of related rows that the operator may see."""
        of_account = [(relation, account.pk) for relation in Account._meta.related_objects]
        of_user = [
            (relation, account.user_id)
            for relation in User._meta.related_objects
            if relation.related_model._meta.app_label == "core"
        ]
        for relation, key in (*of_account, *of_user):
            model_admin = self.admin_site._registry.get(relation.related_model)
            if model_admin is not None and model_admin.has_view_permission(request):
                filters = {f"{relation.field.name}__id__exact": key}
                yield (
                    account_page.list_url(relation.related_model, **filters),
                    str(relation.related_model._meta.verbose_name_plural),
                )

    @admin.display(boolean=True, description="may sign in", ordering="user__is_active")
    def may_sign_in(self, account: Account) -> bool:
        """Return whether the account is active."""
        return account.user.is_active

    @admin.action(description="Turn off sign-in and sign out", permissions=["manage"])
    def switch_sign_in_off(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """Deactivate the selected accounts."""
        for account in accounts.select_related("user"):
            flow.deactivate_account(account)
            audit_log.log_action(request, account, "Turned off sign-in.")
        messages.success(request, "Sign-in is off for the selected accounts.")

    @admin.action(description="Turn on sign-in", permissions=["manage"])
    def switch_sign_in_on(self, request: HttpRequest, accounts: QuerySet[Account]) -> None:
        """Activate the selected accounts."""
        for account in accounts.select_related("user"):
            flow.reactivate_account(account)
            audit_log.log_action(request, account, "Turned on sign-in.")
        messages.success(request, "Sign-in is on for the selected accounts.")
