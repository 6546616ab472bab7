from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("billing", "0017_cancel_screen"),
    ]

    operations = [
        AddIndexOnline(
            model_name="paymentsource",
            index=models.Index(fields=["last4"], name="paymentsource_last4"),
        ),
        AddIndexOnline(
            model_name="subscription",
            index=models.Index(fields=["-created_at"], name="subscription_by_date"),
        ),
        AddIndexOnline(
            model_name="transaction",
            index=models.Index(fields=["customer", "-made_at"], name="transaction_newest"),
        ),
        AddIndexOnline(
            model_name="transaction",
            index=models.Index(fields=["-made_at"], name="transaction_by_date"),
        ),
        AddIndexOnline(
            model_name="transaction",
            index=models.Index(fields=["type", "status", "-made_at"], name="transaction_by_outcome"),
        ),
    ]
