"""Composition root: settings, URLs, Celery and the page. Applications import only its errors."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
