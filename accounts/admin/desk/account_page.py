"""The sections of an account's admin page. Each application registers its own."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import slugify

from accounts.admin.lists.display import BAD, GOOD, NO_VALUE, format_day, format_instant, state_pill
from accounts.admin.lists.read_only import page_link
from accounts.models import Account
from accounts.sign_in.browser_name import browser_name
from accounts.sign_in.sessions import open_sessions

# A section shows only the newest rows and links to the rest, so that the page costs the same for every account.
MAX_ROWS = 10


@dataclass(frozen=True)
class PageSection:
    """A table of the newest rows. Text in a cell is escaped, a SafeString is not. `rest` is the whole list's URL.

    A section without rows says so in the words of `empty`; it is left out if it has none.
    `is_aside` puts it beside the timeline, each row as a list of its cells.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    empty: str
    rest: str = ""
    is_aside: bool = False

    @property
    def id(self) -> str:
        """The section's anchor on the page."""
        return slugify(self.title)

    @property
    def labelled_rows(self) -> list[list[tuple[str, object]]]:
        """The rows, each cell with its column's name, which a narrow screen shows beside the cell."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]


# A name and its value; text is escaped, a SafeString is not.
Fact = tuple[str, object]
SectionBuilder = Callable[[Account, HttpRequest], PageSection]
FactReader = Callable[[Account, HttpRequest], Iterable[Fact]]

_builders: list[tuple[int, str, SectionBuilder]] = []
_fact_readers: list[tuple[str, FactReader]] = []


def register_facts(permission: str, read: FactReader) -> None:
    """Add facts about who the subscriber is, for operators with the permission."""
    _fact_readers.append((permission, read))


def account_facts(account: Account, request: HttpRequest) -> Iterator[Fact]:
    """Yield the facts that the operator may see."""
    for permission, read in _fact_readers:
        if request.user.has_perm(permission):
            yield from read(account, request)


def register_section(position: int, permission: str, build: SectionBuilder) -> None:
    """Add a section for operators with the permission; the lowest position comes first."""
    _builders.append((position, permission, build))
    _builders.sort(key=lambda entry: entry[0])


def account_sections(account: Account, request: HttpRequest) -> Iterator[PageSection]:
    """Yield the sections that the operator may see."""
    for _, permission, build in _builders:
        if request.user.has_perm(permission):
            section = build(account, request)
            if section.rows or section.empty:
                yield section


def newest_rows(queryset: QuerySet[Any], **filters: object) -> tuple[list[Any], str]:
    """Return the first rows and, if there are more, the URL of the model's list with these filters."""
    rows = list(queryset[: MAX_ROWS + 1])
    return rows[:MAX_ROWS], list_url(queryset.model, **filters) if len(rows) > MAX_ROWS else ""


def list_url(model: type[Model], **filters: object) -> str:
    """Return the URL of a model's list with these filters."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(filters)}"


def row_address(row: Model) -> str:
    """Return the URL of a row's page."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def row_link(row: Model, text: object) -> object:
    """Return a link to a row's page."""
    return page_link(row_address(row), text)


def _sessions_section(account: Account, request: HttpRequest) -> PageSection:
    sessions = open_sessions(account)[:MAX_ROWS]
    cells = [
        (
            browser_name(session.agent),
            format_instant(session.created),
            format_instant(session.last_used_at),
            format_instant(session.expiry),
        )
        for session in sessions
    ]
    columns = ("Browser", "Since", "Last used", "Until")
    return PageSection("Signed in with", columns, cells, "Not signed in anywhere", is_aside=True)


def _profile_facts(account: Account, request: HttpRequest) -> Iterator[Fact]:
    yield "Name", account.name or NO_VALUE
    yield "Email address", account.email or "none that the portal can use"
    yield "Account in the portal since", format_day(account.created_at)
    yield "Brand", str(account.brand) if account.brand else "not signed in yet"
    yield "Birthday", _birthday(account)
    yield "Sign-in", state_pill("Allowed", GOOD) if account.user.is_active else state_pill("Turned off", BAD)


def _birthday(account: Account) -> str:
    month = account.birth_month
    return f"{calendar.month_name[month]} {account.birth_day}" if month else "not told"


register_facts("accounts.view_account", _profile_facts)
register_section(100, "accounts.view_signinevent", _sessions_section)
