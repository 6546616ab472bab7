"""Limits on requesting and submitting codes."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from pytest_django import Settings
from rest_framework.settings import api_settings

from accounts.models import Account, SignInEvent
from accounts.tests.sign_in.sign_in_client import SignInClient

pytestmark = pytest.mark.django_db


def request_code_from(
    sign_in_client: SignInClient, address: str, email: str = "ava@example.com", **headers: Any
) -> Any:
    """Request a code from a network address."""
    return sign_in_client.api.post("/api/auth/send-otp", {"email": email}, REMOTE_ADDR=address, **headers)


def request_codes_in_turn(sign_in_client: SignInClient, clock: time_machine.Traveller, times: int) -> list[int]:
    """Request codes, each as soon as the gap allows, and return the statuses."""
    statuses = []
    for _ in range(times):
        statuses.append(sign_in_client.request_code().status_code)
        clock.shift(31)
    return statuses


@pytest.mark.shows("error-29", "rule-13", "security-8")
@pytest.mark.parametrize("email", ["ava@example.com", "eve@example.com"], ids=["known", "unknown"])
def test_a_second_code_is_refused_for_thirty_seconds(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller, email: str
) -> None:
    sign_in_client.request_code(email)
    clock.shift(10)
    refused = sign_in_client.request_code(email)
    assert (refused.status_code, refused.json()["code"], refused["Retry-After"]) == (429, "throttled", "20")
    assert refused.json()["message"] == "You can try again in 20 seconds."
    clock.shift(20)
    assert sign_in_client.request_code(email).status_code == 200


@pytest.mark.shows("security-8")
@pytest.mark.parametrize("email", ["ava@example.com", "eve@example.com"], ids=["known", "unknown"])
def test_an_email_address_gets_five_codes_an_hour(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller, email: str
) -> None:
    for _ in range(5):
        assert sign_in_client.request_code(email).status_code == 200
        clock.shift(31)
    refused = sign_in_client.request_code(email)
    assert (refused.status_code, refused["Retry-After"]) == (429, str(3600 - 5 * 31))
    clock.shift(3600 - 5 * 31)
    assert sign_in_client.request_code(email).status_code == 200


def test_the_hourly_limit_is_a_sliding_window(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    assert request_codes_in_turn(sign_in_client, clock, 1) == [200]
    clock.shift(3600 - 5 * 31)
    # The fifth of these is allowed because the first request is an hour ago by then.
    assert request_codes_in_turn(sign_in_client, clock, 5) == [200] * 5
    refused = sign_in_client.request_code()
    assert (refused.status_code, refused["Retry-After"]) == (429, str(3600 - 5 * 31))


def test_a_refused_request_does_not_count(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code()
    for _ in range(20):
        sign_in_client.request_code()
    clock.shift(31)
    assert request_codes_in_turn(sign_in_client, clock, 4) == [200] * 4


@pytest.mark.shows("security-8")
def test_a_network_address_gets_twenty_codes_an_hour(
    sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    statuses = [
        request_code_from(sign_in_client, "203.0.113.7", f"somebody{n}@example.com").status_code for n in range(21)
    ]
    assert statuses == [200] * 20 + [429]
    assert request_code_from(sign_in_client, "203.0.113.8", "somebody@example.com").status_code == 200


def test_an_ipv6_network_counts_as_one_address(sign_in_client: SignInClient, clock: time_machine.Traveller) -> None:
    statuses = [
        request_code_from(sign_in_client, f"2001:db8:1:2::{n:x}", f"somebody{n}@example.com").status_code
        for n in range(21)
    ]
    assert statuses[-1] == 429
    assert request_code_from(sign_in_client, "2001:db8:1:3::1", "somebody@example.com").status_code == 200


@pytest.mark.shows("rule-13")
def test_the_demo_has_ten_times_the_limits(
    sign_in_client: SignInClient, clock: time_machine.Traveller, settings: Settings
) -> None:
    settings.PORTAL_ENV = "demo"
    assert request_codes_in_turn(sign_in_client, clock, 51) == [200] * 50 + [429]
    assert sign_in_client.request_code("eve@example.com").status_code == 200
    assert sign_in_client.request_code("eve@example.com").status_code == 429


@pytest.mark.shows("security-10")
def test_a_forged_forwarded_address_does_not_evade_the_limit(
    sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    statuses = [
        request_code_from(
            sign_in_client, "203.0.113.7", f"somebody{n}@example.com", HTTP_X_FORWARDED_FOR=f"198.51.100.{n}"
        ).status_code
        for n in range(21)
    ]
    assert statuses[-1] == 429


@pytest.mark.shows("security-10")
def test_only_the_address_added_by_the_proxy_counts(
    sign_in_client: SignInClient, clock: time_machine.Traveller, settings: Settings
) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    assert api_settings.NUM_PROXIES == 1
    statuses = [
        request_code_from(
            sign_in_client,
            "10.0.0.1",
            f"somebody{n}@example.com",
            HTTP_X_FORWARDED_FOR=f"198.51.100.{n}, 203.0.113.7",
        ).status_code
        for n in range(21)
    ]
    assert statuses[-1] == 429
    other = request_code_from(
        sign_in_client, "10.0.0.1", "somebody@example.com", HTTP_X_FORWARDED_FOR="198.51.100.1, 203.0.113.8"
    )
    assert other.status_code == 200


def test_an_invalid_network_address_is_accepted(sign_in_client: SignInClient) -> None:
    answer = request_code_from(
        sign_in_client, "", HTTP_X_FORWARDED_FOR="<script>", HTTP_USER_AGENT="\x00\x1b[31m" + "x" * 5000
    )
    assert answer.status_code == 200


@pytest.mark.shows("security-8")
@pytest.mark.parametrize("email", ["ava@example.com", "eve@example.com"], ids=["known", "unknown"])
def test_an_email_address_gets_ten_tries_in_fifteen_minutes(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller, email: str
) -> None:
    statuses = [sign_in_client.submit_code("123456", email).status_code for _ in range(11)]
    refused = sign_in_client.submit_code("123456", email)
    assert statuses == [400] * 10 + [429]
    assert refused["Retry-After"] == "900"
    assert refused.json()["message"] == "You can try again in 15 minutes."
    clock.shift(900)
    assert sign_in_client.submit_code("123456", email).status_code == 400


@pytest.mark.shows("security-13")
def test_a_refused_request_is_recorded(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code()
    sign_in_client.request_code()
    event = SignInEvent.objects.get()
    assert (event.kind, event.email, event.account) == ("limited", "ava@example.com", ava)


def test_recorded_refusals_are_limited(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    for _ in range(120):
        sign_in_client.request_code()
    assert SignInEvent.objects.filter(kind=SignInEvent.Kind.LIMITED).count() == 100
