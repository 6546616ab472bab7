"""Metrics for Prometheus, which only clients inside the networks can read."""

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
from portal.monitoring import metric_files

pytestmark = pytest.mark.django_db
OUTSIDE = "203.0.113.7"
REPLACED = 25


def read_metrics(visitor):
    """Return the metrics that this machine may read, as `{(name, labels): value}`."""
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


def test_unknown_methods_are_counted_under_one_label(visitor):
    counted = ("portal_request_seconds_count", "", "405", "other")
    before = read_metrics(visitor).get(counted, 0)
    statuses = {visitor.generic(unknown_method, "/api/site").status_code for unknown_method in ("BREW", "BREW-2")}
    figures = read_metrics(visitor)
    assert statuses == {405}
    assert figures[counted] == before + 2
    assert not any("BREW" in word for key in figures for word in key)


def test_tasks_are_counted_by_their_final_state(visitor):
    @app.task(name="portal.tests.fail")
    def fail():
        raise ValueError

    fail.apply()
    assert read_metrics(visitor)["portal_task_seconds_count", "FAILURE", "portal.tests.fail"] == 1


def test_every_health_check_is_exported(visitor):
    checked_names = {sign.name for sign in checks.run_health_checks(now=clock.billing_now())}
    figures = read_metrics(visitor)
    assert {key[1] for key in figures if key[0] == "portal_sign_needs_somebody"} == checked_names
    assert figures["portal_sign_needs_somebody", "beat_seconds"] == 1
    assert figures["portal_sign", "webhooks_parked"] == 0


def run_in_process(code, folder=metric_files.METRICS_FOLDER):
    """Start another process that runs these lines after `django.setup()`."""
    setup = "import os, django; django.setup(); from portal.monitoring import metrics\n"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(folder),
    }
    return subprocess.Popen([sys.executable, "-c", setup + code], env=environment)


def count_request_in_process(route, before="", folder=metric_files.METRICS_FOLDER):
    """Count a request in another process, and wait until it has exited."""
    process = run_in_process(f"{before}\nmetrics.observe_request('GET', '{route}', 200, 0.1)", folder)
    assert process.wait(timeout=60) == 0


def test_counts_of_another_process_are_included(visitor):
    count_request_in_process("elsewhere")
    assert read_metrics(visitor)["portal_request_seconds_count", "200", "GET", "elsewhere"] == 1


def test_a_new_process_reuses_the_file_of_an_exited_one(tmp_path):
    for _ in range(2):
        count_request_in_process("replaced", folder=tmp_path)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(tmp_path))
    figures = parse_metrics(generate_latest(registry).decode())
    assert figures["portal_request_seconds_count", "200", "GET", "replaced"] == 2
    assert len(list(tmp_path.iterdir())) == 1


def test_counts_stay_complete_while_processes_are_replaced(visitor, tmp_path):
    count_request_in_process("steady", before="os.fork() and os.wait()")
    begun, count = tmp_path / "begun", "metrics.observe_request('GET', 'replaced', 200, 0.1)"
    replacing = run_in_process(
        f"open('{begun}', 'w').close()\n"
        f"for _ in range({REPLACED}):\n    if os.fork() == 0:\n        {count}\n        os._exit(0)\n    os.wait()\n"
    )
    wait_until(begun.exists)
    readings = []
    while replacing.poll() is None:
        readings.append(read_metrics(visitor))
    readings.append(read_metrics(visitor))
    steady, replaced = (
        [reading.get(("portal_request_seconds_count", "200", "GET", route), 0) for reading in readings]
        for route in ("steady", "replaced")
    )
    assert replacing.returncode == 0
    assert set(steady) == {2}
    assert (replaced, replaced[-1]) == (sorted(replaced), REPLACED)


@pytest.mark.django_db(transaction=True)
def test_a_worker_serves_its_metrics_to_the_networks_on_its_own_port(tmp_path):
    port = free_port()
    environment = {
        **worker_environment(tmp_path, settings.CHARGEBEE_ENDPOINT),
        "METRICS_PORT": str(port),
        "METRICS_NETWORKS": "127.0.0.2/32",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
    }

    def request_from(address, path="/metrics"):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
            return client.get(f"http://127.0.0.1:{port}{path}")

    def successful_runs():
        with suppress(httpx.TransportError):
            name = "portal_task_seconds_count", "SUCCESS", "operators.tasks.forget"
            return parse_metrics(request_from("127.0.0.2").text).get(name)

    with KillableWorker(environment, tmp_path).run_process() as worker:
        worker.send_message("operators.tasks.forget")
        wait_until(lambda: successful_runs() == 1)
        assert request_from("127.0.0.1").status_code == 404
        assert request_from("127.0.0.2", "/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_failures_of_each_task_begin_at_zero_so_that_the_first_one_raises_the_alert(tmp_path):
    folder = tmp_path / "metrics"
    environment = {
        **worker_environment(tmp_path, settings.CHARGEBEE_ENDPOINT),
        "PROMETHEUS_MULTIPROC_DIR": str(folder),
    }

    def task_counts(state):
        if not folder.is_dir():
            return {}
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(folder))
        figures = parse_metrics(generate_latest(registry).decode())
        return {key[2]: count for key, count in figures.items() if key[:2] == ("portal_task_seconds_count", state)}

    with KillableWorker(environment, tmp_path).run_process() as worker:
        worker.send_message("operators.tasks.forget")
        wait_until(lambda: task_counts("SUCCESS"))
    failures = task_counts("FAILURE")
    assert {"accounts.tasks.tick", "billing.tasks.tick", "billing.tasks.run_job"} <= set(failures)
    assert set(failures.values()) == {0}


@pytest.mark.shows("security-42")
def test_clients_outside_the_networks_get_404(visitor, settings):
    assert visitor.get("/metrics", REMOTE_ADDR=OUTSIDE).status_code == 404
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    proxied_response = visitor.get("/metrics", headers={"X-Forwarded-For": OUTSIDE})
    assert proxied_response.status_code == 404
    assert b"portal_sign" not in proxied_response.content
