"""Which test shows which line of the specification: `docs/specification.md` is written from `docs/specification.toml`.

What must hold of its security is written alike, from `docs/security.toml`, and what it does when something fails, from
`docs/reliability.toml`.
A row without a test, a test that is not there, and a test that does not say the row's words are refused.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import python_tests
from dev.places import ROOT
from dev.python_tests import Said

SOURCE = Path("docs") / "specification.toml"
SECURITY = Path("docs") / "security.toml"
RELIABILITY = Path("docs") / "reliability.toml"
# What a sentence leaves open: a plan's name, an amount, an id.
OPEN = re.compile(r"\$?\{\w*\}")
HEAD = """# The specification and its tests

Every route, call, message, code, limit and rule of the specification, and the tests that show it. Written from
`specification.toml` by `make generate`; `make check` refuses a row without a test, a test that is not there or is
skipped, a test that does not say what the row is about, and a page that is not what would be written now. Where the
specification lies beside the project, it also looks for what the rows forget: every quoted word, every route, call and
code of its tables, every number of its limits.

A test *says* the literals in it and in what it uses by name; what it takes from the product's own code it does not
say. Every test of a row has to say:

- for a **message** its words, with anything in place of `{…}`, or else the parts of it that the row names;
- for a **route** its path; for a **call** its path and its method;
- for a **code** the code and its status;
- for a **limit** and a **rule** the values that the row names, which the last column shows.
"""

SECURITY_HEAD = """# What must hold, and its tests

