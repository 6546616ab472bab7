from django.db import migrations, models

from core.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0010_indexes_of_filters"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        AddIndexOnline(
            model_name="accountevent",
            index=models.Index(fields=["kind", "id"], name="account_event_kind"),
        ),
        AddIndexOnline(
            model_name="accountevent",
            index=models.Index(fields=["at"], name="account_event_at"),
        ),
        AddIndexOnline(
            model_name="outgoingmail",
            index=models.Index(fields=["kind", "-created_at"], name="outgoing_mail_kind"),
        ),
        AddIndexOnline(
            model_name="user",
            index=models.Index(condition=models.Q(("is_active", False)), fields=["id"], name="user_inactive"),
        ),
    ]
