"""Whether the table of the specification forgets anything that the specification says, where that is at hand."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.checks import LEFT_OUT
from dev.places import ROOT
from dev.specification import OPEN, Section, sections

# Beside the project, not in it: what it says is decided elsewhere.
FOLDER = ROOT.parent / "shared" / "spec"
# A quotation mark opens where no word goes on, and closes where none does; between words it is an apostrophe.
SINGLE = re.compile(r"(?<!\w)'(\S.*?)'(?!\w)")
DOUBLE = re.compile(r'"(.+?)"')
CALL = re.compile(r"\b(GET|POST|DELETE) (/[^\s|;·`?]*)")
# A status says once what it is of: "409 `a` (so), `b`", "Other 409 codes: `a`, `b`"; of several the first counts.
CODES = re.compile(r"\b([45]\d\d)(?:, \d+)*(?: codes:| \|)? ((?:`[a-z_]+`(?: \([^)]*\))?(?:, | or )?)+)")
# The contract says what the variable segment may be.
ALTERNATIVES = re.compile(r"\{(?:upgrade,downgrade|x)\}")


def part(text: str, number: int) -> str:
    """A section of a document, by the number in its heading."""
    found = re.search(rf"^## {number}\. .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def quoted(text: str) -> Iterator[str]:
    """Everything between quotation marks, in single ones with double ones inside them too."""
    for line in text.splitlines():
        yield from SINGLE.findall(line)
        yield from DOUBLE.findall(SINGLE.sub("", line))


def routes(text: str) -> Iterator[str]:
    """The paths of the table of routes."""
    for cell in re.findall(r"^\| (/[^|]*) \|", part(text, 2), re.MULTILINE):
        yield from cell.split(" and ")


def calls(text: str) -> Iterator[str]:
    """The calls of a table without their queries, each with its alternatives written out."""
    for method, path in CALL.findall(text):
        for one in ("upgrade", "downgrade") if ALTERNATIVES.search(path) else ("",):
            yield f"{method} {OPEN.sub('{}', ALTERNATIVES.sub(one, path))}"


def codes(text: str) -> Iterator[str]:
    """The codes of errors, with their statuses."""
    for status, words in CODES.findall(text):
        yield from (f"{status} {code}" for code in re.findall(r"`([a-z_]+)`", words))


def options(text: str) -> Iterator[str]:
    """The answers that the survey offers."""
    for line in re.findall(r"^  - \w+: (.*?)[;.]$", part(text, 9), re.MULTILINE):
        yield from line.split(", ")


def numbers(text: str) -> set[str]:
    """The numbers of the business constants, the number of the section left out."""
    return set(re.findall(r"(?<![\d/])\d+", part(text, 9).split("\n", 1)[1]))


def forgotten(rows: list[Section], specification: str, contract: str) -> list[str]:
    """What is in the documents and not in the rows."""
    texts: dict[str, set[str]] = {}
    for row in (row for section in rows for row in section.rows):
        texts.setdefault(row.kind, set()).add(row.text)
    words = texts.get("message", set())
    called = set(calls("\n".join(texts.get("call", set()))))
    wanted = [
        ("message", words, [*quoted(specification), *options(specification)]),
        ("route", texts.get("route", set()), routes(specification)),
        ("call", called, [*calls(part(specification, 7)), *calls(part(contract, 3))]),
        ("code", texts.get("code", set()), codes(contract)),
        (
            "limit",
            set(re.findall(r"\d+", " ".join(texts.get("limit", set())))),
            sorted(numbers(specification)),
        ),
    ]
    missing = [f"{kind}: {one}" for kind, known, all_ in wanted for one in all_ if one not in known]
    return list(dict.fromkeys(missing))


def main() -> int:
    """Compare; return the exit code."""
    if not FOLDER.is_dir():
        print("the specification is not beside the project")
        return LEFT_OUT
    specification, contract = (
        (FOLDER / name).read_text() for name in ("portal-specification.md", "contract.md")
    )
    missing = forgotten(sections(ROOT), specification, contract)
    if missing:
        print("docs/specification.toml has no row for\n" + "\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
