"""A migration that is incompatible with the previous release is refused."""

from typing import Any

import pytest
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.state import ModelState, ProjectState

from core.online_indexes import AddIndexOnline
from dev.migration_rules import find_breaking_operations

Columns = list[tuple[str, Any]]


def find_breaking(*changes, **attributes):
    """Return the refused operations among these, on a plan with a name, a price and an optional note."""
    state = ProjectState()
    columns: Columns = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=40)),
        ("price", models.IntegerField(db_default=0)),
        ("note", models.TextField(null=True)),
    ]
    state.add_model(ModelState("shop", "Plan", columns))
    migration = type("Migration", (Migration,), {"operations": changes, **attributes})("0002_more", "shop")
    return list(find_breaking_operations(migration, state))


@pytest.mark.parametrize(
    "change",
    [
        operations.AddField("plan", "kind", models.CharField(max_length=9, default="monthly")),
        operations.AlterField("plan", "note", models.TextField()),
        operations.AlterField("plan", "note", models.TextField(db_default="")),
        operations.AlterField("plan", "price", models.IntegerField()),
        operations.AlterField("plan", "price", models.CharField(max_length=9, db_default="")),
        operations.AlterField("plan", "name", models.CharField(max_length=20)),
        operations.AlterField("plan", "name", models.CharField(max_length=40, unique=True)),
        operations.AlterField("plan", "name", models.CharField(max_length=40, db_column="title")),
        operations.RemoveField("plan", "name"),
        operations.RenameField("plan", "name", "title"),
        operations.RenameModel("Plan", "Offer"),
        operations.DeleteModel("Plan"),
        operations.AlterModelTable("Plan", "offers"),
        operations.AlterUniqueTogether("Plan", {("name", "price")}),
        operations.AddConstraint("plan", models.UniqueConstraint(fields=["name"], name="one_name")),
        operations.AddIndex("plan", models.Index(fields=["name"], name="by_name")),
        operations.RunSQL("DROP TABLE shop_plan"),
        operations.SeparateDatabaseAndState([operations.DeleteModel("Plan")]),
    ],
    ids=lambda change: change.describe(),
)
def test_it_refuses_a_change_that_breaks_the_previous_release(change):
    assert find_breaking(change) == [change.describe()]
    assert find_breaking(change, compatible_because="release 1.2 no longer reads it") == []


@pytest.mark.parametrize(
    "change",
    [
        operations.AddField("plan", "kind", models.CharField(max_length=9, db_default="monthly")),
        operations.AddField("plan", "kind", models.CharField(max_length=9, null=True)),
        operations.AddField("plan", "others", models.ManyToManyField("shop.Plan")),
        operations.AlterField("plan", "name", models.CharField(max_length=80)),
        operations.AlterField("plan", "name", models.CharField(max_length=40, db_default="")),
        AddIndexOnline("plan", models.Index(fields=["name"], name="by_name")),
        operations.RunPython(operations.RunPython.noop),
    ],
    ids=lambda change: change.describe(),
)
def test_it_accepts_a_change_that_is_compatible_with_the_previous_release(change):
    assert find_breaking(change) == []


def test_it_accepts_any_change_to_a_table_that_the_migration_creates():
    columns: Columns = [("id", models.BigAutoField(primary_key=True))]
    assert (
        find_breaking(
            operations.CreateModel("Brand", columns),
            operations.AddField("brand", "name", models.CharField(max_length=40)),
            operations.AddConstraint("brand", models.UniqueConstraint(fields=["name"], name="one_brand")),
        )
        == []
    )
