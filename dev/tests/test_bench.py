"""What `make bench` says of which route."""

from dev import bench


def test_every_address_of_the_app_is_measured():
    paths = bench.PATHS.read_text()
    drawn = bench.routes_of(bench.ROUTES.read_text(), paths)

    assert sorted(address for addresses in drawn.values() for address in addresses) == sorted(
        address for _name, address in bench.PATH.findall(paths)
    )


def test_the_table_sets_the_landing_page_against_the_libraries_alone():
    sizes = dict.fromkeys(("raw", "gzip", "brotli"), 1000)
    one = {"js": sizes, "css": sizes}
    shown = bench.table({"base": one, "initial": one, "parts": {bench.LANDING: one}}, {bench.LANDING: ["/"]})

    assert "of the libraries alone: 2.00 (gzip), 2.00 (brotli)" in shown
    assert shown.count("+ ") == 1
