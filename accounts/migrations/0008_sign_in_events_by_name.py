from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_limits_of_all_kinds"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="signinevent",
            options={"ordering": ["-at"], "verbose_name": "sign-in event"},
        ),
    ]
