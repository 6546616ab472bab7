"""Compare the mirror with the provider in portions, without holding the site's records in memory.

Each kind is compared in two passes. The first reads the provider's list page by page and compares each page with our
rows of the same ids; this finds missing and outdated rows. Each row on a page is marked with the run's number. The
second pass reads each unmarked row from the provider by its id; this finds what is gone. Only that answer marks a row
as deleted: a page that shifted while it was read, or a record created since, cannot. Rows created after the first pass
began are skipped, since they were just read. Run numbers only grow, so concurrent comparisons do not interfere.

A run whose cursor has `since` only reads what was updated after it, and has no second pass: a list names what was
deleted since, and the comparison of the whole site finds the rest.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db.models import Max, Q, QuerySet

from billing import clock
from billing.gateway import records
from billing.gateway.errors import Missing, Refused, Unreadable
from billing.gateway.records import UnreadableRecord
from billing.gateway.snapshots import CustomerSnapshot, Snapshot
from billing.job_runs import ROWS_PER_STRETCH
from billing.mirror import account_identity, comparisons, erasure, writer
from billing.models import Customer, JobRun
from billing.models.job_runs import IMPORT, Cursor
from billing.models.mirror_row import MirroredResource
from core.clock import database_now
from core.email_addresses import usable_address

STAGES = tuple(records.KINDS)
# Each costs one request. Even if all of them time out, a portion ends before the task's time limit.
LOOKUPS_PER_PORTION = 5
# After this long the provider may not accept a list's offset any more.
OFFSET_LIFETIME = timedelta(hours=1)

GONE, NEWER, UNREADABLE = "not there", "newer than the provider", "cannot be read"
OTHER_ADDRESS = "its account has another email address"


@dataclass(frozen=True)
class Difference:
    """A difference between the mirror and the provider.

    `problem` is `missing`, `older`, `newer than the provider`, `not there`, `cannot be read`, or of a customer `its
    account has another email address`.
    """

    kind: str
    id: str
    problem: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}: {self.problem}"


@dataclass(frozen=True)
class FoundDifference:
    """A difference, the provider's snapshot (None if it is gone or unreadable) and our row's version when compared."""

    difference: Difference
    snapshot: Snapshot | None = None
    our_version: int = 0


@dataclass(frozen=True)
class ComparedPortion:
    """One portion of a comparison: how many records were compared, the differences, and the run's next cursor."""

    count: int
    found: list[FoundDifference]
    cursor: Cursor | None


def compare_next_portion(run: JobRun, stages: tuple[str, ...] = STAGES) -> ComparedPortion:
    """Compare the portion at a run's cursor. Raises NotSent."""
    return _check_unlisted_rows(run, stages) if run.cursor.is_list_read else _compare_page(run, stages)


def compare_customer(customer: Customer) -> list[Difference]:
    """Return the differences of a customer and its records. Raises NotSent."""
    found = [_compare_with_provider("customer", customer)]
    for kind in records.CUSTOMER_KINDS:
        listed = {record.id: record for record in records.find_records(kind, customer_id={"is": customer.provider_id})}
        ours = {row.provider_id: row for row in _mirror_rows(kind).filter(customer=customer)}
        found += [_compare_record(kind, ours.get(record.id), record) for record in listed.values()]
        unlisted = [row for row in ours.values() if row.provider_id not in listed and not row.deleted]
        found += [_compare_with_provider(kind, row) for row in unlisted]
    return [row.difference for row in found if row is not None]


def _compare_page(run: JobRun, stages: tuple[str, ...]) -> ComparedPortion:
    cursor: Cursor = run.cursor
    began = cursor.began or int(clock.billing_now().timestamp())
    rows = _mirror_rows(cursor.stage)
    up_to = rows.aggregate(newest=Max("pk"))["newest"] or 0 if cursor.up_to is None else cursor.up_to
    page = _read_page(run)
    customer_ids = _mirrored_customer_ids([*page.snapshots, *page.unreadable], all_customers=_is_whole(run))
    snapshots = [snapshot for snapshot in page.snapshots if _owner_id(snapshot) in customer_ids]
    unreadable = [record for record in page.unreadable if record.customer_id in customer_ids]
    ids = [snapshot.id for snapshot in snapshots] + [record.id for record in unreadable]
    ours = {row.provider_id: row for row in rows.filter(provider_id__in=ids)}
    if not _ends_with_list(cursor):
        _mark_as_seen(run, ours.values())
    found = [_unreadable_difference(cursor.stage, record.id) for record in unreadable]
    compared = [_compare_record(cursor.stage, ours.get(snapshot.id), snapshot) for snapshot in snapshots]
    found += [difference for difference in compared if difference is not None]
    reached = max([records.created_seconds(cursor.stage, snapshot) for snapshot in page.snapshots], default=0)
    following: Cursor | None = replace(
        cursor,
        offset=page.next_offset,
        is_list_read=not page.next_offset,
        up_to=up_to,
        reached=max(reached, cursor.reached),
        began=began,
    )
    if _ends_with_list(cursor) and not page.next_offset:
        following = replace(cursor, began=began).next_stage(stages)
    return ComparedPortion(count=len(ids), found=found, cursor=following)


