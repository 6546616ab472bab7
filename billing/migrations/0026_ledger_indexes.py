from django.db import migrations, models

from core.online_indexes import AddIndexOnline, RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("billing", "0025_shared_addresses"),
    ]

    operations = [
        AddIndexOnline(
            model_name="revenuemovement",
            index=models.Index(fields=["at", "kind"], name="revenue_at_kind"),
        ),
        AddIndexOnline(
            model_name="revenuemovement",
            index=models.Index(fields=["subscription_id", "at", "id", "kind"], name="revenue_of_subscription"),
        ),
        RemoveIndexOnline(model_name="revenuemovement", name="revenue_at"),
        migrations.AlterField(
            model_name="revenuemovement",
            name="subscription_id",
            field=models.CharField(help_text="The provider's id.", max_length=100),
        ),
    ]
