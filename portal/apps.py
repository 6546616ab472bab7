"""The portal application: static files, system checks and runtime folders."""

from django.apps import AppConfig, apps
from django.contrib.staticfiles.apps import StaticFilesConfig


class PortalConfig(AppConfig):
    """Registers the system checks, metrics, traces and the operators' groups, and creates the runtime folders."""

    name = "portal"
    default = True

    def ready(self) -> None:
        """Set up what needs the applications to be loaded."""
        from django.conf import settings
        from django.db.models.signals import post_migrate

        from portal.checks import every_mode, production  # noqa: F401  (registers them)
        from portal.monitoring import metrics, tracing
        from portal.operator_groups import set_up_groups

        for folder in settings.RUNTIME_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)
        metrics.connect_metrics()
        tracing.start_tracing()
        # Sent by the last application with models, when all permissions exist.
        last_config = [config for config in apps.get_app_configs() if config.models_module is not None][-1]
        post_migrate.connect(set_up_groups, sender=last_config)


class PublicFilesConfig(StaticFilesConfig):
    """Excludes the bundle's statistics, which contain paths of the build machine, from the static files."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "webpack-stats.json", "*.LICENSE.txt"]
