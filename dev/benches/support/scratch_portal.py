"""A temporary portal: a database, on PostgreSQL where it answers, with the catalog."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from dev.servers import POSTGRESQL_PORT, is_listening
from dev.test import DATABASE_URL


@contextmanager
def scratch_portal(settings: str = "portal.settings") -> Iterator[str]:
    """Set up Django on an empty database with the catalog; yield the database's vendor."""
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder, _scratch_database() as url:
        os.environ.update(PORTAL_ENV="demo", VAR_DIR=folder, DJANGO_SETTINGS_MODULE=settings, DATABASE_URL=url)
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        from billing.tests.api.mirror_factory import apply_catalog

        apply_catalog()
        try:
            yield connection.vendor
        finally:
            connection.close()


@contextmanager
def _scratch_database() -> Iterator[str]:
    server = os.environ.get("TEST_DATABASE_URL", DATABASE_URL)
    if not is_listening(server, POSTGRESQL_PORT):
        yield ""
        return
    import psycopg

    name = f"bench_{secrets.token_hex(6)}"
    maintenance = urlsplit(server)._replace(scheme="postgresql", path="/postgres").geturl()
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
