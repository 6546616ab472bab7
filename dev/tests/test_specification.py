"""A row of the specification that no test shows is found, whatever the row says of itself."""

from pathlib import Path

import pytest

from dev import specification
from dev.check import _outcome
from dev.checks import LEFT_OUT, SHOWN_BY, Check
from dev.places import PYTHON
from dev.specification_source import forgotten

PYTHON_TESTS = '''
"""Sold out, says the module."""
from shop.tests.words import HELLO, closing
from shop.words import CLOSED

PATH = "/api/things"
ONE, ALL = f"{PATH}/1", PATH + "?limit=60"


class Browser:
    def look(self):
        return self.client.get(PATH)

    def order(self):
        return self.client.post(PATH, {"words": "Ordered."})


def test_it_sells(browser: Browser):
    """Sold out."""
    browser.look()
    assert said == "Thank you, Ava. " "Come again."
    assert (status, code) == (409, "no_change")


def test_it_names_one():
    assert page(ONE) == HELLO


def test_it_closes():
    assert closing() == CLOSED


@pytest.mark.skip(reason="some day")
def test_it_delivers():
    assert delivered == "Thank you"


class TestAgain:
    def test_it_opens(self):
        assert page(ALL) == 1_600


def helper():
    return "Nobody asks."
'''
FRONTEND_TESTS = """
import { CLOSED } from '@/lib/words';
import { shown } from '@/testing/shown';

const WAIT = 10_000;

describe('the shop', () => {
  const hello = () => shown('Hello');
  beforeEach(() => server.use(http.get('*/api/things', () => 'Answered')));

  it('is titled Sold out', () => {
    expect(hello()).toBe(/Is it open\\?/);
  });

  it.skip('delivers', () => expect(delivered).toBe('Thank you'));

  it.each([['Monday'], ['Tuesday']])('opens on %s', (day) => {
    render(<p>Come   in</p>);
    expect(`Open on ${day} until ${WAIT} ms`).toBe(CLOSED);
  });
});
"""
PY = "shop/tests/test_shop.py"
TSX = "frontend/src/Shop.test.tsx"


