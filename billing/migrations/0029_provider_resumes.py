import django.db.models.fields.json
from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("billing", "0028_etags_of_documents"),
    ]

    operations = [
        AddIndexOnline(
            model_name="subscription",
            index=models.Index(
                django.db.models.fields.json.KeyTransform("resume_date", "payload"),
                condition=models.Q(("deleted", False), ("status", "paused")),
                name="subscription_resume",
            ),
        ),
    ]
