from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("billing", "0024_live_prices"),
    ]

    operations = [
        migrations.CreateModel(
            name="SharedAddress",
            fields=[
                ("email", models.EmailField(max_length=254, primary_key=True, serialize=False)),
                ("is_paid_for", models.BooleanField(help_text="Whether several of them had live subscriptions.")),
            ],
        ),
    ]