def _ends_with_list(cursor: Cursor) -> bool:
    """Return whether a stage has no second pass, which would need to know the rows that the list showed."""
    return bool(cursor.since) and cursor.stage not in records.CATALOG_KINDS


def _read_page(run: JobRun) -> records.RecordsPage:
    """Read the page at a run's offset; if that has become too old, the page at the last record that was listed."""
    cursor: Cursor = run.cursor
    try:
        return records.read_records_page(cursor.stage, offset=cursor.offset, updated_after=cursor.since)
    except Refused:
        if not cursor.offset or database_now() - run.updated_at < OFFSET_LIFETIME:
            raise
        return records.read_records_page(cursor.stage, updated_after=cursor.since, created_from=cursor.reached)


def _check_unlisted_rows(run: JobRun, stages: tuple[str, ...]) -> ComparedPortion:
    """Read from the provider those of our rows, of one range of keys, that no page listed."""
    cursor: Cursor = run.cursor
    up_to = cursor.up_to or 0
    end = min(cursor.after + ROWS_PER_STRETCH, up_to)
    unseen = _mirror_rows(cursor.stage).filter(_unseen_filter(run), deleted=False, pk__gt=cursor.after, pk__lte=end)
    rows = list(unseen.order_by("pk")[:LOOKUPS_PER_PORTION])
    found = [difference for row in rows if (difference := _compare_with_provider(cursor.stage, row)) is not None]
    after = rows[-1].pk if len(rows) == LOOKUPS_PER_PORTION else end
    following = replace(cursor, after=after) if after < up_to else cursor.next_stage(stages)
    return ComparedPortion(count=len(rows), found=found, cursor=following)


def _compare_record(kind: str, row: MirroredResource | None, snapshot: Snapshot) -> FoundDifference | None:
    problem = _describe_difference(row, snapshot)
    if row is not None and problem == NEWER:
        # Our row may have been written after the page was read.
        return _compare_with_provider(kind, row)
    return FoundDifference(Difference(kind, snapshot.id, problem), snapshot) if problem else None


def _compare_with_provider(kind: str, row: MirroredResource) -> FoundDifference | None:
    """Read the resource of a row by its id and compare it with the row, read again after that."""
    try:
        snapshot = records.find_record(kind, row.provider_id)
    except Missing:
        return FoundDifference(Difference(kind, row.provider_id, GONE))
    except (Refused, Unreadable):
        return _unreadable_difference(kind, row.provider_id)
    fresh = _mirror_rows(kind).filter(pk=row.pk).first()
    if fresh is None or not (problem := _describe_difference(fresh, snapshot)):
        return None
    return FoundDifference(Difference(kind, fresh.provider_id, problem), snapshot, fresh.resource_version)


def _describe_difference(row: MirroredResource | None, snapshot: Snapshot) -> str:
    if row is None:
        return "missing"
    if row.deleted and snapshot.deleted:
        return ""  # a single read does not find what is deleted, so the row may have an older payload
    if row.payload == snapshot.payload and row.deleted == snapshot.deleted:
        return OTHER_ADDRESS if _has_other_address(row, snapshot) else ""
    return "older" if row.resource_version <= snapshot.version else NEWER


def _has_other_address(row: MirroredResource, snapshot: Snapshot) -> bool:
    account = row.account if isinstance(row, Customer) else None
    return (
        account is not None
        and isinstance(snapshot, CustomerSnapshot)
        and account.email != usable_address(snapshot.email)
    )


def _unreadable_difference(kind: str, resource_id: str) -> FoundDifference:
    return FoundDifference(Difference(kind, resource_id, UNREADABLE))


def _mirror_rows(kind: str) -> QuerySet[Any]:
    rows: QuerySet[Any] = writer.MODELS_BY_KIND[kind]._default_manager.all()
    return rows.select_related("account") if kind == "customer" else rows


def _mark_as_seen(run: JobRun, rows: Iterable[MirroredResource]) -> None:
    keys = [row.pk for row in rows]
    _mirror_rows(run.cursor.stage).filter(_unseen_filter(run), pk__in=keys).update(seen_in=run.pk)


def _unseen_filter(run: JobRun) -> Q:
    return Q(seen_in__isnull=True) | Q(seen_in__lt=run.pk)


def _is_whole(run: JobRun) -> bool:
    """Return whether a run compares all customers, mirrored or not."""
    return run.cursor.stage == "customer" and (run.job == IMPORT or comparisons.is_site_mirrored())


def _mirrored_customer_ids(listed: Iterable[Snapshot | UnreadableRecord], *, all_customers: bool) -> set[str]:
    """Return the ids of the records' customers that belong in the mirror, and the empty id of records without one.

    A customer belongs there if it is mirrored, or has the address of an account (docs/rules.md, rule 13); with
    `all_customers` each one does that operators have not erased.
    """
    records_listed = list(listed)
    owners = {_owner_id(record) for record in records_listed} - {""}
    known = set(Customer.objects.filter(provider_id__in=owners).values_list("provider_id", flat=True))
    known |= account_identity.customer_ids_at_known_addresses(records_listed)
    if all_customers:
        known |= owners - erasure.find_erased_ids(owners)
    return {"", *known}


def _owner_id(record: Snapshot | UnreadableRecord) -> str:
    return record.id if isinstance(record, CustomerSnapshot) else str(getattr(record, "customer_id", ""))
