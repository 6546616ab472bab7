"""The accounts application."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Configures the application and registers its mails, its export parts and its OpenAPI extension."""

    name = "accounts"
    verbose_name = "Accounts and sign-in"

    def ready(self) -> None:
        """Register them here, where sign_in may be imported: mail and profile must not import it."""
        from accounts.api import schema  # noqa: F401  (registers the OpenAPI extension)
        from accounts.mail import queue
        from accounts.mail.samples import register_sample
        from accounts.profile.export import profile_export_part, register_export_part
        from accounts.sign_in import guessing, login_code_mail, provider_changes
        from accounts.sign_in.new_sign_in import new_sign_in_sample
        from accounts.sign_in.sessions import sessions_export_part

        queue.register_preparation(login_code_mail.MAIL_KIND, login_code_mail.prepare_code_mail)
        queue.register_sent_hook(login_code_mail.MAIL_KIND, login_code_mail.record_code_sent)
        queue.register_preparation(guessing.CLOSED_MAIL_KIND, guessing.prepare_closed_mail)
        queue.register_sent_hook(guessing.CLOSED_MAIL_KIND, guessing.record_closed_mail_sent)
        register_sample(login_code_mail.CODE_MAIL_SAMPLE)
        register_sample(login_code_mail.LINK_MAIL_SAMPLE)
        register_sample(guessing.CLOSED_MAIL_SAMPLE)
        register_sample(new_sign_in_sample())
        register_sample(provider_changes.PREVIOUS_ADDRESS_SAMPLE)
        register_sample(provider_changes.NEW_ADDRESS_SAMPLE)
        register_export_part("profile", profile_export_part)
        register_export_part("sessions", sessions_export_part)
