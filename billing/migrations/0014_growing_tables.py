import django.db.models.fields.json
from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0008_growing_tables"),
        ("billing", "0013_credit_note_pdfs"),
    ]

    operations = [
        AddIndexOnline(
            model_name="promotionalcredit",
            index=models.Index(fields=["-created_at"], name="promotionalcredit_by_date"),
        ),
        AddIndexOnline(
            model_name="creditnote",
            index=models.Index(fields=["invoice_number"], name="creditnote_invoice"),
        ),
        AddIndexOnline(
            model_name="creditnote",
            index=models.Index(fields=["-issued_at"], name="creditnote_by_date"),
        ),
        AddIndexOnline(
            model_name="customer",
            index=models.Index(condition=models.Q(("deleted", False)), fields=["email"], name="customer_address"),
        ),
        AddIndexOnline(
            model_name="command",
            index=models.Index(fields=["-created_at"], name="command_newest"),
        ),
        AddIndexOnline(
            model_name="command",
            index=models.Index(fields=["key"], name="command_key"),
        ),
        AddIndexOnline(
            model_name="invoice",
            index=models.Index(fields=["-synced_at"], name="invoice_by_writing"),
        ),
        AddIndexOnline(
            model_name="subscription",
            index=models.Index(
                django.db.models.fields.json.KeyTransform("billing_period_unit", "payload"),
                django.db.models.fields.json.KeyTransform("next_billing_at", "payload"),
                condition=models.Q(("deleted", False), ("status", "active")),
                name="subscription_renewal",
            ),
        ),
        AddIndexOnline(
            model_name="subscription",
            index=models.Index(
                django.db.models.fields.json.KeyTransform("trial_end", "payload"),
                condition=models.Q(("deleted", False), ("status", "in_trial")),
                name="subscription_trial_end",
            ),
        ),
    ]
