from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_operators_search"),
    ]

    operations = [
        migrations.AddField(
            model_name="outgoingmail",
            name="queue",
            field=models.CharField(
                choices=[("codes", "sign-in codes"), ("mail", "mail"), ("jobs", "at the pace of jobs")],
                db_default="mail",
                default="mail",
                max_length=10,
            ),
        ),
    ]
