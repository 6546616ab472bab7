from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0012_given_up_mails"),
    ]

    operations = [
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(
                condition=models.Q(("given_up_at__isnull", False)),
                fields=["given_up_at"],
                name="outgoing_mail_given_up",
            ),
        ),
    ]
