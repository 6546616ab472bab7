"""The hot reads' finished answers: built when the mirror changes, served as they are (decision 1)."""

import json

from django.db import connection, transaction
from django.db.models import F

from accounts.models import Account
from billing.models import AccountDocument, ContentVersion
from billing.queries.documents import documents_of

STALE, FIRST_VERSION = 0, 1

# Constant text: putting the same query together anew for every read would cost more than running it.
_READ = f"""
    SELECT body, content_version = COALESCE((SELECT version FROM {ContentVersion._meta.db_table} WHERE id = 1), %s)
    FROM {AccountDocument._meta.db_table} WHERE account_id = %s AND kind = %s
"""  # noqa: S608  (our own tables' names)


def read(account: Account, kind: str) -> str:
    """Return a hot read's JSON text: one query, unless prices, coupons or rates changed since it was built."""
    with connection.cursor() as cursor:
        cursor.execute(_READ, [FIRST_VERSION, account.pk, kind])
        row = cursor.fetchone()
    if row is None or not row[1]:
        return rebuild(account)[kind]
    body: str = row[0]
    return body


# Without a savepoint of its own: what fails here fails the transaction that it is part of.
@transaction.atomic(savepoint=False)
def rebuild(account: Account) -> dict[str, str]:
    """Build and store all documents of an account; return their texts by kind. Call it where the mirror changed."""
    # Two writers of one account queue here, so that the later one reads what the earlier one committed.
    account = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    version = ContentVersion.objects.values_list("version", flat=True).first() or FIRST_VERSION
    texts = {kind: json.dumps(body, separators=(",", ":")) for kind, body in documents_of(account).items()}
    AccountDocument.objects.bulk_create(
        [
            AccountDocument(account=account, kind=kind, body=text, content_version=version)
            for kind, text in texts.items()
        ],
        update_conflicts=True,
        unique_fields=["account", "kind"],
        update_fields=["body", "content_version", "built_at"],
    )
    return texts


@transaction.atomic(savepoint=False)
def outdate(account: Account) -> None:
    """Make an account's documents stale: each is built again when it is read. For changes that nobody waits for."""
    # Whoever builds them now has read what was before; it queues in front.
    Account.objects.select_for_update(no_key=True).values_list("pk").get(pk=account.pk)
    AccountDocument.objects.filter(account=account).update(content_version=STALE)


def content_changed() -> None:
    """Make every document stale: prices, coupons or bundle rates changed. Each is built again when it is read."""
    ContentVersion.objects.get_or_create(pk=1, defaults={"version": FIRST_VERSION})
    ContentVersion.objects.filter(pk=1).update(version=F("version") + 1)
