"""An operator sees a subscriber's screens: for whom, how long, and who is told."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Account, AccountEvent, SessionToken, User
from core import fair_share
from operators.models import AccountView
from operators.tasks import forget
from operators.tests.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.shows("security-62")]

KEY = f"operator-{'0' * 32}"
REASON = "She says that the invoice is empty."


@pytest.fixture
def ava() -> Account:
    return Account.objects.open_account(email="ava@example.com", first_name="Ava", last_name="Thompson")


@pytest.fixture
def sue(clock: Any) -> Client:
    """Return the browser of an operator of support."""
    return sign_in("sue")


def sign_in(name: str, group: str = "support") -> Client:
    user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    browser = Client()
    browser.force_login(user)
    return browser


def see_screens(browser: Client, account: Account, *, reason: str = REASON, key: str = KEY) -> Any:
    """Confirm the action; return the response."""
    address = reverse("admin:accounts_account_act", args=[account.pk, "see-screens"])
    return browser.post(address, {"reason": reason, "key": key})


def seen_address(browser: Client, **headers: str) -> str | None:
    """Return the address in the profile that the browser may read; None if it may read none."""
    response = browser.get("/api/account/profile", headers=headers)
    return response.json()["email"] if response.status_code == 200 else None


def test_it_leads_to_the_screens_with_a_cookie_of_its_own(sue: Client, ava: Account) -> None:
    assert seen_address(sue) is None
    response = see_screens(sue, ava)

    assert (response.status_code, response["Location"]) == (302, "/dashboard")
    assert seen_address(sue) == "ava@example.com"
    cookie = response.cookies[settings.VIEW_COOKIE_NAME]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["max-age"]) == (True, "Strict", "/", 900)
    assert AccountView.objects.get().digest == hashlib.sha256(cookie.value.encode()).hexdigest()
    assert not SessionToken.objects.exists()


def test_its_subscriber_and_the_log_are_told(sue: Client, ava: Account) -> None:
    assert see_screens(sue, ava, reason="").status_code == 200
    assert not AccountView.objects.exists()
    see_screens(sue, ava)

    event = AccountEvent.objects.get()
    assert (event.account, event.actor, event.reason) == (ava, "support:sue", REASON)
    assert "couldn't change anything" in event.text
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_id) == ("sue", str(ava.pk))
    assert entry.change_message == f"Began to see the subscriber's screens. Reason: {REASON}"
    [told] = sue.get("/api/account/activity").json()
    assert (told["actor"], told["text"]) == ("support", event.text)
    assert "sue" not in str(told)


def open_tab(operator: Client, account: Account, key: str = KEY) -> str:
    """See an account's screens in a tab; return which view its page names."""
    see_screens(operator, account, key=key)
    found = re.search(r'"view": \{"id": (\d+)', operator.get("/dashboard").content.decode())
    assert found is not None
    return found[1]


def test_a_tab_that_shows_one_account_reads_nothing_of_another_that_a_second_tab_opens(
    sue: Client, ava: Account
) -> None:
    first = open_tab(sue, ava)
    assert seen_address(sue, **{"X-View": first}) == "ava@example.com"
    ben = Account.objects.open_account(email="ben@example.com", first_name="Ben")
    second = open_tab(sue, ben, f"operator-{'1' * 32}")
    assert [seen_address(sue, **{"X-View": tab}) for tab in (first, second)] == [None, "ben@example.com"]


def test_the_button_of_a_tab_does_not_end_the_view_of_another(sue: Client, ava: Account) -> None:
    first = open_tab(sue, ava)
    ben = Account.objects.open_account(email="ben@example.com", first_name="Ben")
    second = open_tab(sue, ben, f"operator-{'1' * 32}")
    assert sue.post("/admin/view/end/", {"view": first})["Location"] == "/admin/"
    assert seen_address(sue) == "ben@example.com"
    ended = sue.post("/admin/view/end/", {"view": second})
    assert ended["Location"] == reverse("admin:accounts_account_change", args=[ben.pk])
    assert seen_address(sue) is None


def test_a_confirmation_that_is_sent_twice_begins_one_view(sue: Client, ava: Account) -> None:
    for _time in (1, 2):
        assert see_screens(sue, ava)["Location"] == "/dashboard"
        assert seen_address(sue) == "ava@example.com"
    assert (AccountView.objects.count(), AccountEvent.objects.count()) == (1, 1)


def lose_permission(sue: Client, clock: Any) -> None:
    User.objects.get(username="sue").groups.clear()


def be_deactivated(sue: Client, clock: Any) -> None:
    User.objects.filter(username="sue").update(is_active=False)


def lose_the_admin(sue: Client, clock: Any) -> None:
    User.objects.filter(username="sue").update(is_staff=False)


def sign_out(sue: Client, clock: Any) -> None:
    view = sue.cookies[settings.VIEW_COOKIE_NAME].value
    sue.post("/admin/logout/")
    sue.cookies[settings.VIEW_COOKIE_NAME] = view


def sign_out_and_in_again(sue: Client, clock: Any) -> None:
    sign_out(sue, clock)
    sue.force_login(User.objects.get(username="sue"))


