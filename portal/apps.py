"""The portal as a Django application: its static files, its system checks, its folders."""

from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig


class PortalConfig(AppConfig):
    """Registers the system checks and makes the folders that the embedded services write to."""

    name = "portal"
    default = True

    def ready(self) -> None:
        """Do so, once the applications are loaded."""
        from django.conf import settings

        from portal import checks  # noqa: F401  (registers them)

        for folder in settings.RUNTIME_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)


class PublicFilesConfig(StaticFilesConfig):
    """Django's static files, without the bundle's statistics: they hold the paths of the machine that built it."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "webpack-stats.json", "*.LICENSE.txt"]
