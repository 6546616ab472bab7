"""It reports requirements without a test, and ids without a requirement."""

import pytest

from dev import traceability
from dev.check import _check_outcome
from dev.check_list import OPENAPI, Check
from dev.paths import PYTHON

FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["shop"]\n',
    "docs/rules.md": "Rules\n\n- `rule-1` It sells,\n  and `rule-9` is no entry.\n- `rule-2` It closes.\n",
    "docs/specification.md": "| `api-1` | sell | it sells |\n",
    "docs/security.md": "",
    "docs/reliability.md": "",
    "shop/tests/test_shop.py": """
import pytest

@pytest.mark.shows("rule-1", "api-1")
def test_it_sells(): ...

class TestNight:
    @pytest.mark.shows("rule-2")
    def test_it_closes(self): ...
""",
    "e2e/test_journey.py": '@pytest.mark.shows("rule-1")\ndef test_a_journey(): ...\n',
    "frontend/src/Shop.test.tsx": """
// shows: rule-1
// shows: rule-2, api-1
describe('the shop', () => {
  // shows: api-1
  it('sells', () => {});
});
""",
}


@pytest.fixture
def root(tmp_path):
    """Return a project in which every entry has a test."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_a_project_with_a_test_for_every_entry_has_no_problems(root, capsys):
    assert traceability.main([], root) == 0
    assert capsys.readouterr().out == ""


def test_it_lists_the_tests_of_an_id(root, capsys):
    assert traceability.main(["rule-2"], root) == 0
    assert capsys.readouterr().out.splitlines() == [
        "rule-2: shop/tests/test_shop.py::test_it_closes",
        "rule-2: frontend/src/Shop.test.tsx:4",
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "problem"),
    [
        ("docs/rules.md", "- `rule-2`", "- `rule-3` More.\n- `rule-2`", "rule-3: no test shows this entry"),
        ("docs/rules.md", "`rule-2`", "`rule-1`", "rule-1: two entries have this id"),
        (
            "e2e/test_journey.py",
            "rule-1",
            "rule-7",
            "rule-7: no entry has this id (e2e/test_journey.py::test_a_journey)",
        ),
        ("frontend/src/Shop.test.tsx", "shows: rule-1", "shows: rule-7", "rule-7: no entry has this id"),
        (
            "frontend/src/Shop.test.tsx",
            "  it(",
            "  it.skip(",
            "Shop.test.tsx: a tag is not directly above a test",
        ),
        (
            "frontend/src/Shop.test.tsx",
            "\n  it(",
            "\n\n  it(",
            "Shop.test.tsx: a tag is not directly above a test",
        ),
    ],
)
def test_it_reports_a_problem(root, capsys, path, old, new, problem):
    (root / path).write_text((root / path).read_text().replace(old, new, 1))
    assert traceability.main([], root) == 1
    assert problem in capsys.readouterr().out


@pytest.mark.parametrize("reason", ["", '(reason="some day")'])
def test_a_skipped_test_shows_nothing(root, capsys, reason):
    (root / "frontend/src/Shop.test.tsx").unlink()
    file = root / "shop/tests/test_shop.py"
    file.write_text(file.read_text().replace("    @pytest", f"    @pytest.mark.skip{reason}\n    @pytest"))
    assert traceability.main([], root) == 1
    assert capsys.readouterr().out == "rule-2: no test shows this entry\n"


def test_a_generated_file_that_differs_is_stale(tmp_path):
    other = tmp_path / "openapi.json"
    other.write_text(OPENAPI.read_text() + "\n")
    outcome, words = _check_outcome(Check("the document", [PYTHON, "-c", ""], fresh=(OPENAPI, other)))
    assert (outcome, "docs/openapi.json is stale" in words) == ("FAILED", True)
