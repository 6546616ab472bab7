"""Processes with production settings: which start, what they answer, and how they refuse."""

import os
import re
import subprocess
import sys

import pytest
from django.db import connection

from conftest import ROOT
from dev.check_list import production_environment


def load_wsgi(environment, then="print('serving')"):
    command = [sys.executable, "-W", "ignore", "-c", f"import portal.wsgi; {then}"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_server_with_production_settings_starts(tmp_path):
    environment = {"PATH": os.environ["PATH"], **production_environment(tmp_path)}
    assert load_wsgi(environment).stdout == "serving\n"


PRINT_STATUSES = (
    "from django.test import Client;"
    " print({{path: Client().get(path, secure=True, headers={host}).status_code for path in {paths}}})"
)


HOST = {"Host": "portal.example.com"}


PRINT_FROM_INSIDE = (
    "from django.test import Client; answer = Client(REMOTE_ADDR='192.0.2.7', HTTP_X_FORWARDED_PROTO='https')"
    ".get({path!r}, headers={host}); print(answer.status_code, 'id_code' in str(answer.content))"
)


OPERATOR_PATHS = (
    "/admin",
    "/admin/",
    "/admin/login/",
    "/admin/accounts/account/",
    "/api/schema/",
    "/metrics",
    "/metrics/",
)


@pytest.mark.shows("security-42")
def test_production_hides_operator_pages_and_the_schema_outside_the_networks(tmp_path):
    environment = {"PATH": os.environ["PATH"], **production_environment(tmp_path)}
    answer = load_wsgi(environment, PRINT_STATUSES.format(paths=OPERATOR_PATHS, host=HOST))
    assert answer.stdout == f"{dict.fromkeys(OPERATOR_PATHS, 404)}\n"


def test_production_asks_operators_for_a_code(tmp_path):
    environment = {"PATH": os.environ["PATH"], **production_environment(tmp_path)}
    answer = load_wsgi(environment, PRINT_FROM_INSIDE.format(path="/admin/login/", host=HOST))
    assert answer.stdout == "200 True\n"


PRINT_COOKIES = (
    "from django.conf import settings as s; print(s.SESSION_COOKIE_NAME, s.SESSION_COOKIE_SECURE,"
    " s.SESSION_COOKIE_HTTPONLY, s.SESSION_COOKIE_SAMESITE, s.SESSION_COOKIE_AGE, s.CSRF_COOKIE_NAME,"
    " s.CSRF_COOKIE_SECURE, s.CSRF_COOKIE_SAMESITE)"
)


def test_operator_cookies_are_bound_to_the_host_and_https(tmp_path):
    answer = load_wsgi({"PATH": os.environ["PATH"], **production_environment(tmp_path)}, PRINT_COOKIES)
    assert answer.stdout == "__Host-operator True True Strict 1800 __Host-csrf True Strict\n"


@pytest.mark.shows("security-41")
def test_a_server_with_demo_defaults_does_not_start_in_production(tmp_path):
    answer = load_wsgi({"PATH": os.environ["PATH"], "PORTAL_ENV": "production", "VAR_DIR": str(tmp_path)})
    assert answer.returncode != 0
    assert "SECRET_KEY is the demo's, too short, or easy to guess." in answer.stderr
    assert "CHARGEBEE_WEBHOOK_PASSWORDS holds a weak password or none." in answer.stderr


@pytest.mark.shows("security-41")
@pytest.mark.parametrize("process", [["worker", "--concurrency=1"], ["beat", "--pidfile="]])
def test_a_worker_and_a_beat_with_demo_defaults_do_not_start_in_production(tmp_path, process):
    answer = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "portal", *process],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PORTAL_ENV": "production", "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert answer.returncode != 0
    assert "SECRET_KEY is the demo's, too short, or easy to guess." in answer.stderr


@pytest.mark.django_db
def test_the_database_has_a_lock_timeout(settings):
    options = settings.DATABASES["default"]["OPTIONS"]
    expected = {"sqlite": "busy_timeout=20000", "postgresql": "lock_timeout=5000"}[connection.vendor]
    assert expected in str(options)


@pytest.mark.django_db
def test_sqlite_transactions_are_immediate(settings):
    if_sqlite = {"sqlite": "IMMEDIATE", "postgresql": None}[connection.vendor]
    assert settings.DATABASES["default"]["OPTIONS"].get("transaction_mode") == if_sqlite


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEB_PROCESSES", "0"),
        ("WEB_PROCESSES", "two"),
        ("WEB_PROCESSES", "-1"),
        ("WEB_PROCESSES", "²"),
        ("WEB_THREADS", "0"),
        ("WEB_THREADS", "4.5"),
        ("WEB_THREADS", "99999"),
        ("PORT", "http"),
        ("PORT", "65536"),
    ],
)
def test_a_web_server_ends_with_one_sentence_about_a_bad_number(tmp_path, name, value):
    command = [sys.executable, "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"]
    environment = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), name: value}
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert answer.returncode == 1
    assert re.fullmatch(rf"{name} is '{value}'; it must be a whole number from 1 to \d+\.\n", answer.stderr)
