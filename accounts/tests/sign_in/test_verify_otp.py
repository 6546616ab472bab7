"""Submitting a code."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts import signals
from accounts.models import Account, AccountEvent, LoginChallenge, SessionToken, SignInEvent
from accounts.tests.conftest import SignalReceivers
from accounts.tests.sign_in.sign_in_client import (
    SignInClient,
    challenge_from_answer,
    different_code,
    query_shapes,
    send_due_mail,
)

pytestmark = pytest.mark.django_db


@pytest.mark.shows("product-2", "api-2")
def test_the_correct_code_gives_a_token(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    answer = sign_in_client.submit_code(sign_in_client.read_code(), challengeId=challenge)
    assert answer.status_code == 200
    assert answer.json()["token"].startswith("ssp_")
    assert answer.json()["expiresAt"] == "2026-05-18T12:00:00Z"
    assert answer.json()["account"] == {"name": "Ava Stone", "email": "ava@example.com"}


def test_it_accepts_snake_case_and_spaces_around_the_code(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    assert sign_in_client.submit_code(f" {sign_in_client.read_code()} ", challenge_id=challenge).status_code == 200


@pytest.mark.shows("error-2")
def test_it_refuses_a_wrong_code(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    answer = sign_in_client.submit_code(different_code(sign_in_client.read_code()), challengeId=challenge)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_otp")
    assert answer.json()["fields"] is None
    assert not SessionToken.objects.exists()


def test_an_unknown_address_gets_the_same_response(ava: Account, sign_in_client: SignInClient) -> None:
    of_ava = sign_in_client.request_code("ava@example.com").json()["challengeId"]
    of_nobody = sign_in_client.request_code("eve@example.com").json()["challengeId"]
    wrong = different_code(sign_in_client.read_code())
    with CaptureQueriesContext(connection) as on_known:
        known = sign_in_client.submit_code(wrong, "ava@example.com", challengeId=of_ava)
    with CaptureQueriesContext(connection) as on_unknown:
        unknown = sign_in_client.submit_code(wrong, "eve@example.com", challengeId=of_nobody)
    assert query_shapes(on_known) == query_shapes(on_unknown)
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
def test_a_malformed_code_is_refused_and_counts_no_try(ava: Account, sign_in_client: SignInClient, otp: Any) -> None:
    challenge = sign_in_client.request_code()
    answer = sign_in_client.submit_code(otp, challengeId=challenge.json()["challengeId"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")
    assert list(answer.json()["fields"]) == ["otp"]
    assert challenge_from_answer(challenge).tries == 0


@pytest.mark.parametrize("challenge", ["not-a-uuid", "", False, 0, []])
def test_it_refuses_an_invalid_challenge_id(ava: Account, sign_in_client: SignInClient, challenge: Any) -> None:
    answer = sign_in_client.submit_code("123456", challengeId=challenge)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["challengeId"])


@pytest.mark.shows("rule-13", "security-4")
def test_it_accepts_the_code_until_just_before_ten_minutes(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    clock.shift(599)
    assert sign_in_client.submit_code(code, challengeId=challenge).status_code == 200


@pytest.mark.shows("rule-13", "security-4", "reliability-25")
def test_it_refuses_the_code_after_ten_minutes(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    clock.shift(601)
    assert sign_in_client.submit_code(code, challengeId=challenge).json()["code"] == "invalid_otp"


@pytest.mark.shows("error-2", "security-5")
def test_it_refuses_a_second_use(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    sign_in_client.submit_code(code, challengeId=challenge)
    again = sign_in_client.submit_code(code, challengeId=challenge)
    assert (again.status_code, again.json()["code"]) == (400, "invalid_otp")
    assert SessionToken.objects.count() == 1


@pytest.mark.shows("security-6")
def test_a_code_works_only_for_its_own_challenge(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code()
    code = sign_in_client.read_code()
    clock.shift(31)
    second = sign_in_client.request_code().json()["challengeId"]
    send_due_mail()
    assert sign_in_client.submit_code(code, challengeId=second).status_code == 400


@pytest.mark.shows("security-6")
def test_a_code_works_only_for_its_own_address(ava: Account, sign_in_client: SignInClient) -> None:
    Account.objects.open_account(email="eve@example.com")
    challenge = sign_in_client.request_code("ava@example.com").json()["challengeId"]
    assert (
        sign_in_client.submit_code(sign_in_client.read_code(), "eve@example.com", challengeId=challenge).status_code
        == 400
    )


@pytest.mark.shows("rule-13")
def test_without_a_challenge_only_the_newest_code_works(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code()
    older = sign_in_client.read_code()
    clock.shift(31)
    sign_in_client.request_code()
    newer = sign_in_client.read_code()
    assert sign_in_client.submit_code(older).status_code == 400
    assert sign_in_client.submit_code(newer).status_code == 200


@pytest.mark.shows("security-9")
def test_an_earlier_code_still_works_in_the_browser_that_requested_it(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    first = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    clock.shift(31)
    SignInClient().request_code()
    send_due_mail()
    assert sign_in_client.submit_code(code, challengeId=first).status_code == 200


@pytest.mark.shows("security-6")
def test_a_replaced_code_is_refused(ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller) -> None:
    first = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    clock.shift(31)
    sign_in_client.request_code(challengeId=first)
    assert sign_in_client.submit_code(code, challengeId=first).json()["code"] == "invalid_otp"


@pytest.mark.shows("rule-13", "security-7")
@pytest.mark.parametrize("named", [True, False], ids=["with the challenge", "without it"])
def test_the_sixth_try_is_refused_even_if_correct(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller, named: bool
) -> None:
    extra = {True: {"challengeId": sign_in_client.request_code().json()["challengeId"]}, False: {}}[named]
    code = sign_in_client.read_code()
    wrong = [sign_in_client.submit_code(different_code(code), **extra).status_code for _ in range(5)]
    sixth = sign_in_client.submit_code(code, **extra)
    assert wrong == [400] * 5
    assert (sixth.status_code, sixth.json()["code"]) == (429, "throttled")
    assert sixth["Retry-After"] == "600"


@pytest.mark.shows("security-9")
def test_a_stranger_cannot_use_up_the_tries_of_a_challenge(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    stranger = SignInClient()
    statuses = [stranger.submit_code(different_code(code)).status_code for _ in range(30)]
    statuses += [stranger.submit_code(code, challengeId=str(uuid.uuid4())).status_code for _ in range(30)]
    assert statuses[-1] == 429
    assert sign_in_client.submit_code(code, challengeId=challenge).status_code == 200


def test_it_refuses_an_account_deactivated_in_the_meantime(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    ava.user.is_active = False
    ava.user.save()
    assert sign_in_client.submit_code(code, challengeId=challenge).json()["code"] == "invalid_otp"


@pytest.mark.shows("security-15")
def test_every_sign_in_gives_a_new_token(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    first = sign_in_client.sign_in()
    clock.shift(31)
    assert sign_in_client.sign_in() != first


@pytest.mark.shows("security-31")
def test_extra_fields_grant_no_permissions(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.request_code()
    extra: dict[str, Any] = {
        "isStaff": True,
        "is_superuser": True,
        "account": {"email": "eve@example.com"},
        "userId": 1,
    }
    assert (
        sign_in_client.submit_code(sign_in_client.read_code(), **extra).json()["account"]["email"] == "ava@example.com"
    )
    ava.user.refresh_from_db()
    assert (ava.user.is_staff, ava.user.is_superuser, ava.email) == (False, False, "ava@example.com")


@pytest.mark.shows("security-15")
def test_an_invalid_token_does_not_prevent_sign_in(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.carry_token("ssp_planted_before_signing_in")
    assert sign_in_client.sign_in() != "ssp_planted_before_signing_in"


@pytest.mark.shows("security-13")
def test_each_outcome_is_recorded_without_the_code(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    sign_in_client.submit_code(different_code(code), challengeId=challenge)
    sign_in_client.submit_code(code, challengeId=challenge)
    sign_in_client.request_code()
    sign_in_client.request_code()
    kinds = SignInEvent.objects.order_by("pk").values_list("kind", "account__email")
    assert list(kinds) == [(kind, "ava@example.com") for kind in ("sent", "failed", "ok", "limited")]
    assert code not in str(list(SignInEvent.objects.values("email", "network", "agent")))


@pytest.mark.django_db(transaction=True)
def test_it_calls_the_receivers_after_sign_in(
    ava: Account, sign_in_client: SignInClient, receivers: SignalReceivers
) -> None:
    received: list[Account] = []

    def record_account(account: Account, **_: Any) -> None:
        received.append(account)

    receivers.add_receiver(signals.account_signed_in, record_account)
    sign_in_client.sign_in()
    assert received == [ava]


@pytest.mark.django_db(transaction=True)
def test_a_failing_receiver_does_not_prevent_sign_in(
    ava: Account, sign_in_client: SignInClient, receivers: SignalReceivers
) -> None:
    def fail_receiver(account: Account, **_: Any) -> None:
        raise RuntimeError("not today")

    receivers.add_receiver(signals.account_signed_in, fail_receiver)
    assert sign_in_client.sign_in().startswith("ssp_")


def test_a_sign_in_with_a_new_browser_is_announced(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/150.0")
    sign_in_client.sign_in()
    clock.shift(31)
    other = SignInClient()
    other.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (Macintosh) Safari/26.1")
    other.sign_in()
    send_due_mail()
    assert mail.outbox[-1].subject == "New sign-in to your account from Safari on Mac"
    assert "May 4, 2026, 8:00 AM (America/New York)" in str(mail.outbox[-1].body)
    assert AccountEvent.objects.get().text == "Signed in with a new browser."


def test_the_first_browser_and_its_new_version_are_not_announced(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/150.0")
    sign_in_client.sign_in()
    clock.shift(31)
    later = SignInClient()
    later.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/151.0.1")
    later.sign_in()
    send_due_mail()
    assert len(mail.outbox) == 2
    assert all(message.subject.endswith(" is your sign-in code") for message in mail.outbox)
    assert LoginChallenge.objects.filter(used_at=None).count() == 0


@pytest.mark.parametrize(
    ("first", "later", "is_announced"),
    [
        ("203.0.113.7", "203.0.99.250", False),
        ("203.0.113.7", "198.51.100.7", True),
        ("2001:db8:1::1", "2001:db8:ffff::9", False),
        ("2001:db8:1::1", "2001:db9::1", True),
        ("203.0.113.7", "2001:db8::1", True),
    ],
)
def test_a_sign_in_from_a_new_network_is_announced(
    ava: Account, clock: time_machine.Traveller, first: str, later: str, is_announced: bool
) -> None:
    for address in (first, later):
        sign_in_client = SignInClient(api=APIClient(REMOTE_ADDR=address))
        sign_in_client.sign_in()
        clock.shift(31)
    send_due_mail()
    announcements = [message for message in mail.outbox if message.subject.startswith("New sign-in to your account")]
    assert len(announcements) == is_announced
    assert all(f"Network address: {later}" in str(message.body) for message in announcements)
    activity = [event.text for event in AccountEvent.objects.all()]
    assert activity == ["Signed in from a new network."] * is_announced


@pytest.mark.shows("security-3", "security-19")
def test_neither_code_nor_token_is_logged(
    ava: Account, sign_in_client: SignInClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    sign_in_client.submit_code(different_code(code), challengeId=challenge)
    token = sign_in_client.submit_code(code, challengeId=challenge).json()["token"]
    sign_in_client.carry_token(token)
    sign_in_client.api.post("/api/auth/logout")
    assert code not in caplog.text
    assert token not in caplog.text
