"""The second factor of operators: required for every admin page, enrollment, recovery and reset."""

from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from operators.models import Authenticator
from operators.tests.conftest import PASSWORD, Operator

PAGE = "/admin/second-factor/"
WRONG = "That isn&#x27;t right."


def enrollment_code(operator: Operator) -> str:
    printed = StringIO()
    call_command("reset_second_factor", operator.user.get_username(), stdout=printed, stderr=StringIO())
    return printed.getvalue().strip()


def offered_key(operator: Operator) -> str:
    """Open the enrollment page and return the offered key, which is in the session."""
    operator.browser.get(PAGE)
    key: str = operator.browser.session["second_factor_key"]
    return key


def recovery_codes(answer: Any) -> list[str]:
    return re.findall(r"<li><code>([a-z2-7-]{19})</code></li>", answer.content.decode())


@pytest.mark.shows("security-39")
def test_no_page_opens_with_a_password_alone(olga: Operator) -> None:
    olga.enroll_app()
    olga.browser.force_login(olga.user)
    for model in admin.site._registry:
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        assert olga.browser.get(address)["Location"].startswith("/admin/login/")
    assert not olga.is_in()
    assert olga.browser.get(PAGE).status_code == 302


def test_a_password_and_a_code_sign_in(olga: Operator) -> None:
    olga.enroll_app()
    assert olga.sign_in()["Location"] == "/admin/"
    assert olga.is_in()


@pytest.mark.parametrize(("password", "code"), [("wrong", None), (PASSWORD, "000000"), (PASSWORD, ""), ("wrong", "")])
def test_the_error_does_not_say_which_part_was_wrong(olga: Operator, password: str, code: str | None) -> None:
    olga.enroll_app()
    answer = olga.sign_in(password, code)
    assert answer.status_code == 200
    assert not olga.is_in()
    if code != "":  # for an empty field, Django shows its own error
        assert WRONG in answer.content.decode()


def test_a_code_works_once(olga: Operator) -> None:
    olga.enroll_app()
    code = olga.code
    olga.sign_in(code=code)
    olga.browser = Client()
    olga.sign_in(code=code)
    assert not olga.is_in()


def test_the_code_of_another_operator_is_refused(olga: Operator, petra: Operator) -> None:
    olga.enroll_app()
    petra.enroll_app()
    olga.sign_in(code=petra.code)
    assert not olga.is_in()


