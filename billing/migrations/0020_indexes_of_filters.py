from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0010_indexes_of_filters"),
        ("billing", "0019_trace"),
    ]

    operations = [
        AddIndexOnline(
            model_name="creditnote",
            index=models.Index(condition=models.Q(("deleted", True)), fields=["id"], name="creditnote_deleted"),
        ),
        AddIndexOnline(
            model_name="customer",
            index=models.Index(condition=models.Q(("deleted", True)), fields=["id"], name="customer_deleted"),
        ),
        AddIndexOnline(
            model_name="invoice",
            index=models.Index(condition=models.Q(("deleted", True)), fields=["id"], name="invoice_deleted"),
        ),
        AddIndexOnline(
            model_name="paymentsource",
            index=models.Index(condition=models.Q(("deleted", True)), fields=["id"], name="paymentsource_deleted"),
        ),
        AddIndexOnline(
            model_name="subscription",
            index=models.Index(condition=models.Q(("deleted", True)), fields=["id"], name="subscription_deleted"),
        ),
    ]