Forty-five things that must hold if the portal is to be safe, and the tests that show them. The numbers in brackets are
those of [OWASP ASVS 5.0](https://owasp.org/www-project-application-security-verification-standard/). What is aimed at,
what is accepted as a risk and how to report a hole is in [SECURITY.md](../SECURITY.md). Written from `security.toml` by
`make generate`; `make check` refuses a row without a test and a test that is not there.
"""

RELIABILITY_HEAD = """# What fails, and what the portal does then

Thirty-six faults, of the provider, of the network, of the machinery and of people, what is right when each happens, and
the tests that make it happen. How a change is carried out so that this is so is in
[architecture](architecture.md#the-path-of-a-command); what an operator sees and does is in the [runbook](runbook.md).
Written from `reliability.toml` by `make generate`; `make check` refuses a row without a test and a test that is not
there.
"""


class BadRow(Exception):
    """A row that cannot be read; the message says which and why."""


@dataclass(frozen=True)
class Row:
    """One line of the specification: what it is about, the words its tests have to say, and the tests."""

    kind: str
    text: str
    said: tuple[str, ...]
    tests: tuple[str, ...]
    # Of a fault: what the portal does then.
    right: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """What every test of it says, as patterns. Raises `BadRow`."""
        return KINDS[self.kind](self)


@dataclass(frozen=True)
class Section:
    """A part of the specification."""

    title: str
    rows: tuple[Row, ...]


def _words(text: str) -> str:
    """The pattern of a text: whole words, anything for what is left open, space as it comes."""
    parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in OPEN.split(text)]
    before, after = (r"(?<!\w)" if text[0].isalnum() else "", r"(?!\w)" if text[-1].isalnum() else "")
    return before + ".*".join(parts) + after


def _message(row: Row) -> tuple[str, ...]:
    if strange := [part for part in row.said if part not in row.text]:
        raise BadRow(f"{row.text!r} has no {strange[0]!r} in it")
    return tuple(_words(part) for part in row.said or [row.text])


def _path(path: str) -> str:
    parts = [re.escape(part) for part in OPEN.split(path)]
    return r"(?<![\w/])(\*|\{\})?" + r"[^/?]+".join(parts) + r"(?![\w/-])"


def _route(row: Row) -> tuple[str, ...]:
    return (_path(row.text), *map(_words, row.said))


def _call(row: Row) -> tuple[str, ...]:
    method, path = row.text.split(" ", 1)
    return (_path(path), f"(?i)^{method}$", *map(_words, row.said))


def _code(row: Row) -> tuple[str, ...]:
    return tuple(map(_words, (*row.text.split(" "), *row.said)))


def _named(row: Row) -> tuple[str, ...]:
    if not row.said:
        raise BadRow(f"{row.text!r} does not name what its tests say")
    return tuple(map(_words, row.said))


def _hold(row: Row) -> tuple[str, ...]:
    return tuple(map(_words, row.said))


def _fault(row: Row) -> tuple[str, ...]:
    if not row.right:
        raise BadRow(f"{row.text!r} does not say what is right then")
    return _hold(row)


KINDS = {
    "route": _route,
    "call": _call,
    "message": _message,
    "code": _code,
    "limit": _named,
    "rule": _named,
    "hold": _hold,
    "fault": _fault,
}


def sections(root: Path, source: Path = SOURCE) -> list[Section]:
    """Read the rows. Raises `BadRow`."""
    read = tomllib.loads((root / source).read_text())
    return [Section(one["title"], tuple(map(_row, one["row"]))) for one in read["section"]]


def _row(read: dict[str, object]) -> Row:
    match read:
        case {"kind": str() as kind, "text": str() as text, "tests": list() as tests} if (
            kind in KINDS and text
        ):
            match read.get("said", []):
                case list() as said:
                    return Row(kind, text, tuple(said), tuple(tests), str(read.get("right", "")))
    raise BadRow(f"a row needs a kind of {', '.join(KINDS)}, a text and tests: {read}")


def _frontend(root: Path) -> dict[str, dict[str, Said]]:
    """What each of the frontend's tests says, by file and title."""
    script = Path(__file__).with_name("frontend_tests.mjs")
    result = subprocess.run(["node", script, root], capture_output=True, text=True, check=True)
    return {
        file: {title: Said(set(said["texts"]), set(said["names"])) for title, said in tests.items()}
        for file, tests in json.loads(result.stdout).items()
    }


class Tests:
    """The tests of a project, and what each of them says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.frontend = _frontend(root)

    def said_by(self, name: str) -> Said | None:
        """What a test says, or None where there is none of that name."""
        if " > " in name:
            file, title = name.split(" > ", 1)
            return self.frontend.get(file, {}).get(title)
        return python_tests.said_by(self.root, name)


def unsaid(row: Row, said: Said) -> list[str]:
    """What a test would have to say of a row and does not. Raises `BadRow`."""
    # What is no sentence may be said by a name too: a field's, or a function's that makes the call.
    spoken = said.texts if row.kind == "message" else said.texts | said.names
    return [need for need in row.needs if not any(re.search(need, text, re.DOTALL) for text in spoken)]


def problems(rows: list[Section], tests: Tests) -> Iterator[str]:
    """Say what is wrong with the rows. Raises `BadRow`."""
    for section in rows:
        for row in section.rows:
            where = f"{section.title}: {row.text}"
            if not row.tests:
                yield f"{where}\n    has no test"
            for name in row.tests:
                said = tests.said_by(name)
                if said is None:
                    yield f"{where}\n    there is no test {name}"
                elif missing := unsaid(row, said):
                    yield f"{where}\n    {name}\n    does not say {missing[0]}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _what(row: Row) -> str:
    if row.kind in ("route", "call", "code"):
        return f"`{row.text}`"
    return f"“{row.text}”" if row.kind == "message" else row.text


def _link(name: str) -> str:
    path, _, title = name.partition(" > ") if " > " in name else name.partition("::")
    words = title.rsplit(" > ", 1)[-1] if " > " in name else title.removeprefix("test_").replace("_", " ")
    return f"[{Path(path).name}: {words}](../{path})"


def _shown(row: Row) -> str:
    said = f"<br>by saying {', '.join(f'`{one}`' for one in row.said)}" if row.said else ""
    return "<br>".join(map(_link, row.tests)) + said


@dataclass(frozen=True)
class Page:
    """How a table is told: what stands before it, and the columns before the one that links the tests."""

    head: str = HEAD
    columns: tuple[str, str] = ("Kind", "What")
    cells: Callable[[Row], tuple[str, str]] = lambda row: (row.kind, _what(row))

    def of(self, rows: list[Section]) -> str:
        """Write the page that people read."""
        lines = [self.head]
        for section in rows:
            lines += [f"## {section.title}\n", f"| {' | '.join(self.columns)} | Shown by |", "|---|---|---|"]
            for row in section.rows:
                cells = map(_cell, (*self.cells(row), _shown(row)))
                lines.append(f"| {' | '.join(cells)} |")
            lines.append("")
        return "\n".join(lines)


PAGES = {
    SOURCE: Page(),
    SECURITY: Page(SECURITY_HEAD),
    RELIABILITY: Page(RELIABILITY_HEAD, ("Fault", "What is right"), lambda row: (row.text, row.right)),
}


def main(target: Path, root: Path = ROOT, source: Path = SOURCE) -> int:
    """Write the page, unless a row is not shown; return the exit code."""
    try:
        rows = sections(root, source)
        wrong = list(problems(rows, Tests(root)))
    except BadRow as error:
        wrong = [str(error)]
    if wrong:
        print("\n".join(wrong))
        return 1
    target.write_text(PAGES[source].of(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), source=Path(sys.argv[2])))
