"""The sections of an account's admin page. Each application registers its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import slugify

from accounts.admin.read_only import page_link
from accounts.models import Account, AccountEvent, OutgoingMail, SessionToken, SignInEvent
from accounts.sign_in.browser_name import UNRECOGNIZED_BROWSER

# A section shows only the newest rows and links to the rest, so that the page costs the same for every account.
MAX_ROWS = 10
NO_VALUE = "-"


@dataclass(frozen=True)
class PageSection:
    """A table of the newest rows. Text in a cell is escaped, a SafeString is not. `rest` is the whole list's URL."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    empty: str
    rest: str = ""

    @property
    def id(self) -> str:
        """The section's anchor on the page."""
        return slugify(self.title)

    @property
    def labelled_rows(self) -> list[list[tuple[str, object]]]:
        """The rows, each cell with its column's name, which a narrow screen shows beside the cell."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]


SectionBuilder = Callable[[Account, HttpRequest], PageSection]

_builders: list[tuple[int, str, SectionBuilder]] = []


def register_section(position: int, permission: str, build: SectionBuilder) -> None:
    """Add a section for operators with the permission; the lowest position comes first."""
    _builders.append((position, permission, build))
    _builders.sort(key=lambda entry: entry[0])


def account_sections(account: Account, request: HttpRequest) -> Iterator[PageSection]:
    """Yield the sections that the operator may see."""
    for _, permission, build in _builders:
        if request.user.has_perm(permission):
            yield build(account, request)


def newest_rows(queryset: QuerySet[Any], **filters: object) -> tuple[list[Any], str]:
    """Return the first rows and, if there are more, the URL of the model's list with these filters."""
    rows = list(queryset[: MAX_ROWS + 1])
    return rows[:MAX_ROWS], list_url(queryset.model, **filters) if len(rows) > MAX_ROWS else ""


def list_url(model: type[Model], **filters: object) -> str:
    """Return the URL of a model's list with these filters."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(filters)}"


def row_link(row: Model, text: object) -> object:
    """Return a link to a row's page."""
    return page_link(reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk]), text)


def format_instant(at: datetime | None) -> str:
    """Format an instant as `2026-03-10 12:00 UTC`, None as a dash."""
    return NO_VALUE if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _activity_section(account: Account, request: HttpRequest) -> PageSection:
    rows, rest = newest_rows(AccountEvent.objects.filter(account=account), account__id__exact=account.pk)
    cells = [(row_link(row, format_instant(row.at)), row.text, row.actor) for row in rows]
    return PageSection("Activity", ("When", "What", "By"), cells, "No activity yet", rest)


def _mails_section(account: Account, request: HttpRequest) -> PageSection:
    rows, rest = newest_rows(OutgoingMail.objects.filter(account=account), account__id__exact=account.pk)
    cells = [
        (
            row_link(row, format_instant(row.created_at)),
            row.context.get("title") or row.kind,
            row.get_state_display(),
            format_instant(row.sent_at),
            row.last_error or NO_VALUE,
        )
        for row in rows
    ]
    columns = ("Queued", "About", "State", "Sent", "Last error")
    return PageSection("Emails", columns, cells, "No email", rest)


def _sessions_section(account: Account, request: HttpRequest) -> PageSection:
    sessions = SessionToken.objects.filter(user=account.user_id).order_by("-last_used_at")[:MAX_ROWS]
    cells = [
        (
            format_instant(session.created),
            format_instant(session.last_used_at),
            format_instant(session.expiry),
            session.agent or UNRECOGNIZED_BROWSER,
        )
        for session in sessions
    ]
    columns = ("Since", "Last used", "Until", "Browser")
    return PageSection("Sessions", columns, cells, "Not signed in anywhere")


def _sign_ins_section(account: Account, request: HttpRequest) -> PageSection:
    rows, rest = newest_rows(SignInEvent.objects.filter(account=account), account__id__exact=account.pk)
    cells = [
        (
            row_link(row, format_instant(row.at)),
            row.get_kind_display(),
            row.network or NO_VALUE,
            row.agent or NO_VALUE,
        )
        for row in rows
    ]
    columns = ("When", "What", "From", "Browser")
    return PageSection("Sign-ins", columns, cells, "No sign-in attempts", rest)


register_section(70, "accounts.view_outgoingmail", _mails_section)
register_section(90, "accounts.view_accountevent", _activity_section)
register_section(100, "accounts.view_signinevent", _sessions_section)
register_section(110, "accounts.view_signinevent", _sign_ins_section)
