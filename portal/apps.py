"""The portal as a Django application: its static files, its system checks, its folders."""

from django.apps import AppConfig, apps
from django.contrib.staticfiles.apps import StaticFilesConfig


class PortalConfig(AppConfig):
    """Registers the system checks and makes the folders that the embedded services write to."""

    name = "portal"
    default = True

    def ready(self) -> None:
        """Do so, once the applications are loaded."""
        from django.conf import settings
        from django.db.models.signals import post_migrate

        from portal import (
            checks,  # noqa: F401  (registers them)
            metrics,
        )
        from portal.operators import set_up_groups

        for folder in settings.RUNTIME_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)
        metrics.connect()
        # After the last application with tables, since by then all permissions are there.
        last = [one for one in apps.get_app_configs() if one.models_module is not None][-1]
        post_migrate.connect(set_up_groups, sender=last)


class PublicFilesConfig(StaticFilesConfig):
    """Django's static files, without the bundle's statistics: they hold the paths of the machine that built it."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "webpack-stats.json", "*.LICENSE.txt"]
