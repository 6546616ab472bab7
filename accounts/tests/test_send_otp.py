"""Asking for a code (contract, rule 13; security, rows 1 to 3, 8 and 12)."""

from __future__ import annotations

import re
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import hooks
from accounts.codes import hash_code, new_code
from accounts.models import Account, Brand, LoginChallenge, OutgoingMail, SignInEvent
from accounts.tests.conftest import Receivers
from accounts.tests.door import CODE, Door, challenge_of, only_mail, post, shape

pytestmark = pytest.mark.django_db


def test_it_answers_with_what_the_screen_needs(ava: Account, door: Door) -> None:
    answer = door.ask()
    assert answer.status_code == 200
    assert answer.json() == {
        "message": "If an account has this address, a code is on its way. It can take a minute to arrive.",
        "expiresIn": 600,
        "resendIn": 30,
        "challengeId": str(LoginChallenge.objects.get().pk),
    }


def test_it_does_the_same_for_an_unknown_address(ava: Account, door: Door) -> None:
    with CaptureQueriesContext(connection) as known:
        of_ava = door.ask("ava@example.com")
    with CaptureQueriesContext(connection) as unknown:
        of_nobody = door.ask("eve@example.com")
    assert shape(known) == shape(unknown)
    assert of_ava.status_code == of_nobody.status_code
    assert {**of_ava.json(), "challengeId": ""} == {**of_nobody.json(), "challengeId": ""}
    assert set(of_ava.headers) == set(of_nobody.headers)


def test_it_mails_six_digits_to_a_known_address(ava: Account, door: Door) -> None:
    door.ask()
    post()
    assert mail.outbox[0].to == ["ava@example.com"]
    assert len(set(CODE.findall(str(mail.outbox[0].message())))) == 1


def test_it_sends_no_mail_to_an_address_unknown_everywhere(door: Door) -> None:
    door.ask("eve@example.com")
    post()
    assert mail.outbox == []
    assert only_mail().state == OutgoingMail.State.DROPPED
    assert not Account.objects.exists()


def test_it_sends_no_mail_to_an_account_that_is_switched_off(ava: Account, door: Door) -> None:
    ava.user.is_active = False
    ava.user.save()
    door.ask()
    post()
    assert mail.outbox == []


def test_it_imports_an_address_that_a_receiver_knows(door: Door, receivers: Receivers) -> None:
    def provider(email: str, **_: Any) -> Account:
        return Account.objects.open(email=email, first_name="Ben")

    receivers.connect(hooks.finding_account, provider)
    door.ask("ben@example.com")
    assert door.attempt(door.read_code(), "ben@example.com").json()["account"]["name"] == "Ben"


def test_it_asks_no_receiver_about_a_known_address(ava: Account, door: Door, receivers: Receivers) -> None:
    asked: list[str] = []

    def provider(email: str, **_: Any) -> None:
        asked.append(email)

    receivers.connect(hooks.finding_account, provider)
    door.ask("ava@example.com")
    post()
    assert asked == []


def test_it_tries_again_when_the_look_up_fails(
    door: Door, clock: time_machine.Traveller, receivers: Receivers
) -> None:
    def away(email: str, **_: Any) -> Account:
        raise ConnectionError("the provider is away")

    receivers.connect(hooks.finding_account, away)
    door.ask("ben@example.com")
    post()
    assert only_mail().last_error.startswith("ConnectionError")
    hooks.finding_account.disconnect(away)
    Account.objects.open(email="ben@example.com")
    clock.shift(60)
    assert door.attempt(door.read_code(), "ben@example.com").status_code == 200


def test_it_keeps_no_code_in_the_database(ava: Account, door: Door) -> None:
    answer = door.ask()
    code = door.read_code()
    challenge_code = challenge_of(answer).code_hash
    assert only_mail().context == {}
    assert challenge_code.startswith("scrypt$")
    everything = [
        str(row) for model in (LoginChallenge, OutgoingMail, SignInEvent) for row in model.objects.values()
    ]
    assert not re.search(rf"\b{code}\b", re.sub(r"scrypt\S*|datetime\([^)]*\)", "", " ".join(everything)))


