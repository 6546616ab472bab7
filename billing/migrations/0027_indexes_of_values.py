from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0011_indexes_of_values"),
        ("billing", "0026_ledger_indexes"),
    ]

    operations = [
        AddIndexOnline(
            model_name="command",
            index=models.Index(fields=["kind", "-created_at"], name="command_kind"),
        ),
        AddIndexOnline(
            model_name="command",
            index=models.Index(
                condition=models.Q(("error_code", ""), _negated=True),
                fields=["error_code", "-created_at"],
                name="command_error_code",
            ),
        ),
        AddIndexOnline(
            model_name="invoice",
            index=models.Index(fields=["status", "-issued_at"], name="invoice_status"),
        ),
        AddIndexOnline(
            model_name="webhookevent",
            index=models.Index(fields=["event_type", "id"], name="webhook_event_type"),
        ),
        AddIndexOnline(
            model_name="webhookevent",
            index=models.Index(condition=models.Q(("source", "feed")), fields=["id"], name="webhook_from_feed"),
        ),
    ]
