"""The portal as a Django application: its static files, its system checks, its folders."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """Registers the system checks and makes the folders that the embedded services write to."""

    name = "portal"

    def ready(self) -> None:
        """Do so, once the applications are loaded."""
        from django.conf import settings

        from portal import checks  # noqa: F401  (registers them)

        for folder in settings.RUNTIME_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)
