from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("billing", "0004_operators"),
    ]

    operations = [
        migrations.AlterField(
            model_name="cancellationfeedback",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("requested", "asked for"),
                    ("cancelled", "cancelled"),
                    ("paused", "paused instead"),
                    ("partly", "done in part"),
                    ("failed", "not done"),
                ],
                default="requested",
                max_length=10,
            ),
        ),
    ]
