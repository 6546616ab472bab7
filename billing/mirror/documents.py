"""The documents of the hot reads: finished JSON, served as it is until the mirror changes (decision 1)."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import F

from accounts.models import Account, SessionToken, User
from accounts.sign_in.session_lookup import open_session_sql
from billing.mirror.wanted_estimates import missing_estimates, want_missing_estimates
from billing.models import AccountDocument, ContentVersion
from core.prepared_sql import fetch_row

STALE_VERSION, FIRST_VERSION = 0, 1
# Added to the version of each document, and raised when their fields change: the release before builds its own.
FORMAT = 7_000_000

# Plain SQL: building these queries with the ORM for every read costs more than running them.
_TABLE = AccountDocument._meta.db_table
_IS_FRESH = f"""
    content_version = {FORMAT} + COALESCE(
        (SELECT version FROM {ContentVersion._meta.db_table} WHERE id = 1), {FIRST_VERSION}
    )
"""  # noqa: S608  (our own tables' names)
_READ_SQL = f"SELECT body, etag, {_IS_FRESH} FROM {_TABLE} WHERE account_id = %s AND kind = %s"  # noqa: S608
_USER_ID, _ACCOUNT_ID = (f"{model._meta.db_table}.id" for model in (User, Account))
_UNKNOWN_BODY = "CASE WHEN etag = %s THEN NULL ELSE body END"
_JOIN_DOCUMENT = f"JOIN {_TABLE} ON {_TABLE}.account_id = {_ACCOUNT_ID}"
_READ_OF_SESSION_SQL = f"""
    {open_session_sql(f"{_USER_ID}, etag, {_UNKNOWN_BODY}", joins=_JOIN_DOCUMENT)}
    AND {SessionToken._meta.db_table}.last_used_at > %s AND kind = %s AND {_IS_FRESH}
"""


class Document(NamedTuple):
    """A hot read's JSON text and the digest of it, which is its entity tag."""

    body: str
    etag: str


class DocumentOfSession(NamedTuple):
    """What a session reads: its user's id, the document's tag, and its JSON text, or None if the reader has it."""

    user_id: int
    etag: str
    body: str | None


# Returns the JSON texts of an account's documents by kind.
DocumentRenderer = Callable[[Account], Mapping[str, str]]

_renderers: list[DocumentRenderer] = []


def register_renderer(renderer: DocumentRenderer) -> None:
    """Set who renders the documents."""
    _renderers[:] = [renderer]


def read_document(account: Account, kind: str) -> Document:
    """Return a hot read's document with one query; rebuild it first if it is stale.

    A rebuild requests the estimates of next bills that are missing: here somebody looks at them.
    """
    row = fetch_row(_READ_SQL, [account.pk, kind])
    if row is None or not row[2]:
        want_missing_estimates(account)
        body = rebuild_documents(account)[kind]
        return Document(body, _digest_body(body))
    return Document(row[0], row[1])


def find_document_of_session(
    digest: str, kind: str, *, known_etag: str, now: datetime, used_after: datetime
) -> DocumentOfSession | None:
    """Return a hot read's document by the digest of a session's token, with one query.

    Its text is left out if its tag is `known_etag`. Return None if the session is not open at `now` or was not used
    after `used_after`, or if the document is stale.
    """
    adapt = connection.ops.adapt_datetimefield_value
    row = fetch_row(_READ_OF_SESSION_SQL, [known_etag, digest, adapt(now), adapt(used_after), kind])
    return DocumentOfSession(*row) if row else None


def _digest_body(body: str) -> str:
    return hashlib.blake2b(body.encode(), digest_size=16).hexdigest()


# No savepoint: a failure here must fail the caller's transaction.
@transaction.atomic(savepoint=False)
def rebuild_documents(account: Account) -> Mapping[str, str]:
    """Build and store all documents of an account; return their texts by kind.

    Whoever changes the mirror calls this for an account that is waiting, or `mark_documents_stale`.
    While the estimate of a next bill is missing, they are stored as stale, so that the next read requests it.
    """
    # Two writers of one account queue on this lock, so that the later one reads what the earlier one committed.
    account = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    version = FORMAT + (ContentVersion.objects.values_list("version", flat=True).first() or FIRST_VERSION)
    [render_documents] = _renderers
    texts = render_documents(account)
    if missing_estimates(account).exists():
        version = STALE_VERSION
    AccountDocument.objects.bulk_create(
        [
            AccountDocument(account=account, kind=kind, body=text, etag=_digest_body(text), content_version=version)
            for kind, text in texts.items()
        ],
        update_conflicts=True,
        unique_fields=["account", "kind"],
        update_fields=["body", "etag", "content_version", "built_at"],
    )
    return texts


@transaction.atomic(savepoint=False)
def mark_documents_stale(accounts: Collection[Account]) -> None:
    """Mark the documents of accounts as stale, so that each is rebuilt on its next read. Two queries."""
    # Wait for a rebuild under way: it has read the old state and would unmark them.
    locked = Account.objects.select_for_update(no_key=True).filter(pk__in=[account.pk for account in accounts])
    ids = list(locked.order_by("pk").values_list("pk", flat=True))
    AccountDocument.objects.filter(account__in=ids).update(content_version=STALE_VERSION)


def mark_all_documents_stale() -> None:
    """Mark every document as stale, because prices, coupons or bundle rates changed."""
    ContentVersion.objects.get_or_create(pk=1, defaults={"version": FIRST_VERSION})
    ContentVersion.objects.filter(pk=1).update(version=F("version") + 1)
