"""The composition root: settings, URLs, Celery and the page that loads the app. No application imports it."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
