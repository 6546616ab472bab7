"""Logos for dark ground; the support widget is a script, whose address the environment names."""

from typing import Any

import django.db.models
from django.db import migrations

import accounts.models.site

SHIPPED = tuple(f"portal/art/brands/{code}.svg" for code in ("faith-family", "gospel-TV", "kids"))


def name_the_shipped_ones(apps: Any, schema_editor: Any) -> None:
    """Give what has a logo that ships with the portal the variant that ships with it."""
    for name in ("Brand", "StreamingService"):
        rows = apps.get_model("accounts", name).objects
        for logo in SHIPPED:
            rows.filter(logo=logo).update(logo_dark=logo.replace(".svg", "-dark.svg"))


def logo_dark() -> Any:
    """Return the new column, the same on both tables."""
    return django.db.models.CharField(
        blank=True,
        help_text="Empty: the logo stands on a light plate there.",
        max_length=300,
        validators=[accounts.models.site.validate_picture],
        verbose_name="logo for dark ground",
        default="",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_mail_categories"),
    ]

    operations = [
        migrations.AddField("brand", "logo_dark", logo_dark(), preserve_default=False),
        migrations.AddField("streamingservice", "logo_dark", logo_dark(), preserve_default=False),
        migrations.RunPython(name_the_shipped_ones, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField("sitesettings", "support_widget_label"),
        migrations.RemoveField("sitesettings", "support_widget_url"),
    ]
