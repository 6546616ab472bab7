"""Check that a test shows every entry of the documents; with an id, list the tests that show it.

An entry of docs/rules.md, specification.md, security.md, or reliability.md begins with its id, such as `rule-5`. A
Python test names ids by `@pytest.mark.shows("rule-5")`, a frontend test by `// shows: rule-5` directly above it or its
`describe`.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import print_line
from dev.paths import ROOT

DOCUMENTS = ("rules.md", "specification.md", "security.md", "reliability.md")
# These folders have their own pytest runs, beside the `testpaths` of pyproject.toml.
OTHER_TEST_FOLDERS = ("e2e", "faults")
ENTRY = re.compile(r"^(?:- |\| )`([a-z]+-\d+)`", re.MULTILINE)
TAGGED = re.compile(r"((?:^[ \t]*// shows: .+\n)+)[ \t]*(?:it|test|describe)(?!\.(?:skip|todo))\b", re.MULTILINE)
TAG = re.compile(r"// shows: (.+)")
MARKER = "pytest.mark.shows"
SKIPPED = re.compile(r"pytest\.mark\.(skip|xfail)(\(|$)")

# For each id, the tests that name it.
Shown = dict[str, list[str]]


def document_ids(root: Path) -> list[str]:
    """Return the id of every entry, in order."""
    return [id_ for name in DOCUMENTS for id_ in ENTRY.findall((root / "docs" / name).read_text())]


def _marked_ids(test: ast.FunctionDef) -> list[str]:
    """Return the ids that the decorators of a test name; none if it is skipped."""
    if any(SKIPPED.match(ast.unparse(decorator)) for decorator in test.decorator_list):
        return []
    return [
        ast.literal_eval(argument)
        for decorator in test.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == MARKER
        for argument in decorator.args
    ]


def python_tests(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each Python test that pytest collects and that names ids."""
    options = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    for folder in (*options["testpaths"], *OTHER_TEST_FOLDERS):
        for file in sorted((root / folder).rglob("test_*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and (ids := _marked_ids(node)):
                    yield f"{file.relative_to(root)}::{node.name}", ids


def frontend_tests(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each tagged frontend test or group."""
    for file in sorted((root / "frontend" / "src").rglob("*.test.ts*")):
        text = file.read_text()
        for match in TAGGED.finditer(text):
            line = text.count("\n", 0, match.end()) + 1
            yield f"{file.relative_to(root)}:{line}", ", ".join(TAG.findall(match[1])).split(", ")


def misplaced_tags(root: Path) -> Iterator[str]:
    """Yield each frontend file with a tag that is not directly above a test that runs."""
    for file in sorted((root / "frontend" / "src").rglob("*.test.ts*")):
        text = file.read_text()
        if TAG.search(TAGGED.sub("", text)):
            yield f"{file.relative_to(root)}: a tag is not directly above a test that runs"


def tests_by_id(root: Path) -> Shown:
    """Return the tests that show each id."""
    shown: Shown = defaultdict(list)
    for test, ids in (*python_tests(root), *frontend_tests(root)):
        for id_ in ids:
            shown[id_].append(test)
    return shown


def find_problems(root: Path) -> Iterator[str]:
    """Yield what is wrong: entries without a test, unknown and duplicate ids, misplaced tags."""
    entries, shown = document_ids(root), tests_by_id(root)
    yield from (f"{id_}: two entries have this id" for id_, count in Counter(entries).items() if count > 1)
    yield from (f"{id_}: no test shows this entry" for id_ in entries if id_ not in shown)
    yield from (f"{id_}: no entry has this id ({shown[id_][0]})" for id_ in shown if id_ not in entries)
    yield from misplaced_tags(root)


def main(ids: list[str], root: Path = ROOT) -> int:
    """Check all, or list the tests of the ids; return the exit code."""
    if ids:
        shown = tests_by_id(root)
        lines = [f"{id_}: {test}" for id_ in ids for test in shown.get(id_, ["no test"])]
    else:
        lines = list(find_problems(root))
    for line in lines:
        print_line(line)
    return 1 if lines and not ids else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
