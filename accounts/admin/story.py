"""The sections of an account's page: each application adds what it knows of an account."""

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

# A section shows the newest and leads to the rest, so that the page costs the same for every account.
SHOWN = 10
UNSET = "-"


@dataclass(frozen=True)
class Section:
    """A table of the newest rows; text in a cell is escaped, a link is not. `rest` leads to the whole list."""

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
        """The rows, each cell with its column's name: on a telephone it stands before the cell."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]


Builder = Callable[[Account, HttpRequest], Section]

_builders: list[tuple[int, str, Builder]] = []


def register(position: int, permission: str, build: Builder) -> None:
    """Add a section for those who have the permission; the lowest position stands first."""
    _builders.append((position, permission, build))
    _builders.sort(key=lambda one: one[0])


def sections(account: Account, request: HttpRequest) -> Iterator[Section]:
    """Build the sections that the operator may see."""
    for _, permission, build in _builders:
        if request.user.has_perm(permission):
            yield build(account, request)


def newest(found: QuerySet[Any], **narrowed: object) -> tuple[list[Any], str]:
    """Give the first rows, and the address of the list, narrowed by these fields, where there are more."""
    rows = list(found[: SHOWN + 1])
    return rows[:SHOWN], list_address(found.model, **narrowed) if len(rows) > SHOWN else ""


def list_address(model: type[Model], **narrowed: object) -> str:
    """Give the address of a model's list, narrowed by these fields."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(narrowed)}"


def row_link(row: Model, words: object) -> object:
    """Give a link to a row's page."""
    return page_link(
        reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk]), words
    )


def instant(at: datetime | None) -> str:
    """Give an instant as `2026-03-10 12:00 UTC`, a dash where there is none."""
    return UNSET if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _activity(account: Account, request: HttpRequest) -> Section:
    rows, rest = newest(AccountEvent.objects.filter(account=account), account__id__exact=account.pk)
    told = [(row_link(row, instant(row.at)), row.text, row.actor) for row in rows]
    return Section("Activity", ("When", "What", "By"), told, "Nothing has happened yet.", rest)


def _mails(account: Account, request: HttpRequest) -> Section:
    # Neither the context nor the rendered mail: a code is made while its mail is sent, and stands in neither.
    rows, rest = newest(OutgoingMail.objects.filter(account=account), account__id__exact=account.pk)
    told = [
        (
            row_link(row, instant(row.created_at)),
            row.context.get("title") or row.kind,
            row.get_state_display(),
            instant(row.sent_at),
            row.last_error or UNSET,
        )
        for row in rows
    ]
    columns = ("Queued", "About", "State", "Sent", "Last error")
    return Section("Mails", columns, told, "No mail has been queued.", rest)


def _sessions(account: Account, request: HttpRequest) -> Section:
    found = SessionToken.objects.filter(user=account.user_id).order_by("-last_used_at")[:SHOWN]
    told = [
        (instant(one.created), instant(one.last_used_at), instant(one.expiry), one.agent or "unknown browser")
        for one in found
    ]
    columns = ("Since", "Last used", "Until", "Browser")
    return Section("Signed in at", columns, told, "Signed in nowhere.")


def _sign_ins(account: Account, request: HttpRequest) -> Section:
    rows, rest = newest(SignInEvent.objects.filter(account=account), account__id__exact=account.pk)
    told = [
        (row_link(row, instant(row.at)), row.get_kind_display(), row.network or UNSET, row.agent or UNSET)
        for row in rows
    ]
    columns = ("When", "What", "From", "Browser")
    return Section("Sign-ins", columns, told, "Nobody has tried to sign in.", rest)


register(70, "accounts.view_outgoingmail", _mails)
register(90, "accounts.view_accountevent", _activity)
register(100, "accounts.view_signinevent", _sessions)
register(110, "accounts.view_signinevent", _sign_ins)
