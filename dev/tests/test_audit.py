"""What is locked is locked by its hash, and an audit that did not happen is not taken for a good one."""

import json
import re

import pytest

from conftest import ROOT
from dev.audit import NotAsked, holes_of_npm, holes_of_python, outcome

SOUND = {"name": "django", "version": "5.2.19", "vulns": []}
HOLE = {"name": "django", "version": "5.2.0", "vulns": [{"id": "CVE-1", "fix_versions": ["5.2.1"]}]}
UNKNOWN = {"name": "django", "skip_reason": "not found"}
NPM_HOLE = {"vulnerabilities": {"left-pad": {"severity": "high", "range": "<1.3.0"}}}


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_python_package_is_locked_by_its_hash(name):
    entries = re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n", "", (ROOT / name).read_text()).strip())
    assert len(entries) > 20
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_every_npm_package_is_locked_by_its_hash():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert [name for name, locked in packages.items() if name and "integrity" not in locked] == []


@pytest.mark.parametrize(
    ("read", "answer", "found"),
    [
        (holes_of_python, {"dependencies": [SOUND]}, []),
        (holes_of_python, {"dependencies": [SOUND, HOLE]}, ["django 5.2.0: CVE-1, mended in 5.2.1"]),
        (holes_of_python, {"dependencies": [UNKNOWN, HOLE]}, ["django 5.2.0: CVE-1, mended in 5.2.1"]),
        (holes_of_npm, {"vulnerabilities": {}}, []),
        (holes_of_npm, NPM_HOLE, ["left-pad: high, <1.3.0"]),
    ],
)
def test_it_tells_holes(read, answer, found):
    assert read(answer) == found
    assert outcome(lambda: read(answer), strict=True)[0] is (not found)


@pytest.mark.parametrize(
    ("read", "answer"),
    [
        (holes_of_python, {"dependencies": [SOUND, UNKNOWN]}),
        (holes_of_npm, {"message": "405 Method Not Allowed"}),
    ],
)
def test_it_says_what_could_not_be_asked(read, answer):
    with pytest.raises(NotAsked):
        read(answer)
    passed, words = outcome(lambda: read(answer), strict=False)
    assert passed
    assert words.startswith("NOT AUDITED: ")
    assert not outcome(lambda: read(answer), strict=True)[0]