def test_each_wrong_code_lengthens_the_wait(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    for wrong in ("000000", "000001"):
        olga.sign_in(code=wrong)
    olga.sign_in()
    assert not olga.is_in()
    clock.shift(timedelta(seconds=2))
    olga.sign_in()
    assert olga.is_in()


def test_a_recovery_code_works_once_in_any_spelling(olga: Operator) -> None:
    code = olga.enroll_app()[0]
    olga.sign_in(code=code.upper().replace("-", " "))
    assert olga.is_in()
    olga.browser = Client()
    olga.sign_in(code=code)
    assert not olga.is_in()


def test_the_database_alone_does_not_reveal_codes_or_keys(olga: Operator, settings: Any) -> None:
    codes = olga.enroll_app()
    assert not set(StaticToken.objects.values_list("token", flat=True)) & {code.replace("-", "") for code in codes}
    app = Authenticator.objects.get()
    original_key = app.bin_key
    assert TOTPDevice.objects.get().bin_key != original_key
    settings.OTP_PEPPER = "another"
    assert app.bin_key != original_key


def test_the_first_operator_enrolls_with_a_code_from_the_command(olga: Operator) -> None:
    olga.sign_in(code=enrollment_code(olga))
    assert olga.browser.get("/admin/")["Location"] == PAGE
    assert olga.browser.get("/admin/accounts/user/")["Location"] == PAGE

    olga.key = offered_key(olga)
    codes = recovery_codes(olga.browser.post(PAGE, {"code": olga.code, "password": PASSWORD}))

    assert len(set(codes)) == 10
    assert olga.is_in()
    assert "shown only now" not in olga.browser.get(PAGE).content.decode()
    assert LogEntry.objects.get().change_message == "Enrolled a second factor."
    olga.browser = Client()
    olga.sign_in(code=codes[3])
    assert olga.is_in()


def test_an_enrollment_code_works_once_and_for_a_day(olga: Operator, clock: Any) -> None:
    code = enrollment_code(olga)
    clock.shift(timedelta(hours=24))
    olga.sign_in(code=code)
    assert olga.browser.get(PAGE).status_code == 302
    code = enrollment_code(olga)
    olga.sign_in(code=code)
    assert olga.browser.get(PAGE).status_code == 200
    olga.browser = Client()
    olga.sign_in(code=code)
    assert olga.browser.get(PAGE).status_code == 302


def test_an_operator_signed_in_to_enroll_can_sign_out(olga: Operator) -> None:
    olga.sign_in(code=enrollment_code(olga))
    assert olga.browser.post("/admin/logout/").status_code == 200
    assert olga.browser.get(PAGE).status_code == 302


@pytest.mark.parametrize(("code", "password"), [("000000", PASSWORD), (None, "wrong")])
def test_enrollment_requires_the_password_and_a_code(olga: Operator, code: str | None, password: str) -> None:
    olga.enroll_app()
    olga.sign_in()
    enrolled = Authenticator.objects.get()
    olga.key = offered_key(olga)
    answer = olga.browser.post(PAGE, {"code": code or olga.code, "password": password})
    assert "errorlist" in answer.content.decode()
    assert Authenticator.objects.get() == enrolled
    assert olga.is_in()


def test_a_new_app_ends_other_sessions(olga: Operator, clock: Any) -> None:
    olga.enroll_app()
    olga.sign_in()
    clock.shift(timedelta(seconds=60))
    elsewhere = Operator(olga.user, Client())
    elsewhere.sign_in()
    assert elsewhere.is_in()
    before = olga.browser.session.session_key

    olga.key = offered_key(olga)
    olga.browser.post(PAGE, {"code": olga.code, "password": PASSWORD})

    assert olga.is_in()
    assert not elsewhere.is_in()
    assert olga.browser.session.session_key != before


def test_the_qr_code_is_served_by_the_portal(olga: Operator) -> None:
    olga.enroll_app()
    olga.sign_in()
    page = olga.browser.get(PAGE)
    assert '<img src="/admin/second-factor/qr.svg"' in page.content.decode()
    drawn = olga.browser.get("/admin/second-factor/qr.svg")
    assert drawn["Content-Type"] == "image/svg+xml"
    assert "no-store" in drawn["Cache-Control"]
    assert "no-store" in page["Cache-Control"]
    assert not re.search(rb"<script|<style|style=|href", drawn.content)


def test_new_recovery_codes_replace_the_old_ones(olga: Operator, clock: Any) -> None:
    old = olga.enroll_app()
    olga.sign_in()
    refused = olga.browser.post("/admin/second-factor/codes/", {"password": "wrong"})
    assert "your password." in refused.content.decode()
    new = recovery_codes(olga.browser.post("/admin/second-factor/codes/", {"password": PASSWORD}))
    assert len(new) == 10
    for code, enters in ((old[0], False), (new[0], True)):
        olga.browser = Client()
        olga.sign_in(code=code)
        assert olga.is_in() is enters
        clock.shift(timedelta(seconds=2))


def test_a_superuser_resets_the_second_factor_of_another_operator(olga: Operator, petra: Operator) -> None:
    olga.enroll_app()
    petra.enroll_app()
    petra.sign_in()
    olga.sign_in()
    address = f"{PAGE}{petra.user.pk}/"
    assert address in olga.browser.get(f"/admin/accounts/user/{petra.user.pk}/change/").content.decode()
    assert olga.browser.get(address).status_code == 200
    assert petra.is_in()

    (code,) = recovery_codes(olga.browser.post(address, {"password": PASSWORD}))

    assert not petra.is_in()
    assert LogEntry.objects.get().object_id == str(petra.user.pk)
    petra.sign_in(code=code)
    assert petra.browser.get("/admin/")["Location"] == PAGE


def test_only_a_superuser_can_reset_a_second_factor(olga: Operator, petra: Operator) -> None:
    olga.enroll_app()
    petra.enroll_app()
    petra.sign_in()
    assert petra.browser.post(f"{PAGE}{olga.user.pk}/", {"password": PASSWORD}).status_code == 403
    assert Authenticator.objects.filter(user=olga.user).exists()


def test_no_page_shows_a_key_or_adds_a_device(olga: Operator) -> None:
    assert not admin.site.is_registered(TOTPDevice)
    olga.enroll_app()
    olga.sign_in()
    listed = olga.browser.get("/admin/operators/authenticator/")
    shown = olga.browser.get(f"/admin/operators/authenticator/{Authenticator.objects.get().pk}/change/")
    for answer in (listed, shown):
        assert answer.status_code == 200
        assert olga.key not in answer.content.decode()
    assert olga.browser.get("/admin/operators/authenticator/add/").status_code == 403


def test_the_commands_refuse_an_unknown_operator(db: None) -> None:
    for command in ("reset_second_factor", "unlock_operator"):
        with pytest.raises(CommandError, match="There is no operator named nobody"):
            call_command(command, "nobody")


@pytest.mark.django_db
def test_the_demo_asks_only_for_a_password(client: Client, django_user_model: Any) -> None:
    django_user_model.objects.create_superuser("admin", password="admin")
    assert 'name="code"' not in client.get("/admin/login/").content.decode()
    assert client.post("/admin/login/", {"username": "admin", "password": "admin"}).status_code == 302
    page = client.get("/admin/")
    assert page.status_code == 200
    assert PAGE not in page.content.decode()
    assert client.get(PAGE).status_code == 404