FILES = {
    PY: PYTHON_TESTS,
    "shop/tests/words.py": 'HELLO = "Good morning"\n\ndef closing():\n    return "Good night"\n',
    "shop/words.py": 'CLOSED = "Closed"\n',
    TSX: FRONTEND_TESTS,
    "frontend/src/lib/words.ts": "export const CLOSED = 'Closed';\n",
    "frontend/src/testing/shown.ts": "export function shown(what: string) { return `Dear ${what}`; }\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A project with tests of both kinds."""
    folder = tmp_path_factory.mktemp("project")
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def tests(root):
    return specification.Tests(root)


def wrong(tests, kind, text, *names, said=()):
    """What is wrong with a table of one row."""
    row = specification.Row(kind, text, tuple(said), names)
    return list(specification.problems([specification.Section("The shop", (row,))], tests))


def written(root, source=specification.SOURCE, **row):
    """Write the page of a table of one row, as `make generate` does; give the exit code and the page."""
    (root / "docs").mkdir(exist_ok=True)
    lines = "\n".join(f"{name} = {value!r}" for name, value in row.items())
    (root / source).write_text(f'[[section]]\ntitle = "1. The shop"\n[[section.row]]\n{lines}\n')
    target = (root / source).with_suffix(".md")
    target.unlink(missing_ok=True)
    return specification.main(target, root, source), target


@pytest.mark.parametrize(
    ("kind", "text", "test", "said"),
    [
        ("message", "Thank you, {name}. Come again.", f"{PY}::test_it_sells", []),
        ("message", "Thank you for everything.", f"{PY}::test_it_sells", ["Thank you"]),
        ("message", "Good morning", f"{PY}::test_it_names_one", []),
        ("message", "Good night", f"{PY}::test_it_closes", []),
        ("route", "/api/things/1", f"{PY}::test_it_names_one", []),
        ("call", "GET /api/things", f"{PY}::test_it_sells", []),
        ("call", "GET /api/{what}", f"{PY}::test_it_sells", []),
        ("code", "409 no_change", f"{PY}::test_it_sells", []),
        ("limit", "Sixteen hundred, sixty at a time", f"{PY}::TestAgain::test_it_opens", ["1600", "60"]),
        ("message", "Is it open?", f"{TSX} > the shop > is titled Sold out", []),
        ("message", "Dear {name}", f"{TSX} > the shop > is titled Sold out", []),
        ("message", "Hello", f"{TSX} > the shop > is titled Sold out", []),
        ("message", "Come in", f"{TSX} > the shop > opens on %s", []),
        ("message", "Monday", f"{TSX} > the shop > opens on %s", []),
        ("message", "Open on Monday until noon", f"{TSX} > the shop > opens on %s", ["Open on"]),
        ("call", "GET /api/things", f"{TSX} > the shop > opens on %s", []),
        ("limit", "A wait of ten seconds", f"{TSX} > the shop > opens on %s", ["10000"]),
    ],
)
def test_a_row_is_shown_by_a_test_that_says_it(tests, kind, text, test, said):
    assert wrong(tests, kind, text, test, said=said) == []


@pytest.mark.parametrize(
    ("kind", "text", "test", "said"),
    [
        ("message", "Sold out", f"{PY}::test_it_sells", []),
        ("message", "Good morning", f"{PY}::test_it_sells", []),
        ("message", "Nobody asks.", f"{PY}::test_it_sells", []),
        ("message", "Closed", f"{PY}::test_it_closes", []),
        ("message", "thank you", f"{PY}::test_it_sells", []),
        ("message", "Good", f"{PY}::test_it_sells", []),
        ("route", "/api", f"{PY}::test_it_names_one", []),
        ("route", "/things/1", f"{PY}::test_it_names_one", []),
        ("call", "POST /api/things", f"{PY}::test_it_sells", []),
        ("call", "GET /api/things/1", f"{PY}::test_it_sells", []),
        ("code", "404 no_change", f"{PY}::test_it_sells", []),
        ("limit", "Sixteen", f"{PY}::TestAgain::test_it_opens", ["16"]),
        ("message", "Sold out", f"{TSX} > the shop > is titled Sold out", []),
        ("message", "Closed", f"{TSX} > the shop > opens on %s", []),
        ("message", "Hello", f"{TSX} > the shop > opens on %s", []),
    ],
)
def test_a_test_that_does_not_say_the_row_is_refused(tests, kind, text, test, said):
    [words] = wrong(tests, kind, text, test, said=said)
    assert f"{test}\n    does not say" in words


@pytest.mark.parametrize(
    "test",
    [
        f"{PY}::test_it_rents",
        f"{PY}::helper",
        f"{PY}::test_it_delivers",
        f"{PY}::TestAgain::test_it_closes",
        "shop/tests/test_gone.py::test_it_sells",
        "shop/tests/test_gone.py",
        f"{TSX} > the shop > rents",
        f"{TSX} > opens on %s",
        f"{TSX} > the shop > delivers",
        "frontend/src/Gone.test.tsx > the shop > opens on %s",
    ],
)
def test_a_test_that_is_not_there_is_refused(tests, test):
    assert wrong(tests, "message", "Thank you", test) == [f"The shop: Thank you\n    there is no test {test}"]


def test_a_row_without_a_test_is_refused(tests):
    assert wrong(tests, "message", "Thank you") == ["The shop: Thank you\n    has no test"]


def test_one_of_two_tests_is_not_enough(tests):
    names = [f"{PY}::test_it_sells", f"{PY}::test_it_closes"]
    [words] = wrong(tests, "message", "Come again", *names)
    assert names[1] in words


def test_the_page_links_what_shows_each_row(root, capsys):
    names = [f"{PY}::test_it_sells", f"{TSX} > the shop > opens on %s"]
    code, page = written(root, kind="call", text="GET /api/things", tests=names)
    assert (code, capsys.readouterr().out) == (0, "")
    assert (
        "| call | `GET /api/things` | [test_shop.py: it sells](../shop/tests/test_shop.py)<br>"
        "[Shop.test.tsx: opens on %s](../frontend/src/Shop.test.tsx) |"
    ) in page.read_text()


def test_the_page_of_the_faults_says_what_is_right_beside_each(root, capsys):
    row = {
        "kind": "fault",
        "text": "1. It rains",
        "right": "It sells umbrellas",
        "tests": [f"{PY}::test_it_sells"],
    }
    code, page = written(root, specification.RELIABILITY, **row)
    assert (code, capsys.readouterr().out) == (0, "")
    assert (
        "| Fault | What is right | Shown by |\n|---|---|---|\n"
        "| 1. It rains | It sells umbrellas | [test_shop.py: it sells](../shop/tests/test_shop.py) |"
    ) in page.read_text()


def test_a_fault_without_what_is_right_is_refused(tests):
    with pytest.raises(specification.BadRow):
        wrong(tests, "fault", "1. It rains", f"{PY}::test_it_sells")


def test_no_page_is_written_of_what_is_not_shown(root, capsys):
    code, page = written(root, kind="message", text="Thank you", tests=[])
    assert (code, page.exists()) == (1, False)
    assert "1. The shop: Thank you\n    has no test" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("message", "Thank you", ["Come again"]),
        ("limit", "Sixteen hundred", []),
        ("rule", "It sells", []),
    ],
)
def test_a_row_that_says_nothing_to_look_for_is_refused(tests, kind, text, said):
    with pytest.raises(specification.BadRow):
        wrong(tests, kind, text, f"{PY}::test_it_sells", said=said)


