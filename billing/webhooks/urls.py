"""The addresses of this application's endpoints."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
