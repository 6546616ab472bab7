from django.db import migrations, models

from core.online_indexes import AddIndexOnline, RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0006_mail_queues"),
    ]

    operations = [
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(
                fields=["queue", "next_attempt_at"],
                condition=models.Q(state="pending"),
                name="outgoing_mail_due_in_queue",
            ),
        ),
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(
                fields=["expires_at"], condition=models.Q(state="pending"), name="outgoing_mail_expiring"
            ),
        ),
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(
                fields=["expires_at"], condition=models.Q(kind="login_code"), name="outgoing_mail_code_expiring"
            ),
        ),
        RemoveIndexOnline(model_name="outgoingmail", name="outgoing_mail_due"),
        migrations.AlterField(
            model_name="outgoingmail",
            name="expires_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
