"""The demo's database is brought up to date, and one that cannot be is left alone, with a word on what to do."""

import pytest

from dev import prepare
from dev.console import CannotContinue


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv("PORTAL_ENV", "demo")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "portal.settings")
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return tmp_path


def test_it_refuses_a_database_made_with_a_migration_that_was_rewritten(folder):
    (folder / "db.sqlite3").touch()
    made_with = folder / ".done" / "migrations" / "billing.0001_initial"
    made_with.parent.mkdir(parents=True)
    made_with.write_text("another")

    with pytest.raises(CannotContinue, match="Type: make reset run"):
        prepare.ensure_database()

    assert (folder / "db.sqlite3").read_bytes() == b""


def test_it_migrates_once_and_has_a_new_database_seeded(folder, capsys):
    prepare.seeds_stamp().set()
    prepare.ensure_database()
    assert not prepare.seeds_stamp().holds

    capsys.readouterr()
    prepare.ensure_database()
    assert capsys.readouterr().out == ""
