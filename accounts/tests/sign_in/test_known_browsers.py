"""Strangers who know an address: they neither keep its owner out nor guess for ever."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import Account, AccountEvent, LoginChallenge, SessionToken
from accounts.sign_in.guessing import count_failure
from accounts.sign_in.known_browsers import SUBSCRIBERS
from accounts.sign_in.limits import FAILURES
from accounts.tests.sign_in.sign_in_client import SignInClient, different_code, query_shapes, send_due_mail

pytestmark = pytest.mark.django_db

LINK_PATTERN = re.compile(r"/sign-in-link/[^\s\"]+")
_networks = count(1)


def browser_elsewhere() -> SignInClient:
    """Return a browser that nobody knows, on a network of its own."""
    number = next(_networks)
    return SignInClient(APIClient(REMOTE_ADDR=f"198.51.{number // 250}.{number % 250 + 1}"))


def fill_mailbox(clock: time_machine.Traveller) -> None:
    """Let strangers request more codes for Ava's address than they may mail to it."""
    for _ in range(8):
        assert browser_elsewhere().request_code().status_code == 200
        clock.shift(1)


def guess_wrong(tries: int, email: str = "ava@example.com") -> list[Any]:
    """Let strangers enter wrong codes, five for each challenge that they request; return the answers."""
    answers: list[Any] = []
    while len(answers) < tries:
        stranger = browser_elsewhere()
        challenge = stranger.request_code(email).json()["challengeId"]
        send_due_mail()
        code = mail.outbox and re.search(r"\b[0-9]{6}\b", str(mail.outbox[-1].body))
        wrong = different_code(code.group() if code else "123456")
        rest = min(5, tries - len(answers))
        answers += [stranger.submit_code(wrong, email, challengeId=challenge) for _ in range(rest)]
    return answers


def use_up_failures(but: int = 0, email: str = "ava@example.com") -> None:
    """Count wrong codes of strangers without their requests: all that are allowed, but for the last ones."""
    for _ in range(FAILURES.count - but):
        count_failure(email, known_browser="")


def read_link() -> str:
    """Send the due mails and return the path of the newest one's link."""
    send_due_mail()
    found = LINK_PATTERN.search(str(mail.outbox[-1].body))
    assert found, mail.outbox[-1].body
    return found.group()


