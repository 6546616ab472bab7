"""The preferences application: what subscribers want to be written about."""

from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    """Registers what accounts asks of whoever knows the preferences."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "preferences"
    verbose_name = "Email preferences"

    def ready(self) -> None:
        """Connect: who wants an email and how they end it, and the part of a subscriber's export."""
        from accounts import export, optional_mail
        from preferences import choices, one_click
        from preferences.export import export_part

        optional_mail.decide_with(wants=choices.wants, way_out=one_click.address)
        export.contribute("preferences", export_part)
