"""An operator's session: new at each sign-in, expired after half an hour of inactivity, ended by signing out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session

from operators.tests.conftest import PASSWORD, Operator


def test_signing_in_starts_a_new_session(olga: Operator) -> None:
    olga.enroll_app()
    planted = olga.browser.session
    planted["mark"] = "of somebody else"
    planted.save()
    olga.browser.cookies["operator"] = str(planted.session_key)
    olga.sign_in()
    assert olga.is_in()
    assert olga.browser.cookies["operator"].value != planted.session_key
    assert not Session.objects.filter(pk=planted.session_key).exists()


@pytest.mark.shows("security-39")
def test_it_expires_after_half_an_hour_of_inactivity(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    olga.sign_in()
    for _ in range(3):
        clock.shift(timedelta(minutes=29))
        assert olga.is_in()
    clock.shift(timedelta(minutes=31))
    assert not olga.is_in()


@pytest.mark.shows("security-39")
def test_it_ends_twelve_hours_after_the_sign_in_however_busy_it_is(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    olga.sign_in()
    for _ in range(36):
        clock.shift(timedelta(minutes=20) - timedelta(seconds=1))
        assert olga.is_in()
    clock.shift(timedelta(minutes=1))
    page = olga.browser.get("/admin/", follow=True)
    assert page.redirect_chain == [("/admin/login/?next=/admin/", 302)]
    assert "signed in as" not in page.content.decode()
    olga.sign_in()
    assert olga.is_in()


def test_signing_out_ends_it_on_the_server(olga: Operator) -> None:
    olga.enroll_app()
    olga.sign_in()
    old_cookie = olga.browser.cookies["operator"].value
    olga.browser.post("/admin/logout/")
    olga.browser.cookies["operator"] = old_cookie
    assert not olga.is_in()


def test_a_new_password_ends_existing_sessions(olga: Operator) -> None:
    olga.enroll_app()
    olga.sign_in()
    olga.user.set_password(f"{PASSWORD}, again")
    olga.user.save()
    assert not olga.is_in()


def test_its_cookie_is_http_only_and_same_site_strict(olga: Operator) -> None:
    olga.enroll_app()
    olga.sign_in()
    cookie = olga.browser.cookies["operator"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/"
    assert not cookie["domain"]
