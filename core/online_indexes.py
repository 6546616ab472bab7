"""Indexes that a migration makes while the portal serves: on PostgreSQL, without a lock against writers.

The portal's time limit for a statement does not apply to them, since nobody waits for them. A build that was
interrupted leaves an invalid index behind; the next one begins by dropping it. Migrations that use these are not
atomic.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddIndex, RemoveIndex
from django.db.migrations.state import ProjectState


class AddIndexOnline(AddIndexConcurrently):
    """Create an index concurrently where the database can."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Create the index."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        with _unlimited_statements(schema_editor):
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop the index."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
        else:
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class RemoveIndexOnline(RemoveIndexConcurrently):
    """Drop an index concurrently where the database can."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop the index."""
        if schema_editor.connection.vendor != "postgresql":
            RemoveIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
        else:
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Create the index."""
        if schema_editor.connection.vendor != "postgresql":
            RemoveIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
        else:
            super().database_backwards(app_label, schema_editor, from_state, to_state)


@contextmanager
def _unlimited_statements(schema_editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SET statement_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [before])
