"""The profile, without the billing application."""

from __future__ import annotations

from typing import Any

import pytest

from accounts import signals
from accounts.models import Account, AccountEvent
from accounts.tests.conftest import SignalReceivers
from accounts.tests.sign_in.sign_in_client import SignInClient
from core import idempotency
from core.errors import InvalidInput
from core.text import LINE_MESSAGE

pytestmark = pytest.mark.django_db

READ, SAVE = "/api/account/profile", "/api/account/profile/update"
AVA = {"firstName": "Ava", "lastName": "Stone", "bmonth": 0, "bday": 0}
BIRTHDAY = {**AVA, "bmonth": 2, "bday": 29}


@pytest.fixture
def signed_in(ava: Account, sign_in_client: SignInClient) -> SignInClient:
    """Return Ava's browser, signed in."""
    sign_in_client.sign_in()
    return sign_in_client


def save_profile(browser: SignInClient, **changed_fields: Any) -> Any:
    """Save Ava's profile with these fields changed."""
    return browser.api.post(SAVE, {**AVA, **changed_fields})


@pytest.mark.shows("data-8", "api-6", "api-31")
def test_the_profile_contains_the_email_address(signed_in: SignInClient) -> None:
    assert signed_in.api.get(READ).json() == {"email": "ava@example.com", **AVA}
    assert signed_in.api.get("/api/account/billing-details").json() == {"email": "ava@example.com"}


@pytest.mark.shows("api-7")
def test_a_saved_profile_is_returned(signed_in: SignInClient) -> None:
    answer = save_profile(signed_in, firstName="  Avá ", bmonth=2, bday=29)
    assert (answer.status_code, answer.json()) == (
        200,
        {**BIRTHDAY, "firstName": "Avá", "email": "ava@example.com"},
    )
    assert signed_in.api.get(READ).json() == answer.json()
    assert [event.kind for event in AccountEvent.objects.all()] == ["profile_changed"]


def test_saving_an_unchanged_profile_records_no_event(signed_in: SignInClient) -> None:
    assert [save_profile(signed_in).status_code for _ in range(2)] == [200, 200]
    assert not AccountEvent.objects.exists()


def test_a_birthday_can_be_removed(signed_in: SignInClient) -> None:
    save_profile(signed_in, bmonth=12, bday=31)
    assert save_profile(signed_in).json()["bday"] == 0


@pytest.mark.shows("profile-2", "security-31")
def test_the_address_and_unknown_fields_are_ignored(signed_in: SignInClient, ava: Account) -> None:
    answer = save_profile(
        signed_in, email="eve@example.com", id=7, isStaff=True, isActive=False, status="CANCELLED", user=1
    )
    assert answer.json()["email"] == "ava@example.com"
    ava.user.refresh_from_db()
    assert (ava.user.is_staff, ava.user.is_active) == (False, True)


@pytest.mark.shows("profile-6", "profile-7")
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("firstName", "", "please enter your first name."),
        ("firstName", "   ", "please enter your first name."),
        ("lastName", None, "please enter your last name."),
        ("lastName", "x" * 101, "Ensure this field has no more than 100 characters."),
        ("firstName", "Ava\u202egnp", LINE_MESSAGE),
        ("lastName", "Ad\u200bler", LINE_MESSAGE),
        ("firstName", "Ava\nBcc: eve@example.com", LINE_MESSAGE),
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
def test_an_invalid_field_is_reported_and_nothing_is_saved(
    signed_in: SignInClient, field: str, value: object, message: str
) -> None:
    answer = save_profile(signed_in, **{"lastName": "Rock", field: value})
    assert (answer.status_code, answer.json()["fields"]) == (400, {field: [message]})
    assert signed_in.api.get(READ).json()["lastName"] == "Stone"


@pytest.mark.parametrize("missing", AVA)
def test_every_field_is_required(signed_in: SignInClient, missing: str) -> None:
    answer = signed_in.api.post(SAVE, {name: value for name, value in AVA.items() if name != missing})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [missing])


@pytest.mark.shows("profile-8")
@pytest.mark.parametrize(("month", "day"), [(2, 30), (4, 31), (6, 31), (9, 31), (11, 31), (0, 5), (5, 0)])
def test_a_day_that_the_month_does_not_have_is_refused(signed_in: SignInClient, month: int, day: int) -> None:
    answer = save_profile(signed_in, bmonth=month, bday=day)
    assert (answer.status_code, answer.json()["fields"]) == (
        400,
        {"bday": ["Please select valid birthday date"]},
    )


@pytest.mark.parametrize(("month", "day"), [(1, 31), (2, 29), (4, 30), (12, 31)])
def test_the_last_day_of_a_month_is_accepted(signed_in: SignInClient, month: int, day: int) -> None:
    assert save_profile(signed_in, bmonth=month, bday=day).status_code == 200


def test_a_receiver_can_refuse_the_names(signed_in: SignInClient, receivers: SignalReceivers) -> None:
    def refuse_names(**_: Any) -> None:
        raise InvalidInput(fields={"last_name": ["Not this one."]})

    receivers.add_receiver(signals.profile_pre_save, refuse_names)
    answer = save_profile(signed_in, lastName="Rock", bmonth=1, bday=1)
    assert (answer.status_code, answer.json()["fields"]) == (400, {"lastName": ["Not this one."]})
    assert signed_in.api.get(READ).json() == {"email": "ava@example.com", **AVA}


def test_a_repeated_idempotency_key_saves_once(signed_in: SignInClient) -> None:
    assert idempotency.KEY_HEADER_NAME == "Idempotency-Key"
    first = signed_in.api.post(SAVE, BIRTHDAY, headers={idempotency.KEY_HEADER_NAME: "one"})
    save_profile(signed_in)
    again = signed_in.api.post(SAVE, BIRTHDAY, headers={idempotency.KEY_HEADER_NAME: "one"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert signed_in.api.get(READ).json()["bday"] == 0
    other = signed_in.api.post(SAVE, {}, headers={idempotency.KEY_HEADER_NAME: "one"})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


@pytest.mark.parametrize("path", [READ, SAVE, "/api/account/billing-details"])
def test_reading_and_saving_require_a_token(sign_in_client: SignInClient, path: str) -> None:
    answer = sign_in_client.api.post(path, AVA) if path == SAVE else sign_in_client.api.get(path)
    assert answer.status_code == 401
