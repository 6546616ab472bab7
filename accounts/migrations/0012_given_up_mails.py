from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0011_indexes_of_values"),
    ]

    operations = [
        migrations.AddField(
            model_name="outgoingmail",
            name="given_up_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
