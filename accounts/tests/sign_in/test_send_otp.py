"""Requesting a code."""

from __future__ import annotations

import re
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import signals
from accounts.models import Account, Brand, LoginChallenge, OutgoingMail, SignInEvent
from accounts.sign_in.otp import hash_code, new_code
from accounts.tests.conftest import SignalReceivers
from accounts.tests.sign_in.sign_in_client import (
    CODE_PATTERN,
    SignInClient,
    challenge_from_answer,
    only_queued_mail,
    query_shapes,
    send_due_mail,
)

pytestmark = pytest.mark.django_db


@pytest.mark.shows("api-1")
def test_it_returns_what_the_screen_needs(ava: Account, sign_in_client: SignInClient) -> None:
    answer = sign_in_client.request_code()
    assert answer.status_code == 200
    assert answer.json() == {
        "message": "If an account has this address, a code is on its way. It can take a minute.",
        "expiresIn": 600,
        "resendIn": 30,
        "challengeId": str(LoginChallenge.objects.get().pk),
    }


def test_it_does_the_same_for_an_unknown_address(ava: Account, sign_in_client: SignInClient) -> None:
    with CaptureQueriesContext(connection) as known:
        of_ava = sign_in_client.request_code("ava@example.com")
    with CaptureQueriesContext(connection) as unknown:
        of_nobody = sign_in_client.request_code("eve@example.com")
    assert query_shapes(known) == query_shapes(unknown)
    assert of_ava.status_code == of_nobody.status_code
    assert {**of_ava.json(), "challengeId": ""} == {**of_nobody.json(), "challengeId": ""}
    assert set(of_ava.headers) == set(of_nobody.headers)


