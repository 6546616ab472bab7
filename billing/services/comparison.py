"""Comparing the mirror with the provider, portion by portion, with nothing of the site held in memory.

Kind after kind, first the provider's list is read page by page and each page is compared with our rows of the same
ids: that finds what we lack and what we have otherwise. Our rows of the page are marked with the run's number. Then our
rows that bear no such mark are gone through, in stretches, and each is asked for by its id: that finds what is gone.
The answer to that question decides, so that neither a page that moved while it was read nor a record made since can
bury anything; and rows newer than the list's beginning were just read from the provider, and are left out. A mark is a
number that only grows, so that two comparisons at once do not disturb each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Max, Q, QuerySet

from billing.gateway import records
from billing.gateway.errors import Missing, Refused, Unreadable
from billing.gateway.records import Broken
from billing.gateway.snapshots import CustomerSnapshot, Snapshot
from billing.models import Customer, ReconcileRun
from billing.models.mirrored import Mirrored
from billing.services import leases, mirror, runs

STAGES = tuple(records.KINDS)
# Each costs a request of its own; this many that are all timed out still end before a task must.
LOOKED_FOR_AT_ONCE = 5
# A run that was left for longer may find that the provider does not know the offset any more.
OFFSET_KEPT = timedelta(hours=1)

GONE, NEWER, BROKEN = "not there", "newer than the provider", "cannot be read"


@dataclass(frozen=True)
class Difference:
    """One thing that the mirror has otherwise than the provider.

    `what` is `missing`, `older`, `newer than the provider`, `not there` or `cannot be read`.
    """

    kind: str
    id: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}: {self.what}"


@dataclass(frozen=True)
class Found:
    """A difference, and what the provider holds; nothing where it holds nothing, or nothing that can be read.

    `our_version` is the version of our row when it was compared.
    """

    difference: Difference
    snapshot: Snapshot | None = None
    our_version: int = 0


@dataclass(frozen=True)
class Compared:
    """One portion of a comparison: how many records it was, what was found, and where the next one starts."""

    count: int
    found: list[Found]
    cursor: dict[str, Any]


def next_portion(run: ReconcileRun, stages: tuple[str, ...] = STAGES) -> Compared:
    """Compare the portion that a run is at. Raises NotSent."""
    return _look(run, stages) if run.looking else _list(run)


def _list(run: ReconcileRun) -> Compared:
    """Compare a page of the provider's list."""
    rows = _rows(run.stage)
    up_to = rows.aggregate(newest=Max("pk"))["newest"] or 0 if run.up_to is None else run.up_to
    page = _page(run)
    known = _known([*page.snapshots, *page.broken])
    snapshots = [one for one in page.snapshots if _owner(one) in known]
    broken = [one for one in page.broken if one.customer_id in known]
    ids = [one.id for one in snapshots] + [one.id for one in broken]
    ours = {row.provider_id: row for row in rows.filter(provider_id__in=ids)}
    _mark(run, ours.values())
    found = [_unreadable(run.stage, one.id) for one in broken]
    found += [one for snapshot in snapshots if (one := _compare(run.stage, ours.get(snapshot.id), snapshot))]
    follows = {"offset": page.next_offset, "looking": not page.next_offset, "up_to": up_to}
    return Compared(count=len(snapshots) + len(broken), found=found, cursor=follows)


def _page(run: ReconcileRun) -> records.Page:
    """Read the page that a run is at, or the list from its beginning where the run was left for too long."""
    try:
        return records.portion(run.stage, offset=run.offset)
    except Refused:
        if not run.offset or leases.now() - run.updated_at < OFFSET_KEPT:
            raise
        return records.portion(run.stage)


def _look(run: ReconcileRun, stages: tuple[str, ...]) -> Compared:
    """Ask for our rows, of one stretch, that no page of the list had."""
    end = min(run.after + runs.STRETCH, run.up_to or 0)
    unseen = _rows(run.stage).filter(_unmarked(run), deleted=False, pk__gt=run.after, pk__lte=end)
    rows = list(unseen.order_by("pk")[:LOOKED_FOR_AT_ONCE])
    found = [one for row in rows if (one := _ask(run.stage, row))]
    after = rows[-1].pk if len(rows) == LOOKED_FOR_AT_ONCE else end
    cursor = {"after": after} if after < (run.up_to or 0) else runs.to_stage(run, stages)
    return Compared(count=len(rows), found=found, cursor=cursor)


def _compare(kind: str, row: Mirrored | None, snapshot: Snapshot) -> Found | None:
    what = _difference(row, snapshot)
    if row is not None and what == NEWER:
        # The page was read before our row: what the provider says now decides.
        return _ask(kind, row)
    return Found(Difference(kind, snapshot.id, what), snapshot) if what else None


def _ask(kind: str, row: Mirrored) -> Found | None:
    """Compare one of our rows, as it is by then, with what the provider says of it now."""
    try:
        snapshot = records.find(kind, row.provider_id)
    except Missing:
        return Found(Difference(kind, row.provider_id, GONE))
    except (Refused, Unreadable):
        return _unreadable(kind, row.provider_id)
    fresh = _rows(kind).filter(pk=row.pk).first()
    if fresh is None or not (what := _difference(fresh, snapshot)):
        return None
    return Found(Difference(kind, fresh.provider_id, what), snapshot, fresh.resource_version)


def _difference(row: Mirrored | None, snapshot: Snapshot) -> str:
    if row is None:
        return "missing"
    same = row.payload == snapshot.payload and row.deleted == snapshot.deleted
    return "" if same else "older" if row.resource_version <= snapshot.version else NEWER


def _unreadable(kind: str, resource_id: str) -> Found:
    return Found(Difference(kind, resource_id, BROKEN))


def _rows(kind: str) -> QuerySet[Any]:
    return mirror.MODELS[kind]._default_manager.all()


def _mark(run: ReconcileRun, rows: Iterable[Mirrored]) -> None:
    keys = [row.pk for row in rows]
    _rows(run.stage).filter(_unmarked(run), pk__in=keys).update(seen_in=run.pk)


def _unmarked(run: ReconcileRun) -> Q:
    return Q(seen_in__isnull=True) | Q(seen_in__lt=run.pk)


def _known(found: Iterable[Snapshot | Broken]) -> set[str]:
    """Return which of these records' customers are mirrored (others are not ours to hold); nobody's are."""
    owners = {_owner(one) for one in found} - {""}
    return {"", *Customer.objects.filter(provider_id__in=owners).values_list("provider_id", flat=True)}


def _owner(record: Snapshot | Broken) -> str:
    return record.id if isinstance(record, CustomerSnapshot) else str(getattr(record, "customer_id", ""))
