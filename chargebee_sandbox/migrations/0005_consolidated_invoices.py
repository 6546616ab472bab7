from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sandbox", "0004_ramps"),
    ]

    operations = [
        migrations.AddField(
            model_name="sitesettings",
            name="consolidated_invoices",
            field=models.BooleanField(
                default=False,
                help_text="Of a customer's subscriptions with one currency and payment source.",
                verbose_name="One invoice for all that renews on a day",
            ),
        ),
    ]
