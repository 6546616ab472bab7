from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("billing", "0030_codes_not_valid_yet"),
    ]

    operations = [
        AddIndexOnline(
            model_name="command",
            index=models.Index(condition=models.Q(("state", "failed")), fields=["finished_at"], name="command_failed"),
        ),
    ]