@pytest.mark.shows("security-8", "security-49")
def test_strangers_keep_no_browser_from_signing_in(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.sign_in()
    clock.shift(31)
    fill_mailbox(clock)
    new_browser = browser_elsewhere()
    challenge = new_browser.request_code().json()["challengeId"]
    # Its code is the one that was mailed last.
    assert new_browser.submit_code(new_browser.read_code(), challengeId=challenge).status_code == 200
    assert sign_in_client.sign_in().startswith("ssp_")


@pytest.mark.shows("security-49")
def test_strangers_send_a_mailbox_six_mails_an_hour_then_one_each_ten_minutes(
    ava: Account, clock: time_machine.Traveller
) -> None:
    fill_mailbox(clock)
    send_due_mail()
    assert len(mail.outbox) == 6
    clock.shift(592)
    fill_mailbox(clock)
    send_due_mail()
    assert len(mail.outbox) == 7


@pytest.mark.shows("security-5", "security-49")
def test_a_shared_code_signs_in_one_browser(ava: Account, clock: time_machine.Traveller) -> None:
    fill_mailbox(clock)
    browsers = [browser_elsewhere(), browser_elsewhere()]
    challenges = [browser.request_code().json()["challengeId"] for browser in browsers]
    code = browsers[0].read_code()
    statuses = [
        browser.submit_code(code, challengeId=challenge).status_code
        for browser, challenge in zip(browsers, challenges, strict=True)
    ]
    assert statuses == [200, 400]
    assert SessionToken.objects.count() == 1


def test_a_replaced_code_that_others_share_is_still_mailed(ava: Account, clock: time_machine.Traveller) -> None:
    for _ in range(5):
        browser_elsewhere().request_code()
        clock.shift(1)
    stranger, owner = browser_elsewhere(), browser_elsewhere()
    last_mailed = stranger.request_code().json()["challengeId"]
    clock.shift(31)
    stranger.request_code(challengeId=last_mailed)
    challenge = owner.request_code().json()["challengeId"]
    assert owner.submit_code(owner.read_code(), challengeId=challenge).status_code == 200


@pytest.mark.shows("security-9")
def test_strangers_end_no_challenge_of_another_network(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    fill_mailbox(clock)
    assert sign_in_client.submit_code(code, challengeId=challenge).status_code == 200


@pytest.mark.shows("security-50")
def test_after_a_hundred_wrong_codes_only_known_browsers_sign_in(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.sign_in()
    early_bird = browser_elsewhere()
    challenge = early_bird.request_code().json()["challengeId"]
    code = early_bird.read_code()
    assert {answer.status_code for answer in guess_wrong(FAILURES.count)} == {400}
    refused = early_bird.submit_code(code, challengeId=challenge)
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert "Request a new code: the email has a link" in refused.json()["message"]
    clock.shift(31)
    assert sign_in_client.sign_in().startswith("ssp_")


@pytest.mark.shows("security-7", "security-50")
def test_tries_beyond_the_five_of_a_challenge_count_as_no_wrong_codes(
    ava: Account, clock: time_machine.Traveller
) -> None:
    stranger = browser_elsewhere()
    challenge = stranger.request_code().json()["challengeId"]
    wrong = different_code(stranger.read_code())
    answers = [stranger.submit_code(wrong, challengeId=challenge) for _ in range(FAILURES.count + 1)]
    assert [answer.status_code for answer in answers] == [400] * 5 + [429] * (FAILURES.count - 4)
    clock.shift(31)
    assert browser_elsewhere().sign_in().startswith("ssp_")
    assert not AccountEvent.objects.filter(kind="sign_in_closed").exists()


@pytest.mark.shows("security-50")
def test_a_known_browser_that_repeats_a_spent_code_signs_in_with_its_next_one(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.sign_in()
    clock.shift(31)
    challenge = sign_in_client.request_code().json()["challengeId"]
    wrong = different_code(sign_in_client.read_code())
    for _ in range(FAILURES.count):
        sign_in_client.submit_code(wrong, challengeId=challenge)
    clock.shift(31)
    assert sign_in_client.sign_in().startswith("ssp_")


@pytest.mark.shows("security-50")
def test_the_owner_is_told_once_that_somebody_is_guessing(ava: Account, clock: time_machine.Traveller) -> None:
    use_up_failures(but=2)
    assert [answer.status_code for answer in guess_wrong(4)] == [400, 400, 429, 429]
    send_due_mail()
    told = [message for message in mail.outbox if message.subject == "Somebody is guessing your sign-in codes"]
    assert [message.to for message in told] == [["ava@example.com"]]
    event = AccountEvent.objects.get(kind="sign_in_closed")
    assert (event.account, event.actor) == (ava, "system")


@pytest.mark.shows("security-50")
def test_the_owner_whose_own_code_is_the_hundredth_is_told_of_no_guessing(ava: Account) -> None:
    use_up_failures(but=1)
    browser_elsewhere().sign_in()
    send_due_mail()
    assert "Somebody is guessing your sign-in codes" not in [message.subject for message in mail.outbox]
    assert not AccountEvent.objects.filter(kind="sign_in_closed").exists()


@pytest.mark.shows("security-50")
def test_a_new_browser_signs_in_by_a_link_while_codes_are_closed_to_it(
    ava: Account, clock: time_machine.Traveller
) -> None:
    use_up_failures()
    clock.shift(3601)
    owner = browser_elsewhere()
    owner.request_code()
    page = owner.api.get(read_link())
    assert (page.status_code, page["Referrer-Policy"]) == (200, "no-referrer")
    assert "This browser is ready" in page.content.decode()
    clock.shift(31)
    assert owner.sign_in().startswith("ssp_")


@pytest.mark.shows("security-50")
def test_a_link_expires_after_a_day_and_cannot_be_forged(ava: Account, clock: time_machine.Traveller) -> None:
    use_up_failures()
    clock.shift(3601)
    owner = browser_elsewhere()
    owner.request_code()
    link = read_link()
    clock.shift(24 * 3600 + 1)
    for path in (link, f"{link}x", "/sign-in-link/ava@example.com"):
        page = owner.api.get(path)
        assert (page.status_code, SUBSCRIBERS.name in page.cookies) == (410, False)
        assert "This link has expired" in page.content.decode()


def test_codes_are_open_to_new_browsers_again_after_thirty_days(ava: Account, clock: time_machine.Traveller) -> None:
    use_up_failures()
    clock.shift(FAILURES.window)
    assert browser_elsewhere().sign_in().startswith("ssp_")


def test_a_sign_in_forgets_the_wrong_codes_before_it(ava: Account, clock: time_machine.Traveller) -> None:
    use_up_failures(but=1)
    browser_elsewhere().sign_in()
    assert [answer.status_code for answer in guess_wrong(2)] == [400, 400]


def test_a_sign_in_of_a_known_browser_forgets_nothing_of_strangers(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.sign_in()
    use_up_failures(but=1)
    clock.shift(3601)
    sign_in_client.sign_in()
    assert [answer.status_code for answer in guess_wrong(2)] == [400, 429]


@pytest.mark.shows("security-50")
def test_guessing_at_an_unknown_address_looks_the_same(ava: Account, clock: time_machine.Traveller) -> None:
    shapes = []
    for email in ("ava@example.com", "eve@example.com"):
        stranger = browser_elsewhere()
        challenge = stranger.request_code(email).json()["challengeId"]
        send_due_mail()
        use_up_failures(1, email)
        with CaptureQueriesContext(connection) as queries:
            answers = [stranger.submit_code("123456", email, challengeId=challenge) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [400, 429]
        shapes.append(query_shapes(queries))
    assert shapes[0] == shapes[1]
    send_due_mail()
    assert {message.to[0] for message in mail.outbox} == {"ava@example.com"}


@pytest.mark.shows("security-51")
def test_the_cookie_is_unreadable_to_scripts_and_known_for_its_address_only(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    answer = sign_in_client.submit_code(sign_in_client.read_code(), challengeId=challenge)
    cookie = answer.cookies[SUBSCRIBERS.name]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == 365 * 24 * 3600
    assert "ava" not in cookie.value
    assert sign_in_client.api.get("/api/account").status_code == 401
    sign_in_client.request_code()
    sign_in_client.request_code("eve@example.com")
    known = LoginChallenge.objects.order_by("created_at", "pk").values_list("email", "known_browser")
    assert {(email, bool(browser)) for email, browser in known} == {
        ("ava@example.com", False),
        ("ava@example.com", True),
        ("eve@example.com", False),
    }


@pytest.mark.shows("security-51")
@pytest.mark.parametrize("forged", ["", "x", "WyJhIixbImIiXV0:1t:c"], ids=["empty", "no cookie", "unsigned"])
def test_a_forged_cookie_is_a_strangers(ava: Account, sign_in_client: SignInClient, forged: str) -> None:
    sign_in_client.api.cookies[SUBSCRIBERS.name] = forged
    sign_in_client.request_code()
    assert LoginChallenge.objects.get().known_browser == ""


def test_a_browser_knows_the_five_addresses_used_last(
    sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    for number in range(6):
        Account.objects.open_account(email=f"member{number}@example.com")
        sign_in_client.sign_in(f"member{number}@example.com")
    clock.shift(3600)
    for number in range(6):
        sign_in_client.request_code(f"member{number}@example.com")
    known = dict(LoginChallenge.objects.filter(used_at=None).values_list("email", "known_browser"))
    assert [email for email, browser in known.items() if not browser] == ["member0@example.com"]
