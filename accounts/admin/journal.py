"""Who among the operators did what: Django's log, written for what is no form, and read by superusers."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin.read_only import ReadOnlyAdmin, page_link

LONGEST_NAME = 200


def actor_of(request: HttpRequest) -> str:
    """Give the operator as commands and events name them: `support:<user name>`."""
    return f"support:{request.user.get_username()}"


def note(request: HttpRequest, row: models.Model, message: str) -> None:
    """Add that the operator did something about a row."""
    _add(request, type(row), object_id=str(row.pk), named=str(row), message=message)


def note_about_all(request: HttpRequest, model: type[models.Model], message: str) -> None:
    """Add that the operator did something about a whole table, such as taking it along."""
    _add(request, model, object_id=None, named=str(model._meta.verbose_name_plural), message=message)


def _add(
    request: HttpRequest, model: type[models.Model], *, object_id: str | None, named: str, message: str
) -> None:
    LogEntry.objects.create(
        user_id=int(str(request.user.pk)),
        content_type=ContentType.objects.get_for_model(model, for_concrete_model=False),
        object_id=object_id,
        object_repr=named[:LONGEST_NAME],
        action_flag=CHANGE,
        change_message=message,
    )


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """What operators did, newest first."""

    list_display = ("action_time", "user", "what", "about", "content_type")
    list_filter = ("action_time", "content_type")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "object_repr", "change_message")
    date_hierarchy = "action_time"
    fields = ("action_time", "user", "what", "about", "content_type")

    @admin.display(description="what")
    def what(self, entry: LogEntry) -> str:
        """Say what was done."""
        return entry.get_change_message() or entry.get_action_flag_display()

    @admin.display(description="about")
    def about(self, entry: LogEntry) -> SafeString | str:
        """Link to what it was done about."""
        return page_link(entry.get_admin_url(), entry.object_repr)
