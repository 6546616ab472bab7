"""Operators sign in under production's settings: second factor, lockout and networks.

Production requires PostgreSQL, which not every machine has, so these tests run its settings on SQLite. Its refusal to
serve with SQLite is tested in `portal/tests/environment`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from dev.check_list import production_environment

PASSWORD = "correct horse battery staple"
# Requests of browsers inside and outside the operators' network; prints one line for each response.
SCRIPT = f"""
import django
django.setup()

import time
from io import StringIO
from django.core.management import call_command
from django.test import Client
from django_otp.oath import TOTP

from accounts.models import User
from operators import second_factor
from operators.models import Authenticator

call_command("migrate", verbosity=0)
User.objects.create_superuser("olga", password={PASSWORD!r})
proxied = {{"HTTP_HOST": "portal.example.com", "HTTP_X_FORWARDED_PROTO": "https"}}
KEY = "0123456789abcdef" * 2


def browser(address="192.0.2.7"):
    return Client(HTTP_X_FORWARDED_FOR=address, **proxied)


def sign_in(who, password={PASSWORD!r}, code=""):
    filled = {{"username": "olga", "password": password, "code": code, "next": "/admin/"}}
    return who.post("/admin/login/", filled)


def shown(who, path="/admin/"):
    answer = who.get(path)
    return answer.status_code, answer.headers.get("Location", "")


def code_of(user):
    totp = TOTP(Authenticator(user=user, key=KEY).bin_key)
    totp.time = time.time()
    return f"{{totp.token():06d}}"


print("outside ->", shown(browser("203.0.113.9")))
print("over http ->", Client(HTTP_HOST="portal.example.com").get("/admin/login/").status_code)
alone = browser()
print("password alone ->", sign_in(alone).status_code, shown(alone))
printed = StringIO()
call_command("reset_second_factor", "olga", stdout=printed, stderr=StringIO())
first = browser()
print("first code ->", sign_in(first, code=printed.getvalue().strip()).status_code, shown(first))
kept = first.cookies["__Host-operator"]
print("cookie ->", *(kept[name] for name in ("secure", "httponly", "samesite", "path", "domain")))
user = User.objects.get()
codes = second_factor.enroll_app(user, key=KEY, code=code_of(user))[1]
enrolled = browser()
print("password and code ->", sign_in(enrolled, code=codes[0]).status_code, shown(enrolled))
print("strict transport ->", enrolled.get("/admin/").headers["Strict-Transport-Security"])
thief = browser("192.0.2.66")
print("wrong ->", [sign_in(thief, password="wrong", code="000000").status_code for _ in range(5)])
print("right, too late ->", sign_in(thief, code=codes[1]).status_code)
print("the owner, elsewhere ->", sign_in(browser(), code=codes[2]).status_code)
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("production")
    environment = {
        "PATH": os.environ["PATH"],
        **production_environment(folder),
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
    }
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return dict(line.split(" -> ", 1) for line in result.stdout.splitlines())


@pytest.mark.shows("security-39")
def test_the_admin_is_hidden_outside_the_network_and_redirects_to_https(
    lines: dict[str, str],
) -> None:
    assert (lines["outside"], lines["over http"]) == ("(404, '')", "301")


@pytest.mark.shows("security-39")
def test_a_password_alone_opens_no_page(lines: dict[str, str]) -> None:
    assert lines["password alone"] == "200 (302, '/admin/login/?next=/admin/')"


@pytest.mark.shows("security-39")
def test_an_enrollment_code_opens_only_the_enrollment_page(lines: dict[str, str]) -> None:
    assert lines["first code"] == "302 (302, '/admin/second-factor/')"


@pytest.mark.shows("security-39")
def test_password_and_code_open_the_admin(lines: dict[str, str]) -> None:
    assert lines["password and code"] == "302 (200, '')"


@pytest.mark.shows("security-39")
def test_its_cookie_is_bound_to_the_host_and_its_pages_send_hsts(lines: dict[str, str]) -> None:
    assert lines["cookie"] == "True True Strict / "
    assert lines["strict transport"] == "max-age=31536000; includeSubDomains; preload"


@pytest.mark.shows("security-39")
def test_the_fifth_failed_sign_in_locks_out_only_that_address(lines: dict[str, str]) -> None:
    assert lines["wrong"] == "[200, 200, 200, 200, 429]"
    assert lines["right, too late"] == "429"
    assert lines["the owner, elsewhere"] == "302"
