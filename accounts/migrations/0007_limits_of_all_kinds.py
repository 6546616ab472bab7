from django.db import migrations, models


class Migration(migrations.Migration):
    """The table keeps its name, and new columns have defaults there: the release before this one goes on with it."""

    dependencies = [
        ("accounts", "0006_brand_last_signed_in_at"),
    ]

    operations = [
        migrations.AlterModelTable(name="signinlimit", table="accounts_signinlimit"),
        migrations.RenameModel(old_name="SignInLimit", new_name="LimitCounter"),
        migrations.AddField(
            model_name="limitcounter",
            name="uses",
            field=models.JSONField(
                db_default=[], default=list, help_text="When, in seconds since 1970, the oldest first."
            ),
        ),
    ]
