"""Accounts, addresses and events."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis.strategies import emails, one_of, text

from accounts.models import Account, AccountEvent
from accounts.models.events import AppendOnlyViolation
from accounts.profile import events
from core.email_addresses import InvalidAddress, normalize_email

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ava@example.com", "ava@example.com"),
        (" AVA@EXAMPLE.COM ", "ava@example.com"),
        ("ava+tv@example.com", "ava+tv@example.com"),
        ("o'hara@example.co.uk", "o'hara@example.co.uk"),
    ],
)
def test_an_address_is_normalized(text: str, address: str) -> None:
    assert normalize_email(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "ava",
        "@example.com",
        "ava@",
        "a b@example.com",
        "ava@example.com,eve@example.com",
        "\tava@example.com",
    ],
)
def test_it_refuses_an_invalid_address(text: str) -> None:
    with pytest.raises(InvalidAddress):
        normalize_email(text)


@pytest.mark.shows("security-12")
@given(one_of(text(), emails()))
def test_any_input_is_refused_or_normalized_to_safe_text(user_input: str) -> None:
    with suppress(InvalidAddress):
        address = normalize_email(user_input)
        assert normalize_email(address) == address == address.lower()
        assert address.isascii()
        assert address.isprintable()


@pytest.mark.django_db
class TestAccounts:
    @pytest.mark.shows("rule-13")
    def test_two_accounts_can_have_one_address(self) -> None:
        first = Account.objects.open_account(email="Ava@Example.com", first_name="Ava")
        second = Account.objects.open_account(email="ava@example.com", first_name="Somebody")
        assert first != second
        assert first.email == second.email == "ava@example.com"

    def test_an_unusable_address_is_stored_as_empty(self) -> None:
        assert Account.objects.open_account(email="m\u00fcller@example.com").email == ""

    def test_a_subscriber_has_no_password_and_no_permissions(self, ava: Account) -> None:
        assert not ava.user.has_usable_password()
        assert not ava.user.is_staff
        assert "ava" not in ava.user.username

    @pytest.mark.parametrize(
        ("first", "last", "name"),
        [("Ava", "Stone", "Ava Stone"), ("Ava", "", "Ava"), ("", "Stone", "Stone"), ("", "", "")],
    )
    def test_the_name_joins_the_nonempty_parts(self, first: str, last: str, name: str) -> None:
        assert Account(first_name=first, last_name=last).name == name

    @pytest.mark.parametrize(
        "fields",
        [
            {"birth_month": 2},
            {"birth_day": 3},
            {"birth_month": 13, "birth_day": 1},
            {"email": "Ava@example.com"},
        ],
    )
    def test_the_database_refuses_invalid_values(self, ava: Account, fields: dict[str, Any]) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            Account.objects.filter(pk=ava.pk).update(**fields)


@pytest.mark.django_db
class TestEvents:
    def test_they_are_ordered_newest_first(self, ava: Account) -> None:
        for kind in ("paused", "resumed"):
            events.record_event(ava, kind=kind, text=f"You {kind}.", actor="you", at=NOON)
        assert [event.kind for event in ava.events.all()] == ["resumed", "paused"]

    def test_they_cannot_be_changed(self, ava: Account) -> None:
        event = events.record_event(ava, kind="paused", text="You paused.", actor="you", at=NOON)
        event.text = "You did not."
        with pytest.raises(AppendOnlyViolation):
            event.save()
        with pytest.raises(AppendOnlyViolation):
            AccountEvent.objects.update(text="You did not.")
        with pytest.raises(AppendOnlyViolation):
            AccountEvent.objects.bulk_update([event], ["text"])

    def test_they_cannot_be_deleted(self, ava: Account) -> None:
        event = events.record_event(ava, kind="paused", text="You paused.", actor="you", at=NOON)
        with pytest.raises(AppendOnlyViolation):
            event.delete()
        with pytest.raises(AppendOnlyViolation):
            AccountEvent.objects.all().delete()

    def test_they_are_deleted_with_the_account(self, ava: Account) -> None:
        events.record_event(ava, kind="paused", text="You paused.", actor="you", at=NOON)
        ava.user.delete()
        assert not AccountEvent.objects.exists()
