"""The operators application, and the admin with its site."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class OperatorsConfig(AppConfig):
    """Names the application."""

    name = "operators"
    default = True
    verbose_name = "Operators"


class OperatorsAdminConfig(admin.AdminConfig):
    """Django's admin, with the site that asks for a second factor."""

    default = False
    default_site = "operators.site.OperatorsSite"
