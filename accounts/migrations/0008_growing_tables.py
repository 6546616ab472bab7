from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0007_indexes_of_mail_queues"),
    ]

    operations = [
        AddIndexOnline(
            model_name="signinevent",
            index=models.Index(fields=["network"], name="sign_in_event_network"),
        ),
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(fields=["to"], name="outgoing_mail_address"),
        ),
    ]
