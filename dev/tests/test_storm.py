"""Which rounds `make storm` plans; none is run here."""

from __future__ import annotations

from itertools import islice

import pytest

from dev import storm


def test_without_a_time_there_is_one_round_of_the_seed_that_is_given():
    assert list(storm.plan_rounds(7, sequences=50, seconds=None)) == [(7, 50)]
    assert list(storm.plan_rounds(7, sequences=None, seconds=None)) == [(7, storm.DEFAULT_SEQUENCES)]


def test_with_a_time_the_next_seeds_follow_until_it_is_over():
    assert list(islice(storm.plan_rounds(7, sequences=None, seconds=3600), 3)) == [(7, 2), (8, 2), (9, 2)]
    assert list(storm.plan_rounds(7, sequences=2, seconds=0)) == [(7, 2)]


@pytest.mark.parametrize(
    ("database", "storms"), [("postgres://here/portal", True), ("sqlite:///here", False), ("", False)]
)
def test_only_postgresql_and_its_redis_are_stormed_in_place_of_sqlite(monkeypatch, database, storms):
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("REDIS_URL", "redis://here/1")

    assert bool(storm.server_urls()) is storms
