"""`docs/runbook.md`, held against what the code may say."""

import ast
import re

from conftest import ROOT
from portal.monitoring import metrics

RUNBOOK = (ROOT / "docs" / "runbook.md").read_text()
APPLICATIONS = ("accounts", "billing", "core", "operators", "portal", "preferences")
ALARMING = ("error", "exception", "critical")


def alarm_messages(source):
    """Return the messages of a file's log lines that somebody has to act on, with `…` for what differs."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="logger"), attr=level),
                args=[ast.Constant(value=str() as message), *_],
            ) if level in ALARMING:
                yield re.sub(r"%\w", "…", message)


def read_section(title):
    """Return the text below a heading, up to the next one."""
    return RUNBOOK.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_it_says_what_to_do_about_every_error_in_the_log_and_about_no_other():
    files = [file for room in APPLICATIONS for file in (ROOT / room).rglob("*.py")]
    own = [file for file in files if not {"tests", "sandbox"} & set(file.relative_to(ROOT).parts)]
    messages = {message for file in own for message in alarm_messages(file.read_text())}

    assert set(re.findall(r"^\| `(.+?)` \|", read_section("What the log says"), re.MULTILINE)) == messages


def test_it_explains_every_sign_and_no_other():
    source = (ROOT / "billing" / "health" / "checks.py").read_text()
    names = re.findall(r'^        name="(\w+)",$', source, re.MULTILINE)

    assert re.findall(r"^\| `(\w+)` \|", read_section("What the signs mean"), re.MULTILINE) == names


def test_its_links_lead_to_its_own_headings():
    headings = re.findall(r"^## (.+)$", RUNBOOK, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([\w-]+)\)", RUNBOOK)) <= anchors


def test_alerts_are_raised_on_figures_that_are_told():
    told = {figure._name for figure in (metrics.REQUEST_SECONDS, metrics.PROVIDER_SECONDS, metrics.TASK_SECONDS)}
    told |= {"portal_sign", "portal_sign_needs_somebody"}
    asked = set(re.findall(r"\bportal_[a-z_]+", (ROOT / "deploy" / "alerts.yml").read_text()))

    assert {name.removesuffix("_count") for name in asked} <= told


def test_every_alert_leads_to_a_heading():
    alerts = (ROOT / "deploy" / "alerts.yml").read_text()

    for heading in re.findall(r"see the runbook, (.+)\"", alerts):
        assert read_section(heading)
