"""The timeline of an account's admin page: everything that happened to it, newest first, of several models.

Each application registers its sources. A page reads the newest rows of each source before a position, merges them, and
describes those that it shows, so that it costs the same however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from accounts.models import Account

PAGE_SIZE = 25
KIND, BEFORE, ZONE = "kind", "before", "zone"
_SEPARATOR = "~"


class EntryKind(StrEnum):
    """What an entry is about, and what the page filters by."""

    CHARGES = "charges"
    PAYMENTS = "payments"
    CHANGES = "changes"
    EMAILS = "emails"
    SIGN_INS = "sign-ins"


KIND_NAMES = {
    EntryKind.CHARGES: "Charges and credits",
    EntryKind.PAYMENTS: "Payments and refunds",
    EntryKind.CHANGES: "Changes",
    EntryKind.EMAILS: "Emails",
    EntryKind.SIGN_INS: "Sign-ins",
}


@dataclass(frozen=True)
class Link:
    """A link of an entry, or an action on its row."""

    address: str
    label: str
    is_action: bool = False


@dataclass(frozen=True)
class Fold:
    """What is shown on request, such as an email as it was sent: lines, then facts as labels with values."""

    label: str
    lines: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """An entry in words: what happened, who did it and why, and the money. Text is escaped, a SafeString is not."""

    what: object
    by: str = ""
    reason: str = ""
    amount: str = ""
    state: object = ""
    lines: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    folds: Sequence[Fold] = ()
    links: Sequence[Link] = ()
    at: datetime | None = None
    kind: EntryKind = EntryKind.CHANGES

    @property
    def kind_name(self) -> str:
        """The name of its kind."""
        return KIND_NAMES[self.kind]


# Takes the account and the kind that is asked for, None for all.
RowReader = Callable[[Account, EntryKind | None], QuerySet[Any]]
# Takes the rows that are shown; returns their entries by primary key. A constant number of queries.
EntryWriter = Callable[[Account, Sequence[Any], HttpRequest], Mapping[Any, Entry]]


@dataclass(frozen=True)
class TimelineSource:
    """A model whose rows are entries. `at` is the field with the time, in whose order an index has them."""

    name: str
    kind: EntryKind
    permission: str
    at: str
    rows: RowReader
    describe: EntryWriter


@dataclass(frozen=True)
class Filter:
    """A link to the entries of one kind."""

    label: str
    address: str
    is_current: bool


@dataclass(frozen=True)
class Timeline:
    """A page of entries, newest first, with the links to its filters and to older and the newest entries."""

    entries: Sequence[Entry]
    filters: Sequence[Filter] = ()
    older: str = ""
    newest: str = ""
    is_filtered: bool = False


@dataclass(frozen=True, order=True)
class _Place:
    """Where a row stands: later ones first, then by source, then by key, the newest first."""

    at: datetime
    source: int
    pk: Any = field(compare=True)


_sources: list[TimelineSource] = []


def register_source(source: TimelineSource) -> None:
    """Add a source."""
    _sources.append(source)


def read_timeline(account: Account, request: HttpRequest) -> Timeline:
    """Return the page of the timeline that the request's parameters ask for."""
    allowed = [(number, source) for number, source in enumerate(_sources) if request.user.has_perm(source.permission)]
    kind = next((kind for kind in EntryKind if kind == request.GET.get(KIND)), None)
    before = _parse_place(request.GET.get(BEFORE, ""))
    found: list[tuple[_Place, Any]] = []
    for number, source in allowed:
        if kind in (None, source.kind):
            found += _newest_rows(source, number, source.rows(account, kind), before)
    found.sort(key=lambda pair: pair[0], reverse=True)
    shown = found[:PAGE_SIZE]
    has_more = len(found) > PAGE_SIZE
    return Timeline(
        entries=_describe_rows(account, shown, request),
        filters=_filters(request, kind, {source.kind for _, source in allowed}),
        older=_address(request, kind, _format_place(shown[-1][0])) if has_more else "",
        newest=_address(request, kind) if before else "",
        is_filtered=kind is not None,
    )


def _newest_rows(
    source: TimelineSource, number: int, rows: QuerySet[Any], before: _Place | None
) -> list[tuple[_Place, Any]]:
    """Return the newest rows before a place, one more than a page shows."""
    rows = rows.filter(**{f"{source.at}__isnull": False})
    if before is not None:
        rows = rows.filter(_is_before(source, number, rows.model, before))
    newest = rows.order_by(f"-{source.at}", "-pk")[: PAGE_SIZE + 1]
    return [(_Place(getattr(row, source.at), number, row.pk), row) for row in newest]


def _is_before(source: TimelineSource, number: int, model: type[Model], before: _Place) -> Q:
    if number < before.source:
        return Q(**{f"{source.at}__lte": before.at})
    earlier = Q(**{f"{source.at}__lt": before.at})
    if number > before.source:
        return earlier
    try:
        pk = model._meta.pk.to_python(before.pk)
    except ValidationError:
        return earlier
    return earlier | Q(**{source.at: before.at, "pk__lt": pk})


def _describe_rows(account: Account, shown: Sequence[tuple[_Place, Any]], request: HttpRequest) -> list[Entry]:
    entries: dict[tuple[int, Any], Entry] = {}
    for number in dict.fromkeys(place.source for place, _ in shown):
        rows = [row for place, row in shown if place.source == number]
        described = _sources[number].describe(account, rows, request)
        entries |= {(number, pk): entry for pk, entry in described.items()}
    return [_placed_entry(entries[place.source, place.pk], place.at, _sources[place.source].kind) for place, _ in shown]


def _placed_entry(entry: Entry, at: datetime, kind: EntryKind) -> Entry:
    return Entry(**{**vars(entry), "at": at, "kind": kind})


def _filters(request: HttpRequest, current: EntryKind | None, kinds: set[EntryKind]) -> list[Filter]:
    offered = [kind for kind in EntryKind if kind in kinds]
    if len(offered) < 2:
        return []
    return [
        Filter("Everything", _address(request, None), current is None),
        *(Filter(KIND_NAMES[kind], _address(request, kind), current == kind) for kind in offered),
    ]


def _address(request: HttpRequest, kind: EntryKind | None, before: str = "") -> str:
    chosen = {KIND: kind or "", BEFORE: before, ZONE: request.GET.get(ZONE, "")}
    query = urlencode({name: value for name, value in chosen.items() if value})
    return f"{request.path}{'?' if query else ''}{query}#timeline"


def _format_place(place: _Place) -> str:
    return _SEPARATOR.join((place.at.isoformat(), _sources[place.source].name, str(place.pk)))


def _parse_place(text: str) -> _Place | None:
    """Return the place that a page ends at; None for one that is not of ours."""
    at, _, rest = text.partition(_SEPARATOR)
    name, _, pk = rest.partition(_SEPARATOR)
    numbers = {source.name: number for number, source in enumerate(_sources)}
    try:
        moment = parse_datetime(at)
        if moment is None or moment.tzinfo is None or name not in numbers:
            return None
        return _Place(moment.astimezone(UTC), numbers[name], pk)
    except (ValueError, OverflowError):
        return None
