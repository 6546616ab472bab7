"""Session tokens: their lifetime, renewal and revocation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import time_machine
from django.test import override_settings
from django.urls import path
from pytest_django import DjangoAssertNumQueries
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIClient
from rest_framework.views import APIView

from accounts import tasks
from accounts.models import Account, SessionToken, User
from accounts.sign_in import flow, sessions
from accounts.tests.sign_in.sign_in_client import SignInClient

pytestmark = pytest.mark.django_db


class Whoami(APIView):
    """A view with the project's own authentication and permission."""

    def get(self, request: Request) -> Response:
        assert isinstance(request.user, User)
        return Response({"email": request.user.account.email})


urlpatterns = [path("api/whoami", Whoami.as_view())]


@pytest.fixture
def whoami(settings: None) -> Iterator[None]:
    """Serve only the view of this module."""
    with override_settings(ROOT_URLCONF=__name__):
        yield


def open_session(account: Account) -> str:
    """Open a session and return its token."""
    _session, token = SessionToken.objects.create(user=account.user)
    return str(token)


def status_for_token(token: str) -> int:
    """Return the status that a request with this token gets."""
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return int(api.get("/api/whoami").status_code)


@pytest.mark.shows("security-14")
def test_the_database_stores_only_a_digest(ava: Account) -> None:
    token = open_session(ava)
    session = SessionToken.objects.get()
    assert session.digest == hashlib.sha512(token.encode()).hexdigest()
    assert token not in str(SessionToken.objects.values())
    assert len(token) == len("ssp_") + 64


def test_a_request_is_authenticated_in_one_query(
    ava: Account, whoami: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {open_session(ava)}")
    with django_assert_num_queries(1) as asked:
        assert api.get("/api/whoami").json() == {"email": "ava@example.com"}
    assert "password" not in asked.captured_queries[0]["sql"]


@pytest.mark.shows("security-18")
@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer a b",
        "Token ssp_" + "a" * 64,
        "Basic YXZhOmF2YQ==",
        "Bearer ssp_" + "a" * 64,
        "Bearer ssp_" + "a" * 100_000,
        "Bearer ssp_\xff\xfe" + "a" * 60,
        "Bearer ssp_\x00" + "a" * 60,
        "Bearer \u0430\u0431\u0432" + "a" * 60,
        "Bearer " + "'; DROP TABLE x; --",
        "Bearer\x00ssp_" + "a" * 64,
    ],
)
def test_an_invalid_token_is_not_authenticated(whoami: None, header: str) -> None:
    answer = APIClient().get("/api/whoami", HTTP_AUTHORIZATION=header)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.shows("rule-13", "security-16")
def test_a_token_expires_after_fourteen_days_without_use(
    ava: Account, whoami: None, clock: time_machine.Traveller
) -> None:
    token = open_session(ava)
    clock.shift(14 * 86_400)
    assert status_for_token(token) == 401


def test_using_a_token_renews_it_at_most_daily(
    ava: Account,
    whoami: None,
    clock: time_machine.Traveller,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    token = open_session(ava)
    clock.shift(86_399)
    with django_assert_num_queries(1):
        assert status_for_token(token) == 200
    clock.shift(1)
    assert status_for_token(token) == 200
    session = SessionToken.objects.get()
    assert session.last_used_at == datetime(2026, 5, 5, 12, tzinfo=UTC)
    assert session.expiry == datetime(2026, 5, 19, 12, tzinfo=UTC)
    with django_assert_num_queries(1):
        assert status_for_token(token) == 200


@pytest.mark.shows("rule-13", "security-16")
def test_a_token_expires_after_ninety_days_even_if_used(
    ava: Account, whoami: None, clock: time_machine.Traveller
) -> None:
    token = open_session(ava)
    statuses = []
    for _ in range(9):
        clock.shift(10 * 86_400)
        statuses.append(status_for_token(token))
    assert statuses == [200] * 8 + [401]


@pytest.mark.shows("api-3", "security-17")
def test_logout_revokes_the_token(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.sign_in()
    first = sign_in_client.api.post("/api/auth/logout")
    again = sign_in_client.api.post("/api/auth/logout")
    assert (first.status_code, first.content) == (204, b"")
    assert (again.status_code, again.json()["code"]) == (401, "not_authenticated")


def test_logout_does_not_end_other_sessions(ava: Account, sign_in_client: SignInClient, whoami: None) -> None:
    other = open_session(ava)
    session, token = SessionToken.objects.create(user=ava.user)
    flow.end_session(session)
    assert (status_for_token(token), status_for_token(other)) == (401, 200)


@pytest.mark.shows("security-17")
def test_signing_out_everywhere_revokes_all_tokens(ava: Account, whoami: None) -> None:
    tokens = [open_session(ava) for _ in range(3)]
    assert sessions.sign_out_everywhere(ava) == 3
    assert {status_for_token(token) for token in tokens} == {401}


@pytest.mark.shows("security-33")
def test_deactivating_an_account_revokes_its_tokens_at_once(ava: Account, whoami: None) -> None:
    token = open_session(ava)
    User.objects.filter(pk=ava.user_id).update(is_active=False)
    assert status_for_token(token) == 401


@pytest.mark.shows("security-33")
def test_reactivating_an_account_does_not_restore_its_tokens(ava: Account, whoami: None) -> None:
    token = open_session(ava)
    flow.deactivate_account(ava)
    flow.reactivate_account(ava)
    assert status_for_token(token) == 401


def test_an_operator_without_an_account_is_not_authenticated(whoami: None) -> None:
    operator = User.objects.create_superuser("olga", password="correct horse battery staple")
    _session, token = SessionToken.objects.create(user=operator)
    assert status_for_token(str(token)) == 401


def test_the_tick_deletes_expired_sessions(ava: Account, clock: time_machine.Traveller) -> None:
    open_session(ava)
    clock.shift(15 * 86_400)
    tasks.tick()
    assert not SessionToken.objects.exists()


def test_a_session_records_its_browser(ava: Account, sign_in_client: SignInClient) -> None:
    sign_in_client.api.credentials(HTTP_USER_AGENT="Mozilla/5.0 Firefox/150.0")
    sign_in_client.sign_in()
    assert SessionToken.objects.get().agent == "Mozilla/5.0 Firefox/150.0"
