"""The audit log of operators: Django's `LogEntry`, also written for actions other than forms, read by superusers."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin.lists.read_only import ReadOnlyAdmin, page_link

MAX_NAME_LENGTH = 200


def operator_actor(request: HttpRequest) -> str:
    """Return the operator as the actor of commands and events: `support:<user name>`."""
    return f"support:{request.user.get_username()}"


def log_action(request: HttpRequest, row: models.Model, message: str) -> None:
    """Log an operator's action on a row."""
    _add_entry(request, type(row), object_id=str(row.pk), name=str(row), message=message)


def log_table_action(request: HttpRequest, model: type[models.Model], message: str) -> None:
    """Log an operator's action on a whole table, such as an export."""
    _add_entry(request, model, object_id=None, name=str(model._meta.verbose_name_plural), message=message)


def _add_entry(
    request: HttpRequest, model: type[models.Model], *, object_id: str | None, name: str, message: str
) -> None:
    LogEntry.objects.create(
        user_id=int(str(request.user.pk)),
        content_type=ContentType.objects.get_for_model(model, for_concrete_model=False),
        object_id=object_id,
        object_repr=name[:MAX_NAME_LENGTH],
        action_flag=CHANGE,
        change_message=message,
    )


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """The log, newest entries first."""

    list_display = ("action_time", "user", "what", "about", "content_type")
    list_filter = ("action_time", "content_type")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "object_repr", "change_message")
    date_hierarchy = "action_time"
    fields = ("action_time", "user", "what", "about", "content_type")

    @admin.display(description="what")
    def what(self, entry: LogEntry) -> str:
        """Return what was done."""
        return entry.get_change_message() or entry.get_action_flag_display()

    @admin.display(description="about")
    def about(self, entry: LogEntry) -> SafeString | str:
        """Return a link to the row."""
        return page_link(entry.get_admin_url(), entry.object_repr)
