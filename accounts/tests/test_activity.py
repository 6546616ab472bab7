"""The activity list that subscribers see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import Account, SessionToken
from accounts.profile import events

pytestmark = pytest.mark.django_db

ACTIVITY = "/api/account/activity"
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def signed_in_browser(account: Account) -> APIClient:
    """Return a browser signed in to an account."""
    _, token = SessionToken.objects.create(user=account.user)
    browser = APIClient()
    browser.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return browser


def record_events(account: Account, *texts: str, actor: str = "you") -> None:
    """Record events of an account, an hour apart."""
    for hours, text in enumerate(texts):
        events.record_event(account, kind="tried", text=text, actor=actor, at=NOON + timedelta(hours=hours))


@pytest.fixture
def alice() -> Account:
    """Return Alice's account; Bob's has an event."""
    record_events(Account.objects.open_account(email="bob@example.com"), "Bob's own")
    return Account.objects.open_account(email="alice@example.com")


def activity_texts(answer: Any) -> list[str]:
    """Return the texts of a response."""
    return [entry["text"] for entry in answer.json()]


@pytest.mark.shows("api-34")
def test_it_lists_the_accounts_own_events_newest_first(alice: Account) -> None:
    record_events(alice, "first", "second")
    answer = signed_in_browser(alice).get(ACTIVITY)
    assert answer.status_code == 200
    assert activity_texts(answer) == ["second", "first"]
    assert answer.json()[1] == {
        "at": "2026-03-10T12:00:00Z",
        "kind": "tried",
        "text": "first",
        "actor": "you",
        "mailId": None,
    }


@pytest.mark.parametrize(
    ("actor", "shown_actor"),
    [("you", "you"), ("system", "system"), ("support:olga", "support"), ("olga", "system"), ("", "system")],
)
def test_it_never_names_an_operator(alice: Account, actor: str, shown_actor: str) -> None:
    record_events(alice, "something", actor=actor)
    answer = signed_in_browser(alice).get(ACTIVITY)
    assert answer.json()[0]["actor"] == shown_actor
    assert "olga" not in answer.content.decode()


def test_it_returns_the_newest_fifty_and_older_ones_by_page(alice: Account) -> None:
    record_events(alice, *map(str, range(60)))
    browser = signed_in_browser(alice)
    assert activity_texts(browser.get(ACTIVITY)) == [str(number) for number in range(59, 9, -1)]
    assert activity_texts(browser.get(f"{ACTIVITY}?limit=2&offset=58")) == ["1", "0"]
    assert activity_texts(browser.get(f"{ACTIVITY}?offset=60")) == []


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit=", "offset=-1", "offset=1e9"])
def test_it_refuses_an_invalid_page(alice: Account, query: str) -> None:
    answer = signed_in_browser(alice).get(f"{ACTIVITY}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")


def test_the_number_of_queries_does_not_grow_with_the_events(alice: Account) -> None:
    browser = signed_in_browser(alice)
    counts = []
    for _ in range(2):
        record_events(alice, *map(str, range(30)))
        with CaptureQueriesContext(connection) as queries:
            browser.get(ACTIVITY)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 3


def test_it_requires_a_token() -> None:
    assert APIClient().get(ACTIVITY).status_code == 401
