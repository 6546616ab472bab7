"""The rules and the dashboard of `deploy/`: they use metrics that exist, and raise the alerts that they should."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ROOT
from dev import test as suites
from portal.monitoring.metric_files import REGISTRY
from portal.monitoring.metrics import HealthCheckCollector
from portal.monitoring.service_metrics import QueueCollector

DEPLOY = ROOT / "deploy"
RULE_FILES = ("alerts.yml", "objectives.yml")
FED_RULES = Path(__file__).with_name("alerts.test.yml")
METRIC = re.compile(r"\bportal[_:][a-z_:]*[a-z0-9]+")
# Parts of a histogram.
HISTOGRAM_SUFFIXES = ("_bucket", "_count", "_sum")


@pytest.fixture
def promtool() -> str:
    """Return the path of Prometheus's tool; `make test` installs it where it may."""
    path = shutil.which("promtool")
    if path is None and not suites.CI:
        pytest.skip("no promtool on this machine")
    assert path is not None
    return path


def run_tool(promtool: str, *arguments: object) -> str:
    result = subprocess.run([promtool, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def read_rules() -> list[dict[str, Any]]:
    groups = [group for name in RULE_FILES for group in yaml.safe_load((DEPLOY / name).read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def dashboard_queries() -> list[str]:
    panels = json.loads((DEPLOY / "dashboard.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def exported_names() -> Iterator[str]:
    """Yield the names of all series at `/metrics`."""
    for collector in (REGISTRY, HealthCheckCollector(), QueueCollector()):
        for family in collector.collect():
            if family.type == "histogram":
                yield from (family.name + suffix for suffix in HISTOGRAM_SUFFIXES)
            else:
                yield family.name + ("_total" if family.type == "counter" else "")


@pytest.mark.django_db
def test_rules_and_dashboard_use_metrics_that_exist() -> None:
    recorded = {rule["record"] for rule in read_rules() if "record" in rule}
    known = {*exported_names(), *recorded}
    queries = [*(rule["expr"] for rule in read_rules()), *dashboard_queries()]
    assert len(queries) > 40
    assert {name for query in queries for name in METRIC.findall(query)} <= known


@pytest.mark.django_db
def test_the_dashboard_shows_every_metric() -> None:
    used = {name for query in dashboard_queries() for name in METRIC.findall(query)}
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in exported_names()} - {"portal_sign"}
    shown = {re.sub(r"_(bucket|count)$", "", name) for name in used}
    assert families - shown == {"portal_objective_overdue"}
    assert "portal:objective_overdue" in used


def test_every_query_of_the_dashboard_is_valid(promtool: str, tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(dashboard_queries())
    ]
    file = tmp_path / "dashboard.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    run_tool(promtool, "check", "rules", file)


def test_prometheus_accepts_the_configuration(promtool: str) -> None:
    shown = run_tool(promtool, "check", "config", DEPLOY / "prometheus.yml")
    assert f"{len(RULE_FILES)} rule files found" in shown


@pytest.mark.shows("reliability-46")
def test_alerts_are_raised_when_they_should_and_not_otherwise(promtool: str) -> None:
    fed = yaml.safe_load(FED_RULES.read_text())["tests"]
    expected = [alert for case in fed for alert in case["alert_rule_test"]]
    names = {rule["alert"] for rule in read_rules() if "alert" in rule}
    assert {alert["alertname"] for alert in expected if alert["exp_alerts"]} == names
    assert {alert["alertname"] for alert in expected if not alert["exp_alerts"]} == names
    run_tool(promtool, "test", "rules", FED_RULES)
