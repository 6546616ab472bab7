"""Prometheus is told how the portal does, and nobody else is."""

import os
import subprocess
import sys
from contextlib import suppress

import httpx
import pytest
from django.conf import settings
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.parser import text_string_to_metric_families

from billing import clock
from billing.health import checks
from billing.tests.support.celery_workers import KillableWorker, wait_until, worker_environment
from conftest import free_port
from portal.celery import app
from portal.monitoring import metrics

pytestmark = pytest.mark.django_db
OUTSIDE = "203.0.113.7"


def read_metrics(visitor):
    """What is told to this machine, as `{(name, labels): value}`."""
    answer = visitor.get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    return parse_metrics(answer.content.decode())


def parse_metrics(text):
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_are_counted_by_route(visitor):
    visitor.get("/api/nothing/of/ours?secret=1")
    labels = ("404", "GET", r"^(?:api|webhooks|static|admin|metrics)(?:/(?P<path>.*))?$")
    before = read_metrics(visitor)["portal_request_seconds_count", *labels]
    visitor.get("/api/nothing/of/ours?secret=2")
    after = read_metrics(visitor)
    assert after["portal_request_seconds_count", *labels] == before + 1
    assert not any("secret=" in word or "of/ours" in word for key in after for word in key)


def test_methods_that_nobody_knows_are_counted_as_one(visitor):
    counted = ("portal_request_seconds_count", "", "405", "other")
    before = read_metrics(visitor).get(counted, 0)
    statuses = {visitor.generic(made_up, "/api/site").status_code for made_up in ("BREW", "BREW-2")}
    figures = read_metrics(visitor)
    assert statuses == {405}
    assert figures[counted] == before + 2
    assert not any("BREW" in word for key in figures for word in key)


def test_tasks_are_counted_by_how_they_end(visitor):
    @app.task(name="portal.tests.fail")
    def fail():
        raise ValueError

    fail.apply()
    assert read_metrics(visitor)["portal_task_seconds_count", "FAILURE", "portal.tests.fail"] == 1


def test_every_sign_is_told(visitor):
    signs = {sign.name for sign in checks.run_health_checks(now=clock.billing_now())}
    figures = read_metrics(visitor)
    assert {key[1] for key in figures if key[0] == "portal_sign_needs_somebody"} == signs
    assert figures["portal_sign_needs_somebody", "beat_seconds"] == 1
    assert figures["portal_sign", "webhooks_parked"] == 0


def run_in_process(code, folder=metrics.METRICS_FOLDER):
    """Start another process of this machine that runs these lines."""
    setup = "import os, django; django.setup(); from portal.monitoring import metrics\n"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(folder),
    }
    return subprocess.Popen([sys.executable, "-c", setup + code], env=environment)


def count_request_in_process(route, before="", folder=metrics.METRICS_FOLDER):
    """Count a request in another process, which is gone then."""
    counting = run_in_process(f"{before}\nmetrics.observe_request('GET', '{route}', 200, 0.1)", folder)
    assert counting.wait(timeout=60) == 0


def test_what_another_process_of_this_machine_counted_is_told_too(visitor):
    count_request_in_process("elsewhere")
    assert read_metrics(visitor)["portal_request_seconds_count", "200", "GET", "elsewhere"] == 1


def test_a_process_goes_on_where_one_that_is_gone_had_stopped(tmp_path):
    for _ in range(2):
        count_request_in_process("replaced", folder=tmp_path)
    told_by_files = CollectorRegistry()
    MultiProcessCollector(told_by_files, path=str(tmp_path))
    figures = parse_metrics(generate_latest(told_by_files).decode())
    assert figures["portal_request_seconds_count", "200", "GET", "replaced"] == 2
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_is_missed_while_processes_are_replaced(visitor):
    count_request_in_process("steady", before="os.fork() and os.wait()")
    replacing = run_in_process("for _ in range(200):\n    if os.fork() == 0:\n        os._exit(0)\n    os.wait()\n")
    counts = set()
    while replacing.poll() is None:
        counts.add(read_metrics(visitor)["portal_request_seconds_count", "200", "GET", "steady"])
    assert replacing.returncode == 0
    assert counts == {2}


@pytest.mark.django_db(transaction=True)
def test_a_worker_tells_its_tasks_at_a_port_of_its_own_to_the_networks_alone(tmp_path):
    port = free_port()
    environment = {
        **worker_environment(tmp_path, settings.CHARGEBEE_ENDPOINT),
        "METRICS_PORT": str(port),
        "METRICS_NETWORKS": "127.0.0.2/32",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
    }

    def asked_from(address, path="/metrics"):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
            return client.get(f"http://127.0.0.1:{port}{path}")

    def done():
        with suppress(httpx.TransportError):
            name = "portal_task_seconds_count", "SUCCESS", "operators.tasks.forget"
            return parse_metrics(asked_from("127.0.0.2").text).get(name)

    with KillableWorker(environment, tmp_path).run_process() as worker:
        worker.send_message("operators.tasks.forget")
        wait_until(lambda: done() == 1)
        assert asked_from("127.0.0.1").status_code == 404
        assert asked_from("127.0.0.2", "/").status_code == 404


@pytest.mark.shows("security-42")
def test_there_is_no_such_page_for_others(visitor, settings):
    assert visitor.get("/metrics", REMOTE_ADDR=OUTSIDE).status_code == 404
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    through_the_proxy = visitor.get("/metrics", headers={"X-Forwarded-For": OUTSIDE})
    assert through_the_proxy.status_code == 404
    assert b"portal_sign" not in through_the_proxy.content
