"""Which storms `make storm` raises; none is raised here."""

from __future__ import annotations

from itertools import islice

from dev import storm


def test_without_a_time_there_is_one_round_of_the_seed_that_is_given():
    assert list(storm.rounds(7, sequences=50, seconds=None)) == [(7, 50)]
    assert list(storm.rounds(7, sequences=None, seconds=None)) == [(7, storm.DEFAULT_SEQUENCES)]


def test_with_a_time_the_next_seeds_follow_until_it_is_over():
    assert list(islice(storm.rounds(7, sequences=None, seconds=3600), 3)) == [(7, 5), (8, 5), (9, 5)]
    assert list(storm.rounds(7, sequences=2, seconds=0)) == [(7, 2)]
