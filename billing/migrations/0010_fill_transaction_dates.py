"""Fill the type, the status and the date of transactions that were mirrored before the columns existed."""

from datetime import UTC, datetime
from typing import Any

from django.db import migrations

BATCH = 1_000
COLUMNS = ("type", "status", "made_at")


def fill_columns(apps: Any, schema_editor: Any) -> None:
    """Fill the columns in batches, so that no row stays locked for long."""
    transactions = apps.get_model("billing", "Transaction").objects.using(schema_editor.connection.alias)
    last = 0
    while rows := list(transactions.filter(pk__gt=last, made_at=None).order_by("pk")[:BATCH]):
        for row in rows:
            seconds = row.payload.get("date")
            row.type = str(row.payload.get("type") or "")
            row.status = str(row.payload.get("status") or "")
            row.made_at = datetime.fromtimestamp(int(seconds), tz=UTC) if seconds else None
        transactions.bulk_update(rows, COLUMNS)
        last = rows[-1].pk


class Migration(migrations.Migration):
    # Each batch is committed by itself; a repeated run continues.
    atomic = False

    dependencies = [
        ("billing", "0009_money_by_date"),
    ]

    operations = [migrations.RunPython(fill_columns, migrations.RunPython.noop)]
