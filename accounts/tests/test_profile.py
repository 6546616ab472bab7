"""The profile, as accounts alone keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from accounts import signals
from accounts.models import Account, AccountEvent
from accounts.tests.conftest import SignalReceivers
from accounts.tests.sign_in.sign_in_client import SignInClient
from core import idempotency
from core.errors import InvalidInput

pytestmark = pytest.mark.django_db

READ, SAVE = "/api/account/profile", "/api/account/profile/update"
AVA = {"firstName": "Ava", "lastName": "Stone", "bmonth": 0, "bday": 0}
BIRTHDAY = {**AVA, "bmonth": 2, "bday": 29}


@pytest.fixture
def signed_in(ava: Account, sign_in_client: SignInClient) -> SignInClient:
    """Ava's browser."""
    sign_in_client.sign_in()
    return sign_in_client


def save_profile(browser: SignInClient, **differing: Any) -> Any:
    """Send Ava's whole profile with some of it changed."""
    return browser.api.post(SAVE, {**AVA, **differing})


@pytest.mark.shows("data-8", "api-6", "api-31")
def test_a_profile_is_read_with_its_address(signed_in: SignInClient) -> None:
    assert signed_in.api.get(READ).json() == {"email": "ava@example.com", **AVA}
    assert signed_in.api.get("/api/account/billing-details").json() == {"email": "ava@example.com"}


@pytest.mark.shows("api-7")
def test_what_is_saved_is_answered_and_read(signed_in: SignInClient) -> None:
    answer = save_profile(signed_in, firstName="  Avá ", bmonth=2, bday=29)
    assert (answer.status_code, answer.json()) == (
        200,
        {**BIRTHDAY, "firstName": "Avá", "email": "ava@example.com"},
    )
    assert signed_in.api.get(READ).json() == answer.json()
    assert [event.kind for event in AccountEvent.objects.all()] == ["profile_changed"]


def test_saving_what_is_there_is_nothing_that_happened(signed_in: SignInClient) -> None:
    assert [save_profile(signed_in).status_code for _ in range(2)] == [200, 200]
    assert not AccountEvent.objects.exists()


def test_a_birthday_can_be_taken_back(signed_in: SignInClient) -> None:
    save_profile(signed_in, bmonth=12, bday=31)
    assert save_profile(signed_in).json()["bday"] == 0


@pytest.mark.shows("profile-2", "security-31")
def test_the_address_and_all_else_is_ignored(signed_in: SignInClient, ava: Account) -> None:
    answer = save_profile(
        signed_in, email="eve@example.com", id=7, isStaff=True, isActive=False, status="CANCELLED", user=1
    )
    assert answer.json()["email"] == "ava@example.com"
    ava.user.refresh_from_db()
    assert (ava.user.is_staff, ava.user.is_active) == (False, True)


@pytest.mark.shows("profile-6", "profile-7")
@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("firstName", "", "please enter your first name."),
        ("firstName", "   ", "please enter your first name."),
        ("lastName", None, "please enter your last name."),
        ("lastName", "x" * 101, "Ensure this field has no more than 100 characters."),
        ("firstName", "Ava\nBcc: eve@example.com", "A name can't have line breaks."),
        ("firstName", "\x00", "Null characters are not allowed."),
        ("bmonth", 13, "Ensure this value is less than or equal to 12."),
        ("bday", -1, "Ensure this value is greater than or equal to 0."),
        ("bmonth", "May", "A valid integer is required."),
        ("bmonth", "5", "A valid integer is required."),
        ("bday", True, "A valid integer is required."),
        ("firstName", 7, "Not a valid string."),
        ("bday", None, "This field may not be null."),
    ],
)
def test_it_says_what_is_wrong_and_keeps_nothing(signed_in: SignInClient, field: str, value: object, said: str) -> None:
    answer = save_profile(signed_in, **{"lastName": "Rock", field: value})
    assert (answer.status_code, answer.json()["fields"]) == (400, {field: [said]})
    assert signed_in.api.get(READ).json()["lastName"] == "Stone"


@pytest.mark.parametrize("missing", AVA)
def test_it_takes_the_whole_profile_only(signed_in: SignInClient, missing: str) -> None:
    answer = signed_in.api.post(SAVE, {name: value for name, value in AVA.items() if name != missing})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [missing])


@pytest.mark.shows("profile-8")
@pytest.mark.parametrize(("month", "day"), [(2, 30), (4, 31), (6, 31), (9, 31), (11, 31), (0, 5), (5, 0)])
def test_a_day_its_month_does_not_have_is_no_birthday(signed_in: SignInClient, month: int, day: int) -> None:
    answer = save_profile(signed_in, bmonth=month, bday=day)
    assert (answer.status_code, answer.json()["fields"]) == (
        400,
        {"bday": ["Please select valid birthday date"]},
    )


@pytest.mark.parametrize(("month", "day"), [(1, 31), (2, 29), (4, 30), (12, 31)])
def test_the_last_day_of_a_month_is_one(signed_in: SignInClient, month: int, day: int) -> None:
    assert save_profile(signed_in, bmonth=month, bday=day).status_code == 200


def test_whoever_takes_the_names_over_may_refuse_them(signed_in: SignInClient, receivers: SignalReceivers) -> None:
    def refuse_names(**_: Any) -> None:
        raise InvalidInput(fields={"last_name": ["Not this one."]})

    receivers.add_receiver(signals.profile_pre_save, refuse_names)
    answer = save_profile(signed_in, lastName="Rock", bmonth=1, bday=1)
    assert (answer.status_code, answer.json()["fields"]) == (400, {"lastName": ["Not this one."]})
    assert signed_in.api.get(READ).json() == {"email": "ava@example.com", **AVA}


def test_a_key_acts_once(signed_in: SignInClient) -> None:
    assert idempotency.KEY_HEADER_NAME == "Idempotency-Key"
    first = signed_in.api.post(SAVE, BIRTHDAY, headers={idempotency.KEY_HEADER_NAME: "one"})
    save_profile(signed_in)
    again = signed_in.api.post(SAVE, BIRTHDAY, headers={idempotency.KEY_HEADER_NAME: "one"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert signed_in.api.get(READ).json()["bday"] == 0
    other = signed_in.api.post(SAVE, {}, headers={idempotency.KEY_HEADER_NAME: "one"})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


@pytest.mark.parametrize("path", [READ, SAVE, "/api/account/billing-details"])
def test_nobody_reads_or_saves_without_a_token(sign_in_client: SignInClient, path: str) -> None:
    answer = sign_in_client.api.post(path, AVA) if path == SAVE else sign_in_client.api.get(path)
    assert answer.status_code == 401
