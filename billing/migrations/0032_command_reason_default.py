from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("billing", "0031_failed_commands"),
    ]

    operations = [
        migrations.AlterField(
            model_name="command",
            name="reason",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="Why an operator did it.", max_length=300
            ),
        ),
    ]
