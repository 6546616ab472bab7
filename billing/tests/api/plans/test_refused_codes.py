"""Codes that a subscriber cannot redeem are remembered for support (docs/rules.md, rule 9)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import quote as percent_encoded

import pytest
from pytest_django import Settings

from accounts.models import Account
from billing import clock
from billing.models import RefusedCode
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider

pytestmark = pytest.mark.django_db

CARD_NUMBER = "4111 1111-1111.1111"


def redeem_code(browser: Browser, code: str, **headers: str) -> Any:
    """Redeem a code, percent-encoded as a browser encodes it in a URL."""
    return browser.post(f"/api/account/add-coupon/{percent_encoded(code, safe='')}", {}, headers=headers)


def refusals() -> list[tuple[str, str]]:
    """Return the refused codes and their reasons, oldest first."""
    return list(RefusedCode.objects.order_by("pk").values_list("code", "reason"))


@pytest.fixture
def ava(shop: SyncedProvider) -> Browser:
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    return Browser(account)


@pytest.mark.shows("rule-9")
def test_a_refused_code_is_remembered_with_its_reason(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("SAVE20", percent=20)
    shop.coupon("OLD", percent=10, valid_till=shop.timestamp_in_days(-9))
    for code in ("NOSUCHCODE", "SAVE 20\x00", "OLD", "SAVE20", "save20"):
        redeem_code(ava, code)
    redeem_code(Browser(shop.customer("zoe")), "SAVE20")
    assert refusals() == [
        ("NOSUCHCODE", "coupon_not_found"),
        ("SAVE 20", "coupon_not_found"),
        ("OLD", "coupon_expired"),
        ("save20", "coupon_already_applied"),
        ("SAVE20", "no_active_subscription"),
    ]
    assert RefusedCode.objects.latest("pk").account.email == "zoe@example.com"


def test_a_repeated_key_is_remembered_once(ava: Browser) -> None:
    answers = [redeem_code(ava, "NOSUCHCODE", **{"Idempotency-Key": "k1"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert len(refusals()) == 1


def test_what_says_nothing_about_the_code_is_not_remembered(ava: Browser, settings: Settings) -> None:
    assert redeem_code(ava, "x" * 31).status_code == 400
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    assert is_refusal(redeem_code(ava, "NOSUCHCODE"), 503, "billing_unavailable")
    assert refusals() == []


def test_of_a_cards_number_only_the_last_digits_are_remembered(ava: Browser) -> None:
    redeem_code(ava, CARD_NUMBER)
    redeem_code(ava, CARD_NUMBER.replace(" ", "").replace("-", "").replace(".", ""))
    redeem_code(ava, "202611271234")
    assert [code for code, _ in refusals()] == ["**** ****-****.1111", "************1111", "202611271234"]


def test_an_account_has_a_bounded_number_of_them(ava: Browser, shop: SyncedProvider) -> None:
    owner, bob = Account.objects.get(), shop.customer("bob")
    for account in (owner, bob):
        RefusedCode.objects.bulk_create(
            RefusedCode(
                account=account,
                code=f"GUESS{number}",
                reason="coupon_not_found",
                at=clock.billing_now() - timedelta(minutes=100 - number),
            )
            for number in range(50)
        )
    redeem_code(ava, "ONEMORE")
    kept = RefusedCode.objects.filter(account=owner).order_by("at").values_list("code", flat=True)
    assert list(kept) == [*(f"GUESS{number}" for number in range(1, 50)), "ONEMORE"]
    assert RefusedCode.objects.filter(account=bob).count() == 50