@pytest.mark.parametrize(
    "row", [{"kind": "wish", "text": "More"}, {"kind": "rule", "text": ""}, {"kind": "rule"}]
)
def test_a_row_that_is_none_is_refused(root, capsys, row):
    assert written(root, tests=[], **row)[0] == 1
    assert "a row needs a kind of route, call" in capsys.readouterr().out


def test_a_page_that_is_not_what_would_be_written_is_stale(tmp_path):
    other = tmp_path / "specification.md"
    other.write_text(SHOWN_BY.read_text() + "\n")
    outcome, words = _outcome(Check("the page", [PYTHON, "-c", ""], fresh=(SHOWN_BY, other)))
    assert (outcome, "docs/specification.md is stale" in words) == ("FAILED", True)


def test_a_check_that_cannot_be_made_here_says_why():
    command: list[str | Path] = [PYTHON, "-c", f"print('it is elsewhere'); raise SystemExit({LEFT_OUT})"]
    assert _outcome(Check("what is elsewhere", command)) == ("left out", "it is elsewhere")


SPECIFICATION = """
## 2. Screens
| / | Its 'Way back' and don't forget 'We couldn't, "sorry"' or "We haven't" |
| /a and /a/b | two |
## 7. Calls
| GET /api/a?days={days}; POST /api/{x} | both |
## 9. Limits
- Length: 30 days, 10000 ms.
  - reason: Too dear, No longer needed;
"""
CONTRACT = """
Other 409 codes: `no_change`, `already_paused` (again).
## 3. Endpoints
| POST /api/auth/logout | 404 `coupon_not_found`; 409 `coupon_expired` (or spent), `coupon_spent` |
"""


def test_what_the_documents_say_and_the_table_does_not_is_found():
    assert forgotten([], SPECIFICATION, CONTRACT) == [
        "message: Way back",
        'message: We couldn\'t, "sorry"',
        "message: We haven't",
        "message: Too dear",
        "message: No longer needed",
        "route: /",
        "route: /a",
        "route: /a/b",
        "call: GET /api/a",
        "call: POST /api/upgrade",
        "call: POST /api/downgrade",
        "call: POST /api/auth/logout",
        "code: 409 no_change",
        "code: 409 already_paused",
        "code: 404 coupon_not_found",
        "code: 409 coupon_expired",
        "code: 409 coupon_spent",
        "limit: 10000",
        "limit: 30",
    ]


def test_what_the_table_says_is_not_forgotten():
    said = {
        "message": ["Way back", 'We couldn\'t, "sorry"', "We haven't", "Too dear", "No longer needed"],
        "route": ["/", "/a", "/a/b"],
        "call": ["GET /api/a?days={days}", "POST /api/{x}", "POST /api/auth/logout"],
        "code": [
            "409 no_change",
            "409 already_paused",
            "404 coupon_not_found",
            "409 coupon_expired",
            "409 coupon_spent",
        ],
        "limit": ["30 days", "10000 ms"],
    }
    rows = tuple(specification.Row(kind, text, (), ()) for kind, texts in said.items() for text in texts)
    assert forgotten([specification.Section("all", rows)], SPECIFICATION, CONTRACT) == []
