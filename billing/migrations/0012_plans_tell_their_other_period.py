"""Documents of plans say since now whether the other period is sold: those that do not are built again."""

from typing import Any

from django.db import migrations
from django.db.models import F


def raise_version(apps: Any, schema_editor: Any) -> None:
    """Raise the version that documents are built with."""
    apps.get_model("billing", "ContentVersion").objects.update(version=F("version") + 1)


class Migration(migrations.Migration):
    dependencies = [("billing", "0011_invoice_pdfs_by_name")]

    operations = [migrations.RunPython(raise_version, migrations.RunPython.noop, elidable=True)]
