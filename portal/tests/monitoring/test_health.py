"""The liveness and readiness probes: only the database decides whether the portal is ready."""

import os
import subprocess
import sys
from ipaddress import ip_network

import pytest
import time_machine
from django.utils import timezone

from billing.models import Heartbeat
from conftest import ROOT, free_port
from portal.middleware.internal_probes import PROBE_PATHS

PRINT_READYZ = "from django.test import Client; r = Client().get('/readyz'); print(r.status_code, r.content.decode())"


@pytest.mark.shows("api-44")
def test_it_is_alive_without_checking_dependencies(client):
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}


@pytest.mark.shows("api-45", "reliability-1")
@pytest.mark.django_db
def test_it_reports_that_the_provider_is_down_and_stays_ready(client, settings):
    settings.CHARGEBEE_ENDPOINT = f"http://127.0.0.1:{free_port()}/api/v2"
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "database": "ok",
        "workers": "down",
        "broker": "ok",
        "provider": "down",
    }


@pytest.mark.django_db
def test_it_reports_that_the_provider_responds(client, settings, sandbox_process):
    settings.CHARGEBEE_ENDPOINT = sandbox_process.endpoint
    assert client.get("/readyz").json()["provider"] == "ok"


@pytest.mark.django_db
def test_it_reports_that_the_broker_is_down_and_stays_ready(client, settings):
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{free_port()}/0"
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json()["broker"] == "down"


@pytest.mark.shows("reliability-39")
@pytest.mark.django_db
def test_it_reports_that_no_worker_took_a_tick_for_a_minute(client):
    now = timezone.now()
    with time_machine.travel(now, tick=False) as traveller:
        Heartbeat.objects.create(pk=1, at=now)
        traveller.shift(59)
        assert client.get("/readyz").json()["workers"] == "ok"
        traveller.shift(1)
        response = client.get("/readyz")
    assert (response.status_code, response.json()["workers"]) == (200, "down")


@pytest.mark.django_db
def test_a_file_broker_is_down_if_its_folder_is_missing(client, settings, tmp_path):
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "gone")}
    assert client.get("/readyz").json()["broker"] == "down"


@pytest.mark.shows("security-42")
@pytest.mark.django_db
def test_clients_outside_the_networks_see_only_whether_it_is_ready(client, settings):
    settings.ADMIN_NETWORKS = [ip_network("192.0.2.0/24")]
    assert client.get("/readyz").json() == {"status": "ok"}
    assert client.get("/readyz", REMOTE_ADDR="192.0.2.7").json()["database"] == "ok"


@pytest.mark.django_db
def test_only_probe_paths_accept_any_host_name(visitor, settings):
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    ip_host = {"Host": "10.0.0.7:8000"}
    statuses = {path: visitor.get(path, headers=ip_host).status_code for path in (*PROBE_PATHS, "/", "/admin/")}
    assert statuses == {"/healthz": 200, "/readyz": 200, "/metrics": 200, "/": 400, "/admin/": 400}


@pytest.mark.shows("reliability-20")
def test_it_is_not_ready_without_the_database(tmp_path):
    environment = {
        **os.environ,
        "PORTAL_ENV": "demo",
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "VAR_DIR": str(tmp_path),
        "DATABASE_URL": f"postgres://nobody@127.0.0.1:{free_port()}/nothing",
    }
    script = f"import django; django.setup(); {PRINT_READYZ}"
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.startswith('503 {"status": "down", "database": "down"')
    assert "127.0.0.1" not in answer.stdout
