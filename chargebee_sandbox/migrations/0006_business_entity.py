from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sandbox", "0005_consolidated_invoices"),
    ]

    operations = [
        migrations.AddField(
            model_name="sitesettings",
            name="business_entity",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Named by them and by all that is theirs, as on a site with several. Empty: a site with one.",
                max_length=50,
                verbose_name="Business entity of new customers",
            ),
        ),
    ]
