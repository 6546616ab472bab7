"""Trying a code (contract, rule 13; security, rows 4 to 7, 9, 13 and 15)."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts import hooks
from accounts.models import Account, AccountEvent, LoginChallenge, SessionToken, SignInEvent
from accounts.tests.conftest import Receivers
from accounts.tests.door import Door, challenge_of, other_than, post, shape

pytestmark = pytest.mark.django_db


def test_the_right_code_gives_a_token(ava: Account, door: Door, clock: time_machine.Traveller) -> None:
    challenge = door.ask().json()["challengeId"]
    answer = door.attempt(door.read_code(), challengeId=challenge)
    assert answer.status_code == 200
    assert answer.json()["token"].startswith("ssp_")
    assert answer.json()["expiresAt"] == "2026-05-18T12:00:00Z"
    assert answer.json()["account"] == {"name": "Ava Stone", "email": "ava@example.com"}


def test_it_takes_snake_case_and_spaces_around_the_code(ava: Account, door: Door) -> None:
    challenge = door.ask().json()["challengeId"]
    assert door.attempt(f" {door.read_code()} ", challenge_id=challenge).status_code == 200


def test_it_refuses_a_wrong_code(ava: Account, door: Door) -> None:
    challenge = door.ask().json()["challengeId"]
    answer = door.attempt(other_than(door.read_code()), challengeId=challenge)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_otp")
    assert answer.json()["fields"] is None
    assert not SessionToken.objects.exists()


def test_it_answers_alike_for_an_unknown_address(ava: Account, door: Door) -> None:
    of_ava = door.ask("ava@example.com").json()["challengeId"]
    of_nobody = door.ask("eve@example.com").json()["challengeId"]
    wrong = other_than(door.read_code())
    with CaptureQueriesContext(connection) as on_known:
        known = door.attempt(wrong, "ava@example.com", challengeId=of_ava)
    with CaptureQueriesContext(connection) as on_unknown:
        unknown = door.attempt(wrong, "eve@example.com", challengeId=of_nobody)
    assert shape(on_known) == shape(on_unknown)
    assert known.status_code == unknown.status_code == 400
    assert {**known.json(), "requestId": ""} == {**unknown.json(), "requestId": ""}


@pytest.mark.parametrize(
    "otp",
    [
        "",
        "12345",
        "1234567",
        "abcdef",
        "\uff11\uff12\uff13\uff14\uff15\uff16",
        "1" * 10_000,
        None,
        {},
        ["123456"],
        123456,
    ],
)
def test_it_refuses_what_is_not_six_digits_without_counting_a_try(ava: Account, door: Door, otp: Any) -> None:
    challenge = door.ask()
    answer = door.attempt(otp, challengeId=challenge.json()["challengeId"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")
    assert list(answer.json()["fields"]) == ["otp"]
    assert challenge_of(challenge).tries == 0


@pytest.mark.parametrize("challenge", ["not-a-uuid", "", False, 0, []])
def test_it_refuses_a_challenge_id_that_is_none(ava: Account, door: Door, challenge: Any) -> None:
    answer = door.attempt("123456", challengeId=challenge)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["challengeId"])


def test_it_accepts_the_code_until_just_before_ten_minutes(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    clock.shift(599)
    assert door.attempt(code, challengeId=challenge).status_code == 200


def test_it_refuses_the_code_after_ten_minutes(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    clock.shift(601)
    assert door.attempt(code, challengeId=challenge).json()["code"] == "invalid_otp"


def test_it_refuses_a_second_use(ava: Account, door: Door) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    door.attempt(code, challengeId=challenge)
    again = door.attempt(code, challengeId=challenge)
    assert (again.status_code, again.json()["code"]) == (400, "invalid_otp")
    assert SessionToken.objects.count() == 1


def test_a_code_holds_for_its_own_challenge_only(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    door.ask()
    code = door.read_code()
    clock.shift(31)
    second = door.ask().json()["challengeId"]
    post()
    assert door.attempt(code, challengeId=second).status_code == 400


def test_a_code_holds_for_its_own_address_only(ava: Account, door: Door) -> None:
    Account.objects.open(email="eve@example.com")
    challenge = door.ask("ava@example.com").json()["challengeId"]
    assert door.attempt(door.read_code(), "eve@example.com", challengeId=challenge).status_code == 400


def test_without_a_challenge_the_newest_counts(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    door.ask()
    older = door.read_code()
    clock.shift(31)
    door.ask()
    newer = door.read_code()
    assert door.attempt(older).status_code == 400
    assert door.attempt(newer).status_code == 200


def test_the_earlier_code_still_works_in_the_browser_that_asked_for_it(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    first = door.ask().json()["challengeId"]
    code = door.read_code()
    clock.shift(31)
    Door().ask()
    post()
    assert door.attempt(code, challengeId=first).status_code == 200


def test_a_replaced_code_is_refused(ava: Account, door: Door, clock: time_machine.Traveller) -> None:
    first = door.ask().json()["challengeId"]
    code = door.read_code()
    clock.shift(31)
    door.ask(challengeId=first)
    assert door.attempt(code, challengeId=first).json()["code"] == "invalid_otp"


@pytest.mark.parametrize("named", [True, False], ids=["with the challenge", "without it"])
def test_the_sixth_try_is_refused_even_if_right(
    ava: Account, door: Door, clock: time_machine.Traveller, named: bool
) -> None:
    extra = {True: {"challengeId": door.ask().json()["challengeId"]}, False: {}}[named]
    code = door.read_code()
    wrong = [door.attempt(other_than(code), **extra).status_code for _ in range(5)]
    sixth = door.attempt(code, **extra)
    assert wrong == [400] * 5
    assert (sixth.status_code, sixth.json()["code"]) == (429, "throttled")
    assert sixth["Retry-After"] == "600"


def test_a_stranger_cannot_use_up_the_tries_of_the_browser_that_asked(ava: Account, door: Door) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    stranger = Door()
    statuses = [stranger.attempt(other_than(code)).status_code for _ in range(30)]
    statuses += [stranger.attempt(code, challengeId=str(uuid.uuid4())).status_code for _ in range(30)]
    assert statuses[-1] == 429
    assert door.attempt(code, challengeId=challenge).status_code == 200


def test_it_refuses_an_account_that_was_switched_off_meanwhile(ava: Account, door: Door) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    ava.user.is_active = False
    ava.user.save()
    assert door.attempt(code, challengeId=challenge).json()["code"] == "invalid_otp"


def test_every_sign_in_gives_a_new_token(ava: Account, door: Door, clock: time_machine.Traveller) -> None:
    first = door.sign_in()
    clock.shift(31)
    assert door.sign_in() != first


def test_nobody_becomes_more_than_a_subscriber_by_asking_for_it(ava: Account, door: Door) -> None:
    door.ask()
    extra: dict[str, Any] = {
        "isStaff": True,
        "is_superuser": True,
        "account": {"email": "eve@example.com"},
        "userId": 1,
    }
    assert door.attempt(door.read_code(), **extra).json()["account"]["email"] == "ava@example.com"
    ava.user.refresh_from_db()
    assert (ava.user.is_staff, ava.user.is_superuser, ava.email) == (False, False, "ava@example.com")


def test_a_bad_token_does_not_hinder_signing_in(ava: Account, door: Door) -> None:
    door.carry("ssp_planted_before_signing_in")
    assert door.sign_in() != "ssp_planted_before_signing_in"


def test_each_end_leaves_an_event_without_the_code(ava: Account, door: Door) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    door.attempt(other_than(code), challengeId=challenge)
    door.attempt(code, challengeId=challenge)
    door.ask()
    kinds = SignInEvent.objects.order_by("pk").values_list("kind", "account__email")
    assert list(kinds) == [(kind, "ava@example.com") for kind in ("sent", "failed", "ok", "limited")]
    assert code not in str(list(SignInEvent.objects.values("email", "network", "agent")))


@pytest.mark.django_db(transaction=True)
def test_it_tells_the_receivers_after_the_sign_in(ava: Account, door: Door, receivers: Receivers) -> None:
    told: list[Account] = []

    def receiver(account: Account, **_: Any) -> None:
        told.append(account)

    receivers.connect(hooks.signed_in, receiver)
    door.sign_in()
    assert told == [ava]


@pytest.mark.django_db(transaction=True)
def test_a_receiver_that_fails_hinders_nobody(ava: Account, door: Door, receivers: Receivers) -> None:
    def receiver(account: Account, **_: Any) -> None:
        raise RuntimeError("not today")

    receivers.connect(hooks.signed_in, receiver)
    assert door.sign_in().startswith("ssp_")


def test_a_new_browser_is_told_about(ava: Account, door: Door, clock: time_machine.Traveller) -> None:
    door.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/150.0")
    door.sign_in()
    clock.shift(31)
    other = Door()
    other.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (Macintosh) Safari/26.1")
    other.sign_in()
    post()
    assert mail.outbox[-1].subject == "New sign-in to your account"
    assert "May 4, 2026, 8:00 AM (America/New York)" in str(mail.outbox[-1].body)
    assert AccountEvent.objects.get().text == "Signed in with a new browser."


def test_the_first_browser_and_a_new_version_of_it_are_no_news(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    door.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/150.0")
    door.sign_in()
    clock.shift(31)
    later = Door()
    later.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/151.0.1")
    later.sign_in()
    post()
    assert [message.subject for message in mail.outbox] == ["Your sign-in code"] * 2
    assert LoginChallenge.objects.filter(used_at=None).count() == 0


@pytest.mark.parametrize(
    ("first", "later", "is_news"),
    [
        ("203.0.113.7", "203.0.99.250", False),
        ("203.0.113.7", "198.51.100.7", True),
        ("2001:db8:1::1", "2001:db8:ffff::9", False),
        ("2001:db8:1::1", "2001:db9::1", True),
        ("203.0.113.7", "2001:db8::1", True),
    ],
)
def test_a_new_network_is_told_about(
    ava: Account, clock: time_machine.Traveller, first: str, later: str, is_news: bool
) -> None:
    for address in (first, later):
        door = Door(api=APIClient(REMOTE_ADDR=address))
        door.sign_in()
        clock.shift(31)
    post()
    news = [message for message in mail.outbox if message.subject == "New sign-in to your account"]
    assert len(news) == is_news
    assert all(f"Network address: {later}" in str(message.body) for message in news)
    told = [event.text for event in AccountEvent.objects.all()]
    assert told == ["Signed in from a new network."] * is_news


def test_neither_code_nor_token_is_logged(ava: Account, door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    door.attempt(other_than(code), challengeId=challenge)
    token = door.attempt(code, challengeId=challenge).json()["token"]
    door.carry(token)
    door.api.post("/api/auth/logout")
    assert code not in caplog.text
    assert token not in caplog.text
