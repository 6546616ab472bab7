"""`docs/runbook.md` matches the log messages, health checks and alerts of the code."""

import ast
import re
from pathlib import Path

import django
import pytest

from conftest import ROOT
from portal.tests.monitoring.test_alerts import read_rules

RUNBOOK = (ROOT / "docs" / "runbook.md").read_text()
APPLICATIONS = ("accounts", "billing", "core", "operators", "portal", "preferences")
ERROR_LEVELS = ("error", "exception", "critical")
LIBRARIES = Path(django.__file__).parent.parent


def is_logger(node):
    """Return whether an expression is a logger, by its name or where it comes from."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lower().endswith(("logger", "log"))
        case ast.Call(func=ast.Attribute(attr="getLogger")):
            return True
    return False


def is_error_level(node):
    """Return whether an expression is a level that the runbook explains."""
    return ast.unparse(node).lower().removeprefix("logging.") in {*ERROR_LEVELS, "40", "50"}


def error_messages(source):
    """Return the messages that a file logs as errors, with `…` for each parameter."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=logger, attr=level), args=[message, *_]) if (
                is_logger(logger) and level in ERROR_LEVELS
            ):
                yield read_message(message)
            case ast.Call(func=ast.Attribute(value=logger, attr="log"), args=[level, message, *_]) if is_logger(
                logger
            ) and is_error_level(level):
                yield read_message(message)


def read_message(node):
    """Return a message as the runbook writes it; one that is no literal could say anything."""
    assert isinstance(node, ast.Constant), ast.unparse(node)
    return re.sub(r"%\w", "…", str(node.value))


def read_library(*folders):
    """Return the source of a library."""
    return "\n".join(file.read_text() for folder in folders for file in sorted((LIBRARIES / folder).rglob("*.py")))


def alerting_rules():
    """Return all rules that raise an alert."""
    return [rule for rule in read_rules() if "alert" in rule]


def read_section(title):
    """Return the text below a heading, up to the next one."""
    return RUNBOOK.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_it_explains_exactly_the_errors_that_the_code_logs():
    files = [file for application in APPLICATIONS for file in (ROOT / application).rglob("*.py")]
    own = [file for file in files if not {"tests", "sandbox"} & set(file.relative_to(ROOT).parts)]
    messages = {message for file in own for message in error_messages(file.read_text())}

    assert set(re.findall(r"^\| `(.+?)` \|", read_section("What the log says"), re.MULTILINE)) == messages


@pytest.mark.parametrize(
    "line",
    [
        'logger.error("Mail %s failed", 1)',
        'access_logger.exception("Mail %s failed", 1)',
        'self._log.critical("Mail %s failed", 1)',
        'logging.getLogger(__name__).error("Mail %s failed", 1)',
        'logger.log(logging.ERROR, "Mail %s failed", 1)',
    ],
)
def test_an_error_is_found_however_it_is_logged(line):
    assert [*error_messages(line)] == ["Mail … failed"]


def test_an_error_whose_words_are_not_a_literal_is_refused():
    with pytest.raises(AssertionError):
        [*error_messages('logger.error(f"Mail {pk} failed")')]


def test_the_lines_of_libraries_are_in_their_sources():
    rows = re.findall(r"^\| `(.+?)` \| (\w+) \|", read_section("What libraries log"), re.MULTILINE)
    # The pool of Celery's processes is a library of its own.
    folders = {"Django": ["django"], "gunicorn": ["gunicorn"], "Celery": ["celery", "billiard"]}
    folders |= {"WeasyPrint": ["weasyprint"], "OpenTelemetry": ["opentelemetry"]}
    sources = {library: read_library(*names) for library, names in folders.items()}

    assert {library for _, library in rows} == set(folders)
    for line, library in rows:
        assert all(part.strip(" :") in sources[library] for part in line.split("…")), line


def test_it_explains_exactly_the_health_checks():
    source = (ROOT / "billing" / "health" / "checks.py").read_text()
    names = re.findall(r'^        name="(\w+)",$', source, re.MULTILINE)

    assert re.findall(r"^\| `(\w+)` \|", read_section("What the signs mean"), re.MULTILINE) == names


def test_its_links_point_to_its_own_headings():
    headings = re.findall(r"^## (.+)$", RUNBOOK, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([\w-]+)\)", RUNBOOK)) <= anchors


def test_it_explains_exactly_the_alerts():
    explained = dict(re.findall(r"^\| `(\w+)` \| (page|ticket): ", read_section("What the alerts mean"), re.MULTILINE))

    assert explained == {rule["alert"]: rule["labels"]["severity"] for rule in alerting_rules()}


def test_every_alert_cites_a_heading():
    for rule in alerting_rules():
        (heading,) = re.findall(r"see the runbook, (.+)$", rule["annotations"]["summary"])
        assert read_section(heading)