@pytest.mark.shows("security-2")
def test_it_mails_six_digits_to_a_known_address(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.request_code()
    send_due_mail()
    assert mail.outbox[0].to == ["ava@example.com"]
    assert len(set(CODE_PATTERN.findall(str(mail.outbox[0].message())))) == 1


def test_it_sends_no_mail_to_an_unknown_address(sign_in_client: SignInClient) -> None:
    sign_in_client.request_code("eve@example.com")
    send_due_mail()
    assert mail.outbox == []
    assert only_queued_mail().state == OutgoingMail.State.DROPPED
    assert not Account.objects.exists()


def test_it_sends_no_mail_to_a_deactivated_account(ava: Account, sign_in_client: SignInClient) -> None:
    ava.user.is_active = False
    ava.user.save()
    sign_in_client.request_code()
    send_due_mail()
    assert mail.outbox == []


@pytest.mark.shows("rule-13")
def test_it_imports_an_address_that_a_receiver_knows(sign_in_client: SignInClient, receivers: SignalReceivers) -> None:
    ben = Account.objects.open_account(email="ben@example.com", first_name="Ben")

    def import_account(email: str, **_: Any) -> Account:
        return ben

    receivers.add_receiver(signals.address_entered, import_account)
    sign_in_client.request_code("ben@example.com")
    assert sign_in_client.submit_code(sign_in_client.read_code(), "ben@example.com").json()["account"]["name"] == "Ben"


@pytest.mark.shows("rule-13", "rule-18")
def test_it_asks_the_receivers_for_a_known_address_too_and_as_it_was_typed(
    ava: Account, sign_in_client: SignInClient, receivers: SignalReceivers
) -> None:
    asked: list[tuple[str, str]] = []

    def disown_address(email: str, typed_email: str, **_: Any) -> None:
        asked.append((email, typed_email))

    receivers.add_receiver(signals.address_entered, disown_address)
    sign_in_client.request_code(" Ava@Example.com")
    send_due_mail()
    assert asked == [("ava@example.com", "Ava@Example.com")]
    assert mail.outbox == []


def test_it_retries_when_the_lookup_fails(
    sign_in_client: SignInClient, clock: time_machine.Traveller, receivers: SignalReceivers
) -> None:
    def fail_lookup(email: str, **_: Any) -> Account:
        raise ConnectionError("the provider is away")

    receivers.add_receiver(signals.address_entered, fail_lookup)
    sign_in_client.request_code("ben@example.com")
    send_due_mail()
    assert only_queued_mail().last_error.startswith("ConnectionError")
    signals.address_entered.disconnect(fail_lookup)
    Account.objects.open_account(email="ben@example.com")
    clock.shift(60)
    assert sign_in_client.submit_code(sign_in_client.read_code(), "ben@example.com").status_code == 200


@pytest.mark.shows("security-3")
def test_it_stores_no_code_in_the_database(ava: Account, sign_in_client: SignInClient) -> None:
    answer = sign_in_client.request_code()
    code = sign_in_client.read_code()
    challenge_code = challenge_from_answer(answer).code_hash
    assert only_queued_mail().context == {}
    assert challenge_code.startswith("scrypt$")
    everything = [str(row) for model in (LoginChallenge, OutgoingMail, SignInEvent) for row in model.objects.values()]
    assert not re.search(rf"\b{code}\b", re.sub(r"scrypt\S*|datetime\([^)]*\)", "", " ".join(everything)))


@pytest.mark.shows("security-3")
def test_it_hashes_the_same_code_differently_each_time(ava: Account) -> None:
    assert hash_code("012345", challenge="a") != hash_code("012345", challenge="a")


@pytest.mark.shows("security-2")
def test_it_keeps_leading_zeros() -> None:
    codes = [new_code() for _ in range(500)]
    assert all(re.fullmatch("[0-9]{6}", code) for code in codes)
    assert any(code.startswith("0") for code in codes)


@pytest.mark.shows("security-12")
@pytest.mark.parametrize(
    "email",
    [
        "",
        "ava",
        "ava@example.com\r\nBcc: eve@example.com",
        "ava@example.com\n",
        "ava@exam\x00ple.com",
        '"ava"@example.com',  # names the same mailbox
        "\u0430va@example.com",  # a Cyrillic letter that looks like "a"
        "ava@example\uff0ecom",  # a full-width stop
        f"{'a' * 250}@example.com",
        12,
        None,
        ["ava@example.com"],
        {"address": "ava@example.com"},
    ],
)
def test_it_refuses_an_invalid_address(sign_in_client: SignInClient, email: Any) -> None:
    answer = sign_in_client.request_code(email)
    assert answer.status_code == 400
    assert answer.json()["code"] == "validation_error"
    assert list(answer.json()["fields"]) == ["email"]
    assert not LoginChallenge.objects.exists()


@pytest.mark.shows("security-12")
def test_it_ignores_case_and_surrounding_spaces(ava: Account, sign_in_client: SignInClient) -> None:
    answer = sign_in_client.request_code("  Ava@Example.COM ")
    assert challenge_from_answer(answer).email == "ava@example.com"
    assert sign_in_client.submit_code(sign_in_client.read_code(), "AVA@example.com").status_code == 200


def test_a_resend_replaces_only_its_own_challenge(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    first = sign_in_client.request_code()
    clock.shift(31)
    other_browser = SignInClient().request_code()
    clock.shift(31)
    sign_in_client.request_code(challengeId=first.json()["challengeId"])
    assert challenge_from_answer(first).lapsed_at is not None
    assert challenge_from_answer(other_browser).lapsed_at is None


def test_a_resend_cannot_replace_the_challenge_of_another_address(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    of_ava = sign_in_client.request_code()
    sign_in_client.request_code("eve@example.com", challengeId=of_ava.json()["challengeId"])
    assert challenge_from_answer(of_ava).lapsed_at is None


@pytest.mark.shows("rule-13")
def test_a_fourth_challenge_replaces_the_oldest(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    answers = []
    for _ in range(4):
        answers.append(sign_in_client.request_code())
        clock.shift(31)
    assert [challenge_from_answer(answer).lapsed_at is not None for answer in answers] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.shows("security-9")
def test_repeated_requests_of_a_stranger_replace_only_their_own_challenges(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    own_challenge = sign_in_client.request_code()
    stranger = SignInClient()
    for _ in range(4):
        clock.shift(31)
        stranger.api.post("/api/auth/send-otp", {"email": "ava@example.com"}, REMOTE_ADDR="203.0.113.9")
    assert challenge_from_answer(own_challenge).lapsed_at is None


def test_the_mail_has_the_brand_of_the_host_name(ava: Account, sign_in_client: SignInClient) -> None:
    Brand.objects.create(code="gospel-TV", name="Gospel TV", host_names=["gospel.localhost"])
    sign_in_client.api.post("/api/auth/send-otp", {"email": "ava@example.com"}, HTTP_HOST="gospel.localhost:8000")
    send_due_mail()
    assert mail.outbox[0].subject.endswith(" is your Gospel TV sign-in code")


def test_a_code_that_expired_before_it_was_sent_is_dropped(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code()
    clock.shift(601)
    send_due_mail()
    assert mail.outbox == []
    assert only_queued_mail().state == OutgoingMail.State.DROPPED


def test_it_records_that_a_code_was_sent(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.api.credentials(HTTP_USER_AGENT="Browser/1")
    sign_in_client.request_code()
    send_due_mail()
    event = SignInEvent.objects.get()
    assert (event.kind, event.account, event.network, event.agent) == ("sent", ava, "127.0.0.1", "Browser/1")
