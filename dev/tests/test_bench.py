"""How `make bench` reports its figures; nothing is timed here."""

import json
from functools import partial

import pytest

from dev import bench
from dev.benches.support import measurements
from dev.benches.support.measurements import Comparison, Count, NotMeasured, Scores
from dev.console import CannotContinue
from dev.paths import ROOT

FIGURES: list[measurements.Figure] = [
    Comparison("drawing", "a ruler", "ms", [40.0, 1.0, 30.0], [10.0, 90.0, 20.0], "≤ 4"),
    Count("drawing, queries", 2, "2"),
    NotMeasured("due rows", "no PostgreSQL answers"),
    Scores("a page, judged", [99.0, 60.0, 98.0], "≥ 97"),
]


def test_every_path_of_the_app_is_measured():
    paths = bench.PATHS.read_text()
    drawn = bench.parse_routes(bench.ROUTES.read_text(), paths)

    assert sorted(address for addresses in drawn.values() for address in addresses) == sorted(
        address for _name, address in bench.PATH.findall(paths)
    )


def test_the_size_table_compares_the_landing_page_with_the_libraries():
    sizes = dict.fromkeys(("raw", "gzip", "brotli"), 1000)
    part_sizes = {"js": sizes, "css": sizes}
    shown = bench.size_table(
        {"base": part_sizes, "initial": part_sizes, "parts": {bench.LANDING: part_sizes}}, {bench.LANDING: ["/"]}
    )

    assert "of the libraries alone: 2.00 (gzip), 2.00 (brotli)" in shown
    assert shown.count("+ ") == 1


def test_the_landing_page_has_its_own_row():
    sizes = dict.fromkeys(("raw", "gzip", "brotli"), 1000)
    part_sizes = {"js": sizes, "css": sizes}

    row = bench.landing_page_row({"base": part_sizes, "initial": part_sizes, "parts": {bench.LANDING: part_sizes}})
    assert measurements.figures_as_json([row])[0]["ratio"] == 2


def test_the_sides_alternate_and_the_first_round_is_discarded():
    turns: list[str] = []

    def measure(side: str) -> float:
        turns.append(side)
        return float(len(turns))

    times = measurements.measure_interleaved({side: partial(measure, side) for side in "ab"}, rounds=2)

    assert turns == ["a", "b"] * 3
    assert times == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_a_row_shows_medians_their_ratio_and_the_target():
    drawn, counted, left_out, judged = (line.split() for line in measurements.figure_table(FIGURES).splitlines()[1:])

    assert drawn[-5:] == ["30.00", "20.00", "1.50", "≤", "4"]
    assert counted[-2:] == ["2", "2"]
    assert " ".join(left_out) == "due rows left out: no PostgreSQL answers"
    assert " ".join(judged) == "a page, judged least of 3: 60 98 ≥ 97"


@pytest.mark.parametrize(
    ("figure", "missed"),
    [
        (Comparison("a read", "a view", "a second", [4.0], [10.0], "≥ 0.30"), False),
        (Comparison("a read", "a view", "a second", [2.0], [10.0], "≥ 0.30"), True),
        (Comparison("a page", "the other", "ms", [2.0], [500.0], "≤ 1/200"), False),
        (Comparison("a page", "the other", "ms", [3.0], [500.0], "≤ 1/200"), True),
        (Comparison("memory", "before", "MB", [3.0], [1.0], "flat"), False),
        (Comparison("a read", "another", "a second", [3.0], [1.0], ""), False),
        (Count("queries", 2, "2"), False),
        (Count("queries", 3, "2"), True),
        (Scores("a page", [99.0, 97.0, 99.0], "≥ 99, least ≥ 97"), False),
        (Scores("a page", [99.0, 96.0, 99.0], "≥ 99, least ≥ 97"), True),
        (Scores("a page", [98.0, 98.0, 98.0], "≥ 99, least ≥ 97"), True),
        (NotMeasured("due rows", "no PostgreSQL answers"), False),
    ],
)
def test_a_missed_goal_is_named(figure: measurements.Figure, missed: bool):
    assert measurements.is_missed(figure) is missed
    assert measurements.figure_table([figure]).endswith(", missed") is missed


def test_a_small_ratio_is_shown_as_a_fraction():
    far = Comparison("a page", "the other", "ms", [2.0], [500.0], "≤ 1/200")

    assert measurements.figure_table([far]).split()[-3:] == ["1/250", "≤", "1/200"]


def test_the_json_has_every_round_and_the_derived_values():
    drawn, counted, left_out, judged = json.loads(json.dumps(measurements.figures_as_json(FIGURES)))

    assert drawn["ours"] == [40.0, 1.0, 30.0]
    assert (drawn["ours_median"], drawn["other_median"], drawn["ratio"]) == (30.0, 20.0, 1.5)
    assert counted["count"] == 2
    assert left_out["why"] == "no PostgreSQL answers"
    assert (judged["median"], judged["least"]) == (98.0, 60.0)


def test_figures_are_parsed_despite_other_output(
    capsys: pytest.CaptureFixture[str],
):
    print("something else")
    measurements.print_figures(FIGURES)

    assert measurements.parse_figures(capsys.readouterr().out) == FIGURES


def test_it_runs_the_chosen_rows_and_refuses_an_unknown_one():
    assert bench.chosen_rows("due-rows sdk") == ["due_rows", "sdk"]
    assert bench.chosen_rows("") == [bench.SIZES, *bench.PROGRAMS]
    with pytest.raises(CannotContinue, match="no row soup"):
        bench.chosen_rows("sdk soup")


def test_every_row_has_a_program():
    assert {file.stem for file in (ROOT / "dev" / "benches").glob("*.py")} >= set(bench.PROGRAMS)
