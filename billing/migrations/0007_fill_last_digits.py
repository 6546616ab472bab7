"""Fill the last digits of cards that were mirrored before the column existed."""

from typing import Any

from django.db import migrations
from django.db.models import CharField, Max, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce, Left

BATCH = 10_000


def fill_last_digits(apps: Any, schema_editor: Any) -> None:
    """Fill the column in batches, so that no row stays locked for long."""
    sources = apps.get_model("billing", "PaymentSource").objects.using(schema_editor.connection.alias)
    digits = Coalesce(
        Left(KeyTextTransform("last4", KeyTransform("card", "payload")), 4), Value(""), output_field=CharField()
    )
    newest = sources.aggregate(newest=Max("pk"))["newest"] or 0
    for start in range(0, newest + 1, BATCH):
        sources.filter(pk__gte=start, pk__lt=start + BATCH, last4="").update(last4=digits)


class Migration(migrations.Migration):
    # Each batch is committed by itself; a repeated run continues.
    atomic = False

    dependencies = [
        ("billing", "0006_last_digits"),
    ]

    operations = [migrations.RunPython(fill_last_digits, migrations.RunPython.noop)]
