"""Refuse migrations that the release before cannot run beside: it serves while they are applied (docs/deployment.md).

A migration that breaks a rule for a good reason, such as a removal a release after the last use, names the reason in an
attribute, `compatible_because`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import django
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Field

from dev.console import print_line
from dev.paths import ROOT

# What the release before reads is gone, what it writes may be refused, or nobody can tell.
BREAKING_OPERATIONS: tuple[type[Operation], ...] = (
    operations.AddConstraint,
    operations.AlterModelTable,
    operations.AlterUniqueTogether,
    operations.DeleteModel,
    operations.RemoveField,
    operations.RenameField,
    operations.RenameModel,
    operations.RunSQL,
    operations.SeparateDatabaseAndState,
)


def find_breaking_operations(migration: Migration, state: ProjectState) -> Iterator[str]:
    """Yield the operations that the release before cannot run beside, described; `state` is the one before them.

    Tables that the migration creates are its own: no release before knows them.
    """
    if getattr(migration, "compatible_because", ""):
        return
    created = set()
    for operation in migration.operations:
        model = str(getattr(operation, "model_name", None) or getattr(operation, "name", "")).lower()
        if isinstance(operation, operations.CreateModel):
            created.add(model)
        elif model not in created and _is_breaking(operation, migration.app_label, model, state):
            yield operation.describe()
        operation.state_forwards(migration.app_label, state)


def _is_breaking(operation: Operation, app: str, model: str, state: ProjectState) -> bool:
    if isinstance(operation, operations.AddField):
        return not (_accepts_missing_value(operation.field) or operation.field.many_to_many)
    if isinstance(operation, operations.AlterField):
        return _narrows_column(state.models[app, model].get_field(operation.name), operation.field)
    return isinstance(operation, BREAKING_OPERATIONS) or _locks_writers_out(operation)


def _locks_writers_out(operation: Operation) -> bool:
    """Whether an index is built in one statement, during which nobody can write to the table."""
    return isinstance(operation, operations.AddIndex) and not isinstance(operation, AddIndexConcurrently)


def _accepts_missing_value(field: Field[Any, Any]) -> bool:
    """Whether the database takes a row without a value for this column."""
    return field.null or field.has_db_default()


def _narrows_column(old: Field[Any, Any], new: Field[Any, Any]) -> bool:
    """Whether the new column refuses what the old one took, or has another name or type."""
    return (
        (_accepts_missing_value(old) and not _accepts_missing_value(new))
        or (old.null and not new.null)
        or (new.unique and not old.unique)
        or old.db_column != new.db_column
        or old.get_internal_type() != new.get_internal_type()
        or (new.max_length or sys.maxsize) < (old.max_length or sys.maxsize)
    )


def main() -> int:
    """Print what the project's migrations break; return the exit code."""
    django.setup()
    loader = MigrationLoader(None)
    broken = [
        f"{app}.{name}: {operation}"
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if (ROOT / app / "migrations").is_dir()
        for operation in find_breaking_operations(migration, loader.project_state((app, name), at_end=False))
    ]
    for line in broken:
        print_line(line)
    if broken:
        print_line("The previous release must run on the new schema: see Migrations in CONTRIBUTING.md.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