def continue_in_another_browser(sue: Client, clock: Any) -> None:
    view = sue.cookies[settings.VIEW_COOKIE_NAME].value
    sue.cookies.clear()
    sue.force_login(User.objects.get(username="sue"))
    sue.cookies[settings.VIEW_COOKIE_NAME] = view


def get_a_new_password(sue: Client, clock: Any) -> None:
    user = User.objects.get(username="sue")
    user.set_password(f"{PASSWORD}, again")
    user.save()


def let_it_expire(sue: Client, clock: Any) -> None:
    clock.shift(timedelta(minutes=15))


def begin_another(sue: Client, clock: Any) -> None:
    view = sue.cookies[settings.VIEW_COOKIE_NAME].value
    see_screens(sue, Account.objects.open_account(email="ben@example.com"), key=f"operator-{'1' * 32}")
    sue.cookies[settings.VIEW_COOKIE_NAME] = view


@pytest.mark.parametrize(
    "end",
    [
        lose_permission,
        be_deactivated,
        lose_the_admin,
        sign_out,
        sign_out_and_in_again,
        continue_in_another_browser,
        get_a_new_password,
        let_it_expire,
        begin_another,
    ],
)
def test_it_ends_when_its_operator_may_see_no_more(
    sue: Client, ava: Account, clock: Any, end: Callable[[Client, Any], None]
) -> None:
    see_screens(sue, ava)
    clock.shift(timedelta(minutes=14))
    assert seen_address(sue) == "ava@example.com"
    end(sue, clock)
    assert seen_address(sue) is None


def test_it_ends_by_its_button(sue: Client, ava: Account) -> None:
    see_screens(sue, ava)
    assert sue.get("/admin/view/end/").status_code == 405
    assert seen_address(sue) == "ava@example.com"
    token = sue.cookies[settings.VIEW_COOKIE_NAME].value
    response = sue.post("/admin/view/end/")
    assert response["Location"] == reverse("admin:accounts_account_change", args=[ava.pk])
    assert response.cookies[settings.VIEW_COOKIE_NAME]["max-age"] == 0
    sue.cookies[settings.VIEW_COOKIE_NAME] = token
    assert seen_address(sue) is None
    assert sue.post("/admin/view/end/")["Location"] == "/admin/"


def test_its_cookie_is_of_no_use_to_anybody_else(sue: Client, ava: Account, settings: Settings) -> None:
    see_screens(sue, ava)
    stolen = sue.cookies[settings.VIEW_COOKIE_NAME].value
    for thief in (Client(), sign_in("tom")):
        thief.cookies[settings.VIEW_COOKIE_NAME] = stolen
        assert seen_address(thief) is None
        assert thief.post("/admin/view/end/")["Location"] != reverse("admin:accounts_account_change", args=[ava.pk])
    assert seen_address(sue) == "ava@example.com"
    settings.ADMIN_NETWORKS = [ipaddress.ip_network("192.0.2.0/24")]
    assert seen_address(sue) is None


def test_a_token_of_ones_own_is_never_taken_for_the_view(sue: Client, ava: Account) -> None:
    see_screens(sue, ava)
    ben = Account.objects.open_account(email="ben@example.com")
    _, token = SessionToken.objects.create(user=ben.user)
    assert seen_address(sue, Authorization=f"Bearer {token}") == "ben@example.com"
    assert seen_address(sue, Authorization="Bearer ssp_0123456789012345678901234567") is None


@pytest.mark.parametrize("group", ["content", "finance"])
def test_other_groups_cannot_begin_one(ava: Account, clock: Any, group: str) -> None:
    browser = sign_in("carl", group)
    assert see_screens(browser, ava).status_code == 403
    assert seen_address(browser) is None
    assert not AccountEvent.objects.exists()


def test_expired_ones_are_deleted(sue: Client, ava: Account, clock: Any) -> None:
    see_screens(sue, ava)
    forget()
    assert AccountView.objects.exists()
    clock.shift(timedelta(minutes=16))
    forget()
    assert not AccountView.objects.exists()


def test_the_log_names_the_operator_who_reads(sue: Client, ava: Account, caplog: pytest.LogCaptureFixture) -> None:
    see_screens(sue, ava)
    with caplog.at_level("INFO", logger="portal.access"):
        assert seen_address(sue) == ava.email
    (line,) = [record for record in caplog.records if record.name == "portal.access"]
    assert vars(line)["user"] == User.objects.get(username="sue").pk


@pytest.fixture
def standing_clock(settings: Settings) -> Iterator[None]:
    """Let each account make one request a second, on a clock that stands still."""
    settings.ACCOUNT_REQUESTS_A_SECOND = 1
    fair_share.reset_shares(now=lambda: 1000.0)
    yield
    fair_share.reset_shares()


def test_too_many_reads_of_one_account_leave_views_of_others_alone(
    sue: Client, ava: Account, standing_clock: None
) -> None:
    tom, bob = sign_in("tom"), Account.objects.open_account(email="bob@example.com", first_name="Bob", last_name="Ray")
    see_screens(sue, ava)
    see_screens(tom, bob, key=f"operator-{'1' * 32}")
    for _ in range(fair_share.ALLOWANCE_SECONDS):
        assert seen_address(sue) == ava.email
    assert sue.get("/api/account/profile").status_code == 429
    assert seen_address(tom) == bob.email
