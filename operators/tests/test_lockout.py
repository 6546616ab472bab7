"""Five wrong passwords or codes lock out a username at an address for a time, with or without a cache."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from core.models import LimitCounter
from operators import tasks
from operators.lockout import NAME_FAILURES
from operators.tests.conftest import Operator

TOO_MANY = "Sign-in is locked until"


def fail_sign_in(operator: Operator, times: int, **extra: Any) -> Any:
    return [operator.sign_in("wrong", **extra) for _ in range(times)][-1]


@pytest.fixture
def behind_a_proxy(settings: Any) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}


@pytest.fixture
def without_a_cache(settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}


@pytest.mark.shows("security-11")
def test_five_wrong_passwords_lock_out_for_a_quarter_of_an_hour(
    olga: Operator, clock: Any, without_a_cache: None
) -> None:
    olga.enroll_app()
    assert fail_sign_in(olga, 4).status_code == 200
    refused = fail_sign_in(olga, 1)
    assert refused.status_code == 429
    assert refused["Retry-After"] == "900"
    assert TOO_MANY in refused.content.decode()

    clock.shift(timedelta(minutes=14))
    assert olga.sign_in().status_code == 429
    assert not olga.is_in()
    # Attempts during the lockout do not extend it.
    clock.shift(timedelta(minutes=1, seconds=1))
    olga.sign_in()
    assert olga.is_in()


def _page_text(answer: Any) -> str:
    """Return a page without the values of its form: the username and the CSRF token."""
    return re.sub(r'value="[^"]*"', "", answer.content.decode())


def test_an_unknown_username_gets_the_same_response(olga: Operator) -> None:
    known = [olga.sign_in("wrong") for _ in range(6)]
    olga.user.username = "nobody"
    unknown = [olga.sign_in("wrong") for _ in range(6)]
    for known_answer, unknown_answer in zip(known, unknown, strict=True):
        assert known_answer.status_code == unknown_answer.status_code
        assert _page_text(known_answer) == _page_text(unknown_answer)


def test_wrong_codes_count_like_wrong_passwords(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    for _ in range(5):
        answer = olga.sign_in(code="000000")
        clock.shift(timedelta(seconds=20))
    assert answer.status_code == 429
    assert olga.sign_in().status_code == 429


def test_another_browser_at_the_same_address_is_locked_out_too(olga: Operator) -> None:
    olga.enroll_app()
    for number in range(5):
        olga.sign_in("wrong", headers={"User-Agent": f"browser {number}"})
    olga.browser = Client()
    assert olga.sign_in().status_code == 429


def test_failures_at_another_address_do_not_lock_out(olga: Operator, behind_a_proxy: None) -> None:
    olga.enroll_app()
    fail_sign_in(Operator(olga.user, Client()), 5, headers={"X-Forwarded-For": "198.51.100.7"})
    olga.sign_in(headers={"X-Forwarded-For": "203.0.113.9"})
    assert olga.is_in()


@pytest.mark.shows("security-39", "security-55")
def test_wrong_passwords_from_many_addresses_lock_new_browsers_and_no_known_one(
    olga: Operator, behind_a_proxy: None, clock: Any
) -> None:
    olga.enroll_app()
    olga.sign_in(headers={"X-Forwarded-For": "203.0.113.1"})
    assert olga.is_in()
    stranger = Operator(olga.user, Client())
    statuses = [
        stranger.sign_in("wrong", headers={"X-Forwarded-For": f"198.51.100.{number}"}).status_code
        for number in range(60)
    ]
    assert statuses == [200] * (NAME_FAILURES.count - 1) + [429] * (61 - NAME_FAILURES.count)
    clock.shift(timedelta(minutes=2))
    new_browser = Operator(olga.user, Client())
    locked = new_browser.sign_in(headers={"X-Forwarded-For": "203.0.113.2"})
    assert locked.status_code == 429
    assert locked["Retry-After"] == "3480"
    on_site_clock = timezone.now().astimezone(ZoneInfo("America/New_York")) + timedelta(minutes=58)
    ends = f"in 58 minutes, at {on_site_clock:%-I:%M %p} (America/New York time)"
    assert ends in " ".join(locked.content.decode().split())

    olga.browser.post("/admin/logout/")
    olga.sign_in(headers={"X-Forwarded-For": "203.0.113.3"})
    assert olga.is_in()
    assert new_browser.sign_in(headers={"X-Forwarded-For": "203.0.113.2"}).status_code == 429
    clock.shift(timedelta(minutes=58, seconds=1))
    new_browser.sign_in(headers={"X-Forwarded-For": "203.0.113.2"})
    assert new_browser.is_in()


@pytest.mark.shows("security-55")
def test_a_command_unlocks_a_name_that_failed_from_many_addresses(olga: Operator, behind_a_proxy: None) -> None:
    olga.enroll_app()
    for number in range(NAME_FAILURES.count):
        olga.sign_in("wrong", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    assert olga.sign_in().status_code == 429
    call_command("unlock_operator", "olga", stdout=StringIO())
    olga.sign_in()
    assert olga.is_in()


def test_a_command_unlocks_a_known_browser(olga: Operator, clock: Any, behind_a_proxy: None) -> None:
    olga.enroll_app()
    olga.sign_in()
    olga.browser.post("/admin/logout/")
    for number in range(NAME_FAILURES.count):
        olga.sign_in("wrong", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    clock.shift(timedelta(minutes=1))  # its second factor's code counts once
    assert olga.sign_in().status_code == 429
    call_command("unlock_operator", "olga", stdout=StringIO())
    olga.sign_in()
    assert olga.is_in()


@pytest.mark.shows("security-10")
def test_a_forged_forwarded_address_does_not_evade_the_lockout(olga: Operator, behind_a_proxy: None) -> None:
    olga.enroll_app()
    for number in range(5):
        olga.sign_in("wrong", headers={"X-Forwarded-For": f"10.0.0.{number}, 198.51.100.7"})
    assert olga.sign_in(headers={"X-Forwarded-For": "10.0.0.9, 198.51.100.7"}).status_code == 429


def test_an_ipv6_network_counts_as_one_address(olga: Operator) -> None:
    olga.enroll_app()
    for number in range(5):
        olga.sign_in("wrong", REMOTE_ADDR=f"2001:db8::{number + 1}")
    assert olga.sign_in(REMOTE_ADDR="2001:db8::99").status_code == 429
    assert AccessAttempt.objects.get().ip_address == "2001:db8::"


def test_wrong_passwords_after_sign_in_count_too(olga: Operator) -> None:
    olga.enroll_app()
    olga.sign_in()
    for _ in range(5):
        answer = olga.browser.post("/admin/second-factor/codes/", {"password": "wrong"})
    assert answer.status_code == 429


def test_signing_in_clears_earlier_failures(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    fail_sign_in(olga, 4)
    olga.sign_in()
    assert not AccessAttempt.objects.exists()


def test_a_command_unlocks_an_operator(olga: Operator) -> None:
    olga.enroll_app()
    for _ in range(3):
        olga.sign_in(code="000000")
    fail_sign_in(olga, 5)
    call_command("unlock_operator", "olga", stdout=StringIO())
    olga.sign_in()
    assert olga.is_in()


def test_a_superuser_unlocks_an_operator_in_the_admin(olga: Operator, petra: Operator, behind_a_proxy: None) -> None:
    petra.enroll_app()
    for number in range(NAME_FAILURES.count):
        petra.sign_in("wrong", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    assert petra.sign_in().status_code == 429
    olga.enroll_app()
    olga.sign_in()
    attempt = AccessAttempt.objects.filter(username="petra")[0]
    assert olga.browser.get("/admin/axes/accessattempt/").status_code == 200
    olga.browser.post(f"/admin/axes/accessattempt/{attempt.pk}/delete/", {"post": "yes"})
    petra.sign_in()
    assert petra.is_in()


def test_the_log_and_the_table_contain_no_secrets(olga: Operator, caplog: pytest.LogCaptureFixture) -> None:
    olga.enroll_app()
    olga.user.username = "olga\nforged line"
    with caplog.at_level(logging.INFO):
        olga.sign_in("a wrong secret", code="123456")
    stored = str(list(AccessAttempt.objects.values()))
    for text in (caplog.text, stored):
        assert "a wrong secret" not in text
        assert "123456" not in text
    assert "\nforged" not in caplog.text


def test_expired_attempts_and_sessions_are_deleted(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    fail_sign_in(olga, 1)
    tasks.forget()
    assert AccessAttempt.objects.count() == 1
    olga.sign_in(code=olga.code)
    session = olga.browser.session
    fail_sign_in(Operator(olga.user, Client()), 1)
    clock.shift(timedelta(minutes=31))
    tasks.forget()
    assert not AccessAttempt.objects.exists()
    assert not Session.objects.filter(pk=session.session_key).exists()


def test_a_name_whose_attempts_were_forgotten_is_unlocked_by_its_counter(
    olga: Operator, clock: Any, behind_a_proxy: None
) -> None:
    olga.enroll_app()
    for network in range(NAME_FAILURES.count):
        fail_sign_in(olga, 1, headers={"X-Forwarded-For": f"203.0.113.{network}"})
    clock.shift(timedelta(minutes=16))
    tasks.forget()
    assert not AccessAttempt.objects.exists()
    assert olga.sign_in().status_code == 429
    LimitCounter.objects.get(key=f"operator-failures:{olga.user.username}").delete()
    olga.sign_in()
    assert olga.is_in()
