"""Prometheus is told how the portal does, and nobody else is."""

import os
import subprocess
import sys
import threading
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from billing import clock
from billing.services import machinery
from portal import metrics
from portal.celery import app

pytestmark = pytest.mark.django_db
OUTSIDE = "203.0.113.7"


def told(visitor):
    """What is told to this machine, as `{(name, labels): value}`."""
    answer = visitor.get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_requests_are_counted_by_route(visitor):
    visitor.get("/api/nothing/of/ours?secret=1")
    labels = ("404", "GET", r"^(?:api|webhooks|static|admin|metrics)(?:/(?P<path>.*))?$")
    before = told(visitor)["portal_request_seconds_count", *labels]
    visitor.get("/api/nothing/of/ours?secret=2")
    after = told(visitor)
    assert after["portal_request_seconds_count", *labels] == before + 1
    assert not any("secret=" in word or "of/ours" in word for key in after for word in key)


def test_files_of_the_dead_that_are_taken_away_meanwhile_are_not_missed(visitor):
    visitor.get("/api/site")
    [mine] = metrics.FOLDER.glob(f"histogram_{os.getpid()}.db")
    dead = mine.with_name("histogram_999999999.db")
    over = threading.Event()

    def come_and_go():
        while not over.is_set():
            dead.hardlink_to(mine)
            # A process that starts may have been quicker.
            dead.unlink(missing_ok=True)
            time.sleep(0.001)

    others = threading.Thread(target=come_and_go)
    others.start()
    try:
        for _ in range(100):
            told(visitor)
    finally:
        over.set()
        others.join()


def test_methods_that_nobody_knows_are_counted_as_one(visitor):
    counted = ("portal_request_seconds_count", "", "405", "other")
    before = told(visitor).get(counted, 0)
    statuses = {visitor.generic(made_up, "/api/site").status_code for made_up in ("BREW", "BREW-2")}
    figures = told(visitor)
    assert statuses == {405}
    assert figures[counted] == before + 2
    assert not any("BREW" in word for key in figures for word in key)


def test_tasks_are_counted_by_how_they_end(visitor):
    @app.task(name="portal.tests.fail")
    def fail():
        raise ValueError

    fail.apply()
    assert told(visitor)["portal_task_seconds_count", "FAILURE", "portal.tests.fail"] == 1


def test_every_sign_is_told(visitor):
    signs = {sign.name for sign in machinery.signs(now=clock.now())}
    figures = told(visitor)
    assert {key[1] for key in figures if key[0] == "portal_sign_needs_somebody"} == signs
    assert figures["portal_sign_needs_somebody", "beat_seconds"] == 1
    assert figures["portal_sign", "webhooks_parked"] == 0


def test_what_another_process_of_this_machine_counted_is_told_too(visitor):
    count = (
        "import django; django.setup(); from portal import metrics;"
        "metrics.observe_request('GET', 'elsewhere', 200, 0.1)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings"}
    subprocess.run([sys.executable, "-c", count], env=environment, check=True, timeout=60)
    assert told(visitor)["portal_request_seconds_count", "200", "GET", "elsewhere"] == 1


def test_the_file_of_a_process_that_is_gone_is_forgotten_at_the_next_start(visitor):
    gone = metrics.FOLDER / "histogram_4194999.db"
    gone.touch()
    metrics.connect()
    assert not gone.exists()
    assert list(metrics.FOLDER.glob(f"*_{os.getpid()}.db"))


def test_there_is_no_such_page_for_others(visitor, settings):
    assert visitor.get("/metrics", REMOTE_ADDR=OUTSIDE).status_code == 404
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    through_the_proxy = visitor.get("/metrics", headers={"X-Forwarded-For": OUTSIDE})
    assert through_the_proxy.status_code == 404
    assert b"portal_sign" not in through_the_proxy.content
