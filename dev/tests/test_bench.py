"""How `make bench` shows its figures; nothing is timed here."""

import json
from functools import partial

import pytest

from dev import bench
from dev.benches import measurements
from dev.benches.measurements import Comparison, Count, NotMeasured, Scores
from dev.console import CannotContinue
from dev.paths import ROOT

SEEN: list[measurements.Figure] = [
    Comparison("drawing", "a ruler", "ms", [40.0, 1.0, 30.0], [10.0, 90.0, 20.0], "≤ 4"),
    Count("drawing, queries", 2, "2"),
    NotMeasured("due rows", "no PostgreSQL answers"),
    Scores("a page, judged", [99.0, 60.0, 98.0], "≥ 97"),
]


def test_every_address_of_the_app_is_measured():
    paths = bench.PATHS.read_text()
    drawn = bench.parse_routes(bench.ROUTES.read_text(), paths)

    assert sorted(address for addresses in drawn.values() for address in addresses) == sorted(
        address for _name, address in bench.PATH.findall(paths)
    )


def test_the_table_sets_the_landing_page_against_the_libraries_alone():
    sizes = dict.fromkeys(("raw", "gzip", "brotli"), 1000)
    one = {"js": sizes, "css": sizes}
    shown = bench.size_table({"base": one, "initial": one, "parts": {bench.LANDING: one}}, {bench.LANDING: ["/"]})

    assert "of the libraries alone: 2.00 (gzip), 2.00 (brotli)" in shown
    assert shown.count("+ ") == 1


def test_the_landing_page_is_a_row_among_the_others():
    sizes = dict.fromkeys(("raw", "gzip", "brotli"), 1000)
    one = {"js": sizes, "css": sizes}

    row = bench.landing_page_row({"base": one, "initial": one, "parts": {bench.LANDING: one}})
    assert measurements.figures_as_json([row])[0]["ratio"] == 2


def test_the_sides_take_turns_and_the_first_round_is_not_kept():
    turns: list[str] = []

    def measure(side: str) -> float:
        turns.append(side)
        return float(len(turns))

    seen = measurements.measure_interleaved({side: partial(measure, side) for side in "ab"}, rounds=2)

    assert turns == ["a", "b"] * 3
    assert seen == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_a_row_shows_medians_and_their_ratio_beside_what_is_to_be_reached():
    drawn, counted, left_out, judged = (line.split() for line in measurements.figure_table(SEEN).splitlines()[1:])

    assert drawn[-5:] == ["30.00", "20.00", "1.50", "≤", "4"]
    assert counted[-2:] == ["2", "2"]
    assert " ".join(left_out) == "due rows left out: no PostgreSQL answers"
    assert " ".join(judged) == "a page, judged least of 3: 60 98 ≥ 97"


def test_what_is_many_times_faster_is_shown_as_a_fraction():
    far = Comparison("a page", "the other", "ms", [2.0], [500.0], "≤ 1/200")

    assert measurements.figure_table([far]).split()[-3:] == ["1/250", "≤", "1/200"]


def test_what_is_kept_has_every_round_and_what_follows_from_them():
    drawn, counted, left_out, judged = json.loads(json.dumps(measurements.figures_as_json(SEEN)))

    assert drawn["ours"] == [40.0, 1.0, 30.0]
    assert (drawn["ours_median"], drawn["other_median"], drawn["ratio"]) == (30.0, 20.0, 1.5)
    assert counted["count"] == 2
    assert left_out["why"] == "no PostgreSQL answers"
    assert (judged["median"], judged["least"]) == (98.0, 60.0)


def test_what_a_program_hands_over_arrives_whole_whatever_was_printed_before(
    capsys: pytest.CaptureFixture[str],
):
    print("something else")
    measurements.print_figures(SEEN)

    assert measurements.parse_figures(capsys.readouterr().out) == SEEN


def test_it_measures_the_rows_that_are_asked_for_and_refuses_one_there_is_not():
    assert bench.chosen_rows("due-rows sdk") == ["due_rows", "sdk"]
    assert bench.chosen_rows("") == [bench.SIZES, *bench.PROGRAMS]
    with pytest.raises(CannotContinue, match="no row soup"):
        bench.chosen_rows("sdk soup")


def test_every_row_has_its_program():
    assert {file.stem for file in (ROOT / "dev" / "benches").glob("*.py")} >= set(bench.PROGRAMS)
