"""The preferences application."""

from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    """Configures the application and registers the preferences with accounts."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "preferences"
    verbose_name = "Email preferences"

    def ready(self) -> None:
        """Register the preferences for mail, and the application's part of the data export."""
        from accounts.mail import preferences, samples
        from accounts.profile import export
        from preferences import email_preferences, newsletters, unsubscribe_link
        from preferences.export import preferences_export_part

        preferences.register_preferences(
            is_wanted=email_preferences.is_wanted, unsubscribe_url=unsubscribe_link.unsubscribe_url
        )
        samples.register_sample(newsletters.newsletter_sample())
        export.register_export_part("preferences", preferences_export_part)
