"""The preferences on an account's admin page with the action that unsubscribes from all emails, and newsletters."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import audit_log
from accounts.admin.desk import account_actions, account_page
from accounts.admin.desk.account_actions import AccountAction, ActionQuestion, ActionRequest, ConfirmedAction
from accounts.admin.desk.account_page import PageSection
from accounts.admin.forms.seen_rows import SeenRowAdmin
from accounts.admin.lists.display import format_instant
from accounts.models import Account
from core.errors import PortalError
from preferences import email_preferences, newsletters
from preferences.models import Newsletter, PreferenceChange

VIEW_PERMISSION, CHANGE_PERMISSION = (
    "preferences.view_emailpreferences",
    "preferences.change_emailpreferences",
)


def _preferences_section(account: Account, request: HttpRequest) -> PageSection:
    preferences = email_preferences.preferences_of_account(account)
    wanted = ", ".join(preference.label for preference, is_wanted in preferences.items() if is_wanted)
    rows = [
        (
            format_instant(change.at),
            change.get_preference_display(),
            "wanted" if change.wanted else "ended",
            change.get_source_display(),
        )
        for change in PreferenceChange.objects.filter(account=account)[: account_page.MAX_ROWS]
    ]
    title = f"Emails wanted: {wanted or 'none'}"
    return PageSection(title, ("When", "What", "Which way", "Where"), rows, "None requested", is_aside=True)


def _ask_unsubscribe(asked: ActionRequest) -> ActionQuestion:
    return ActionQuestion(
        title=f"Unsubscribe {asked.account.email} from all emails?",
        lines=[
            "From now on they get only mail that their account needs: codes, receipts and notices of bills.",
            "Their activity shows that support did this.",
        ],
        button="Unsubscribe from all",
    )


def _unsubscribe_from_all(confirmed: ConfirmedAction) -> str:
    email_preferences.change_preferences(
        confirmed.account,
        email_preferences.NONE_WANTED,
        source=PreferenceChange.Source.OPERATOR,
        actor=confirmed.actor,
        reason=confirmed.reason,
    )
    return "Unsubscribed from all emails."


account_page.register_section(80, VIEW_PERMISSION, _preferences_section)
account_actions.register_action(
    AccountAction(
        name="unsubscribe",
        label="Unsubscribe from all…",
        permission=CHANGE_PERMISSION,
        build_question=_ask_unsubscribe,
        perform=_unsubscribe_from_all,
    )
)


@admin.register(Newsletter)
class NewsletterAdmin(SeenRowAdmin):
    """Newsletters. One that was sent stays as it is."""

    list_display = ("title", "category", "created_at", "sent_at")
    list_filter = ("category",)
    fields = ("category", "title", "text", "sent_at")
    readonly_fields = ("sent_at",)
    actions = ("send",)

    def has_change_permission(self, request: HttpRequest, obj: Newsletter | None = None) -> bool:
        """Return whether the operator may change newsletters, and this one was not sent."""
        return super().has_change_permission(request, obj) and (obj is None or obj.sent_at is None)

    def has_delete_permission(self, request: HttpRequest, obj: Newsletter | None = None) -> bool:
        """Return False: what was sent stays on record."""
        return False

    def has_send_permission(self, request: HttpRequest) -> bool:
        """Return whether the operator may send newsletters."""
        return super().has_change_permission(request)

    @admin.action(description="Send to those who want it", permissions=["send"])
    def send(self, request: HttpRequest, chosen: QuerySet[Newsletter]) -> None:
        """Queue the chosen newsletters; nobody gets one twice."""
        for newsletter in chosen:
            _send_newsletter(request, newsletter)


def _send_newsletter(request: HttpRequest, newsletter: Newsletter) -> None:
    try:
        result = newsletters.send_newsletter(newsletter)
    except PortalError as error:
        messages.error(request, str(error.message))
        return
    audit_log.log_table_action(request, Newsletter, f"Sent newsletter {newsletter.pk} to {result.queued}.")
    rest = f" {result.left} are left: send it again." if result.left else ""
    people = "1 subscriber" if result.queued == 1 else f"{result.queued} subscribers"
    messages.success(request, f"“{newsletter}” goes to {people}.{rest}")
