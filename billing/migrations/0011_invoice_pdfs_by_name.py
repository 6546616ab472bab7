from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("billing", "0010_shared_resumes"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="invoicepdf",
            options={"verbose_name": "invoice PDF"},
        ),
    ]