def test_it_hashes_the_same_code_differently_each_time(ava: Account) -> None:
    assert hash_code("012345", challenge="a") != hash_code("012345", challenge="a")


def test_it_keeps_leading_zeros() -> None:
    codes = [new_code() for _ in range(500)]
    assert all(re.fullmatch("[0-9]{6}", code) for code in codes)
    assert any(code.startswith("0") for code in codes)


@pytest.mark.parametrize(
    "email",
    [
        "",
        "ava",
        "ava@example.com\r\nBcc: eve@example.com",
        "ava@example.com\n",
        "ava@exam\x00ple.com",
        "\u0430va@example.com",  # a Cyrillic letter that looks like an a
        "ava@example\uff0ecom",  # a full-width stop
        f"{'a' * 250}@example.com",
        12,
        None,
        ["ava@example.com"],
        {"address": "ava@example.com"},
    ],
)
def test_it_refuses_what_is_not_an_address(door: Door, email: Any) -> None:
    answer = door.ask(email)
    assert answer.status_code == 400
    assert answer.json()["code"] == "validation_error"
    assert list(answer.json()["fields"]) == ["email"]
    assert not LoginChallenge.objects.exists()


def test_it_folds_case_and_ignores_spaces_around(ava: Account, door: Door) -> None:
    answer = door.ask("  Ava@Example.COM ")
    assert challenge_of(answer).email == "ava@example.com"
    assert door.attempt(door.read_code(), "AVA@example.com").status_code == 200


def test_a_resend_replaces_only_its_own_challenge(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    first = door.ask()
    clock.shift(31)
    other_browser = Door().ask()
    clock.shift(31)
    door.ask(challengeId=first.json()["challengeId"])
    assert challenge_of(first).lapsed_at is not None
    assert challenge_of(other_browser).lapsed_at is None


def test_a_resend_cannot_replace_the_challenge_of_another_address(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    of_ava = door.ask()
    door.ask("eve@example.com", challengeId=of_ava.json()["challengeId"])
    assert challenge_of(of_ava).lapsed_at is None


def test_the_oldest_lapses_when_a_fourth_is_asked_for(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    asked = []
    for _ in range(4):
        asked.append(door.ask())
        clock.shift(31)
    assert [challenge_of(answer).lapsed_at is not None for answer in asked] == [True, False, False, False]


def test_a_stranger_who_keeps_asking_pushes_out_their_own_challenges_first(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    mine = door.ask()
    stranger = Door()
    for _ in range(4):
        clock.shift(31)
        stranger.api.post("/api/auth/send-otp", {"email": "ava@example.com"}, REMOTE_ADDR="203.0.113.9")
    assert challenge_of(mine).lapsed_at is None


def test_the_mail_wears_the_brand_of_the_host_name(ava: Account, door: Door) -> None:
    Brand.objects.create(code="gospel-TV", name="Gospel TV", host_names=["gospel.localhost"])
    door.api.post("/api/auth/send-otp", {"email": "ava@example.com"}, HTTP_HOST="gospel.localhost:8000")
    post()
    assert mail.outbox[0].subject == "Your sign-in code for Gospel TV"


def test_a_code_that_could_not_be_sent_in_time_is_dropped(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    door.ask()
    clock.shift(601)
    post()
    assert mail.outbox == []
    assert only_mail().state == OutgoingMail.State.DROPPED


def test_it_notes_that_a_code_was_sent(ava: Account, door: Door) -> None:
    door.api.credentials(HTTP_USER_AGENT="Browser/1")
    door.ask()
    post()
    event = SignInEvent.objects.get()
    assert (event.kind, event.account, event.network, event.agent) == ("sent", ava, "127.0.0.1", "Browser/1")
