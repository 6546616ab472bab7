"""`docs/runbook.md` matches the log messages, health checks and alerts of the code."""

import ast
import re

from conftest import ROOT
from portal.monitoring import metrics

RUNBOOK = (ROOT / "docs" / "runbook.md").read_text()
APPLICATIONS = ("accounts", "billing", "core", "operators", "portal", "preferences")
ERROR_LEVELS = ("error", "exception", "critical")


def error_messages(source):
    """Return the messages that a file logs as errors, with `…` for each parameter."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="logger"), attr=level),
                args=[ast.Constant(value=str() as message), *_],
            ) if level in ERROR_LEVELS:
                yield re.sub(r"%\w", "…", message)


def read_section(title):
    """Return the text below a heading, up to the next one."""
    return RUNBOOK.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_it_explains_exactly_the_errors_that_the_code_logs():
    files = [file for application in APPLICATIONS for file in (ROOT / application).rglob("*.py")]
    own = [file for file in files if not {"tests", "sandbox"} & set(file.relative_to(ROOT).parts)]
    messages = {message for file in own for message in error_messages(file.read_text())}

    assert set(re.findall(r"^\| `(.+?)` \|", read_section("What the log says"), re.MULTILINE)) == messages


def test_it_explains_exactly_the_health_checks():
    source = (ROOT / "billing" / "health" / "checks.py").read_text()
    names = re.findall(r'^        name="(\w+)",$', source, re.MULTILINE)

    assert re.findall(r"^\| `(\w+)` \|", read_section("What the signs mean"), re.MULTILINE) == names


def test_its_links_point_to_its_own_headings():
    headings = re.findall(r"^## (.+)$", RUNBOOK, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([\w-]+)\)", RUNBOOK)) <= anchors


def test_alerts_use_exported_metrics():
    timed = {figure._name for figure in (metrics.REQUEST_SECONDS, metrics.PROVIDER_SECONDS, metrics.TASK_SECONDS)}
    exported = timed | {f"{metrics.POLICY_REPORTS._name}_total", "portal_sign", "portal_sign_needs_somebody"}
    used = set(re.findall(r"\bportal_[a-z_]+", (ROOT / "deploy" / "alerts.yml").read_text()))

    assert {name.removesuffix("_count") for name in used} <= exported


def test_every_alert_cites_a_heading():
    alerts = (ROOT / "deploy" / "alerts.yml").read_text()

    for heading in re.findall(r"see the runbook, (.+)\"", alerts):
        assert read_section(heading)
