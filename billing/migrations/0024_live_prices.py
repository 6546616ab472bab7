from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("billing", "0023_refused_codes"),
    ]

    operations = [
        AddIndexOnline(
            model_name="subscription",
            index=models.Index(
                condition=models.Q(
                    ("deleted", False),
                    ("status__in", ("future", "in_trial", "active", "non_renewing", "paused")),
                ),
                fields=["item_price_id"],
                name="subscription_live_price",
            ),
        ),
    ]
