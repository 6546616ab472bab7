"""Addresses of the sandbox: the API at both of its roots' paths, the console everywhere else."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
