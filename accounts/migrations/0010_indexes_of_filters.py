from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0009_trace"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(
                condition=models.Q(("state", "sent"), _negated=True), fields=["state"], name="outgoing_mail_not_sent"
            ),
        ),
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(
                condition=models.Q(("queue", "mail"), _negated=True), fields=["queue"], name="outgoing_mail_other_queue"
            ),
        ),
        AddIndexOnline(
            model_name="signinevent",
            index=models.Index(
                condition=models.Q(("kind__in", ("failed", "limited"))), fields=["kind"], name="sign_in_event_refused"
            ),
        ),
        AddIndexOnline(
            model_name="user",
            index=models.Index(
                condition=models.Q(("username__startswith", "subscriber-"), _negated=True),
                fields=["username"],
                name="user_operators",
            ),
        ),
    ]
