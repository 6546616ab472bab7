"""The rounds that `make storm` plans; none is run here."""

from __future__ import annotations

from itertools import islice

import pytest

from dev import storm


def test_without_a_time_limit_it_runs_one_round_of_the_given_seed():
    assert list(storm.plan_rounds(7, sequences=50, seconds=None)) == [(7, 50)]
    assert list(storm.plan_rounds(7, sequences=None, seconds=None)) == [(7, storm.DEFAULT_SEQUENCES)]


def test_with_a_time_limit_it_continues_with_the_next_seeds():
    assert list(islice(storm.plan_rounds(7, sequences=None, seconds=3600), 3)) == [(7, 2), (8, 2), (9, 2)]
    assert list(storm.plan_rounds(7, sequences=2, seconds=0)) == [(7, 2)]


@pytest.mark.parametrize(
    ("database", "storms"), [("postgres://here/portal", True), ("sqlite:///here", False), ("", False)]
)
def test_it_uses_the_configured_servers_only_with_postgresql(monkeypatch, database, storms):
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("REDIS_URL", "redis://here/1")

    assert bool(storm.server_urls()) is storms
