"""Every package is locked by its hash, and an audit that could not run does not pass."""

import json
import re

import pytest

from conftest import ROOT
from dev.audit import AuditUnavailable, audit_outcome, parse_npm_answer, parse_python_answer

SAFE = {"name": "django", "version": "5.2.19", "vulns": []}
VULNERABLE = {"name": "django", "version": "5.2.0", "vulns": [{"id": "CVE-1", "fix_versions": ["5.2.1"]}]}
UNKNOWN = {"name": "django", "skip_reason": "not found"}
NPM_VULNERABLE = {"vulnerabilities": {"left-pad": {"severity": "high", "range": "<1.3.0"}}}


@pytest.mark.shows("security-43")
@pytest.mark.parametrize(
    ("name", "least"), [("requirements.txt", 21), ("requirements-dev.txt", 21), ("requirements-node.txt", 1)]
)
def test_every_python_package_is_locked_by_its_hash(name, least):
    entries = re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n", "", (ROOT / name).read_text()).strip())
    assert len(entries) >= least
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


@pytest.mark.shows("security-43")
def test_every_npm_package_is_locked_by_its_hash():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert [name for name, locked in packages.items() if name and "integrity" not in locked] == []


@pytest.mark.shows("security-43")
@pytest.mark.parametrize(
    ("read", "answer", "found"),
    [
        (parse_python_answer, {"dependencies": [SAFE]}, []),
        (parse_python_answer, {"dependencies": [SAFE, VULNERABLE]}, ["django 5.2.0: CVE-1, mended in 5.2.1"]),
        (parse_python_answer, {"dependencies": [UNKNOWN, VULNERABLE]}, ["django 5.2.0: CVE-1, mended in 5.2.1"]),
        (parse_npm_answer, {"vulnerabilities": {}}, []),
        (parse_npm_answer, NPM_VULNERABLE, ["left-pad: high, <1.3.0"]),
    ],
)
def test_it_reports_vulnerabilities(read, answer, found):
    assert read(answer) == found
    assert audit_outcome(lambda: read(answer), strict=True)[0] is (not found)


@pytest.mark.parametrize(
    ("read", "answer"),
    [
        (parse_python_answer, {"dependencies": [SAFE, UNKNOWN]}),
        (parse_npm_answer, {"message": "405 Method Not Allowed"}),
    ],
)
def test_it_reports_an_audit_that_could_not_run(read, answer):
    with pytest.raises(AuditUnavailable):
        read(answer)
    passed, words = audit_outcome(lambda: read(answer), strict=False)
    assert passed
    assert words.startswith("NOT AUDITED: ")
    assert not audit_outcome(lambda: read(answer), strict=True)[0]
