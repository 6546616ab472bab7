"""Adding and removing plans over HTTP, after a preview (docs/rules.md, rule 5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, LEGACY, make_subscription, open_account
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider, iso_time
from billing.tests.support.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.django_db

ESTIMATE = "/api/account/add-remove-service/estimate"
CHANGE = "/api/account/add-remove-service"
MANAGE = "/api/account/manage-plans"
OF_READS = ("existingPlans", "plans", "bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")
MONEY = ("bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")


def pick_fields(answer: Any, names: Sequence[str]) -> dict[str, Any]:
    """Some of what an answer says."""
    body = answer.json()
    return {name: body[name] for name in names}


def existing_plan(answer: Any, plan: str) -> dict[str, Any]:
    """One of the existing plans of an answer."""
    match: dict[str, Any] = next(row for row in answer.json()["existingPlans"] if row["id"] == plan)
    return match


@pytest.fixture
def ava(shop: SyncedProvider, bundles: None) -> Browser:
    """Ava, signed in, with a bundle of two."""
    account = shop.customer("ava")
    # What tests remove comes first: should a second pass in between, it does not outlive the others' next bill.
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.mark.shows("api-10")
def test_an_addition_is_shown_with_its_money(shop: SyncedProvider, ava: Browser) -> None:
    answer = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL, KIDS]})
    assert answer.status_code == 200
    assert pick_fields(answer, ("dueNow", *MONEY)) == {
        "dueNow": 764,
        "bundleSavings": 105 + 120 + 135,
        "couponDiscount": 0,
        "total": 594 + 679 + 764,
        "periodUnit": "month",
        "otherTotal": None,
    }
    assert pick_fields(answer, ("added", "removed", "keptAgain", "plans")) == {
        "added": [KIDS],
        "removed": [],
        "keptAgain": [],
        "plans": [],
    }
    assert (
        existing_plan(answer, KIDS)["status"],
        existing_plan(answer, KIDS)["subId"],
        existing_plan(answer, KIDS)["amount"],
    ) == (
        "ACTIVE",
        None,
        899,
    )


def test_an_estimate_changes_nothing(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    ava.post(ESTIMATE, {"planIds": [KIDS]})
    assert ava.get(MANAGE).json() == before
    assert not Command.objects.exists()
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("rule-5", "api-11")
def test_an_addition_charges_what_was_shown_and_every_read_shows_it(shop: SyncedProvider, ava: Browser) -> None:
    shown = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL, KIDS]})
    done = ava.post(CHANGE, {"planIds": [FAITH, GOSPEL, KIDS], "quote": shown.json()["quote"]})
    assert done.status_code == 200
    assert shop.invoices("ava")[0]["amount_paid"] == done.json()["dueNow"] == shown.json()["dueNow"] == 764
    assert pick_fields(done, MONEY) == pick_fields(shown, MONEY)
    assert pick_fields(done, OF_READS) == ava.get(MANAGE).json()
    assert pick_fields(done, ("added", "removed", "hasPaymentFailure")) == {
        "added": [KIDS],
        "removed": [],
        "hasPaymentFailure": False,
    }
    assert ava.get("/api/invoice/list").json()[0]["total"] == 764
    assert existing_plan(done, KIDS)["subId"] is not None


@pytest.mark.shows("rule-5")
def test_a_removal_is_shown_and_ends_with_its_term(shop: SyncedProvider, ava: Browser) -> None:
    shown = ava.post(ESTIMATE, {"planIds": [FAITH]})
    done = ava.post(CHANGE, {"planIds": [FAITH], "quote": shown.json()["quote"]})
    end = iso_time(shop.term_end(existing_plan(done, GOSPEL)["subId"]))
    assert shown.json()["dueNow"] == done.json()["dueNow"] == 0
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)
    assert shown.json()["total"] == 699
    assert shown.json()["effectiveAt"] == end
    assert shown.json()["existingPlans"] == done.json()["existingPlans"]
    assert (existing_plan(done, GOSPEL)["status"], existing_plan(done, GOSPEL)["cancelAt"]) == (
        "NON_RENEWING",
        end,
    )
    assert pick_fields(done, OF_READS) == ava.get(MANAGE).json()
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("rule-5")
def test_what_was_removed_can_be_wanted_again(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    ava.post(CHANGE, {"planIds": [FAITH]})
    shown = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]})
    done = ava.post(CHANGE, {"planIds": [FAITH, GOSPEL], "quote": shown.json()["quote"]})
    assert done.json()["keptAgain"] == [GOSPEL]
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)
    assert ava.get(MANAGE).json() == before


def test_one_is_kept_again_and_one_added(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CHANGE, {"planIds": [FAITH]})
    wanted = [FAITH, GOSPEL, KIDS]
    shown = ava.post(ESTIMATE, {"planIds": wanted})
    done = ava.post(CHANGE, {"planIds": wanted, "quote": shown.json()["quote"]})
    assert pick_fields(done, ("added", "keptAgain")) == {"added": [KIDS], "keptAgain": [GOSPEL]}
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)
    assert shown.json()["total"] == 594 + 679 + 764


def test_one_is_added_and_one_removed(shop: SyncedProvider, ava: Browser) -> None:
    shown = ava.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    done = ava.post(CHANGE, {"planIds": [FAITH, KIDS], "quote": shown.json()["quote"]})
    assert pick_fields(done, ("added", "removed")) == {"added": [KIDS], "removed": [GOSPEL]}
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)
    assert pick_fields(done, OF_READS) == ava.get(MANAGE).json()


def test_what_is_added_while_another_ends_bills_next_at_the_rate_of_then(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CHANGE, {"planIds": [FAITH]})
    shown = ava.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    assert pick_fields(shown, ("added", "keptAgain")) == {"added": [KIDS], "keptAgain": []}
    done = ava.post(CHANGE, {"planIds": [FAITH, KIDS], "quote": shown.json()["quote"]})
    assert shop.invoices("ava")[0]["total"] == shown.json()["dueNow"]
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)


@pytest.mark.shows("rule-5")
def test_a_cancelled_service_starts_as_an_addition(shop: SyncedProvider) -> None:
    hugo = Browser(shop.customer("hugo"))
    old = shop.subscribe("hugo", KIDS)
    shop.client.Subscription.cancel_for_items(old, {"cancel_option": "immediately"})
    shop.import_customer("hugo")
    done = hugo.post(CHANGE, {"planIds": [KIDS]})
    assert pick_fields(done, ("added", "dueNow")) == {"added": [KIDS], "dueNow": 899}
    assert existing_plan(done, KIDS)["subId"] != old
    assert shop.subscription(old)["status"] == "cancelled"


def test_an_addition_beside_a_scheduled_pause_is_estimated(shop: SyncedProvider, bundles: None) -> None:
    ella = Browser(shop.customer("ella"))
    faith = shop.subscribe("ella", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ella", KIDS, coupon_ids=["BUNDLE-2"])
    ella.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    shown = ella.post(ESTIMATE, {"planIds": [FAITH, GOSPEL, KIDS]})
    done = ella.post(CHANGE, {"planIds": [FAITH, GOSPEL, KIDS], "quote": shown.json()["quote"]})
    assert done.status_code == 200
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)
    assert existing_plan(done, FAITH)["hasScheduledPause"] is True


def test_it_takes_snake_case_too(ava: Browser) -> None:
    assert ava.post(ESTIMATE, {"plan_ids": [FAITH]}).status_code == 200
    assert ava.post(CHANGE, {"plan_ids": [FAITH]}).status_code == 200


def test_a_quote_holds_while_the_figures_do(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CHANGE, {"planIds": [FAITH]})
    quote = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]}).json()["quote"]
    shop.provider.travel(hours=2)
    assert ava.post(CHANGE, {"planIds": [FAITH, GOSPEL], "quote": quote}).status_code == 200


@pytest.mark.shows("request-10", "error-18", "reliability-31")
def test_another_quote_is_refused_with_the_new_figures_and_nothing_is_done(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    wanted = [FAITH, GOSPEL, KIDS]
    answer = ava.post(CHANGE, {"planIds": wanted, "quote": "of-another-day"})
    assert is_refusal(answer, 409, "quote_changed")
    shown = ava.post(ESTIMATE, {"planIds": wanted}).json()
    del shown["effectiveAt"]
    assert {name: answer.json()[name] for name in shown} == shown
    assert ava.get(MANAGE).json() == before
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("reliability-31")
def test_a_price_that_rose_since_it_was_shown_is_shown_before_it_is_charged(shop: SyncedProvider, ava: Browser) -> None:
    wanted = {"planIds": [FAITH, GOSPEL, KIDS]}
    shown = ava.post(ESTIMATE, wanted).json()
    shop.client.ItemPrice.update(f"{KIDS}-USD-Monthly", {"price": 1099})

    answer = ava.post(CHANGE, {**wanted, "quote": shown["quote"]})

    assert is_refusal(answer, 409, "quote_changed")
    assert answer.json()["dueNow"] > shown["dueNow"]
    assert len(shop.invoices("ava")) == 2
    assert ava.post(CHANGE, {**wanted, "quote": answer.json()["quote"]}).status_code == 200
    assert shop.invoices("ava")[0]["total"] == answer.json()["dueNow"]


def test_the_quote_of_another_change_is_refused(ava: Browser) -> None:
    quote = ava.post(ESTIMATE, {"planIds": [FAITH]}).json()["quote"]
    assert is_refusal(ava.post(CHANGE, {"planIds": [GOSPEL], "quote": quote}), 409, "quote_changed")


@pytest.mark.shows("error-17")
@pytest.mark.parametrize("path", [ESTIMATE, CHANGE])
def test_it_refuses_what_is_no_difference(ava: Browser, path: str) -> None:
    assert is_refusal(ava.post(path, {"planIds": [GOSPEL, FAITH, GOSPEL]}), 409, "no_change")


@pytest.mark.shows("error-15", "rule-5")
def test_an_addition_that_nothing_can_pay_is_priced_and_refused(shop: SyncedProvider) -> None:
    ivy = Browser(shop.customer("ivy", card=None))
    assert ivy.post(ESTIMATE, {"planIds": [FAITH]}).json()["dueNow"] == 699
    assert is_refusal(ivy.post(CHANGE, {"planIds": [FAITH]}), 409, "payment_method_required")
    assert shop.invoices("ivy") == []


@pytest.mark.shows("reliability-9")
def test_a_declined_card_changes_nothing(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    shop.provider.add_card("ava", DECLINING_CARD)
    answer = ava.post(CHANGE, {"planIds": [GOSPEL, KIDS]})
    assert is_refusal(answer, 402, "payment_processing_failed")
    shop.import_customer("ava")
    assert ava.get(MANAGE).json() == before
    assert len(shop.invoices("ava")) == 2


def test_nothing_is_shown_or_changed_while_the_provider_is_away(ava: Browser, settings: Settings) -> None:
    before = ava.get(MANAGE).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    answers = [ava.post(path, {"planIds": [FAITH, GOSPEL, KIDS]}) for path in (ESTIMATE, CHANGE)]
    assert [is_refusal(answer, 503, "billing_unavailable") for answer in answers] == [True, True]
    assert [int(answer.headers["Retry-After"]) > 0 for answer in answers] == [True, True]
    assert ava.get(MANAGE).json() == before


def test_what_was_done_in_part_answers_with_the_state_as_it_is(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy
) -> None:
    gospel = existing_plan(ava.get(MANAGE), GOSPEL)["subId"]

    def pause_once_started(request: bytes) -> None:
        """Behind the portal's back, so that the provider then refuses the coupon of a paused one."""
        if b"/subscription_for_items" in request and shop.subscription(gospel)["status"] == "active":
            shop.client.Subscription.pause(gospel, {"pause_option": "immediately"})

    faulty_proxy.on_answer = pause_once_started
    answer = ava.post(CHANGE, {"planIds": [FAITH, GOSPEL, KIDS]})
    assert is_refusal(answer, 502, "billing_partial")
    assert pick_fields(answer, OF_READS) == ava.get(MANAGE).json()
    assert existing_plan(answer, KIDS)["status"] == "ACTIVE"


@pytest.mark.shows("rule-2")
@pytest.mark.parametrize("headers", [[{}, {}], [{"Idempotency-Key": "one"}] * 2])
def test_a_repeat_finishes_what_was_done_in_part(
    shop: SyncedProvider,
    ava: Browser,
    faulty_proxy: FaultyProxy,
    settings: Settings,
    headers: list[dict[str, str]],
) -> None:
    wanted, reachable = {"planIds": [FAITH, GOSPEL, KIDS]}, settings.CHARGEBEE_ENDPOINT

    def cut_once_started(request: bytes) -> None:
        if b"/subscription_for_items" in request:
            settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT

    faulty_proxy.on_answer = cut_once_started
    assert is_refusal(ava.post(CHANGE, wanted, headers=headers[0]), 502, "billing_partial")
    faulty_proxy.on_answer = lambda _request: None
    settings.CHARGEBEE_ENDPOINT = reachable
    done = ava.post(CHANGE, wanted, headers=headers[1])
    assert done.status_code == 200
    assert pick_fields(done, ("added", "dueNow", "total")) == {
        "added": [KIDS],
        "dueNow": 764,
        "total": 594 + 679 + 764,
    }
    ids = [plan["subId"] for plan in done.json()["existingPlans"]]
    assert [shop.coupons_on(handle) for handle in ids] == [["BUNDLE-3"]] * 3
    assert len(shop.invoices("ava")) == 3
    assert is_refusal(ava.post(CHANGE, wanted), 409, "no_change")


def test_the_same_key_adds_once(shop: SyncedProvider, ava: Browser) -> None:
    body = {"planIds": [FAITH, GOSPEL, KIDS]}
    answers = [ava.post(CHANGE, body, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert answers[0].status_code == 200
    assert answers[0].json() == answers[1].json()
    assert len(shop.invoices("ava")) == 3


def test_the_app_repeats_what_it_could_not_hear_the_end_of(shop: SyncedProvider, ava: Browser) -> None:
    body = {"planIds": [FAITH, GOSPEL, KIDS]}
    first = ava.post(CHANGE, body, headers={"Idempotency-Key": "one"})
    again = ava.post(CHANGE, body)
    assert is_refusal(again, 409, "no_change")
    assert first.status_code == 200
    assert len(shop.invoices("ava")) == 3


@pytest.mark.parametrize("path", [ESTIMATE, CHANGE])
def test_a_service_held_by_its_old_plan_is_no_addition(catalogue: None, no_provider: None, path: str) -> None:
    gia = Browser(open_account("gia", make_subscription("sub", LEGACY, owner="gia")))
    assert is_refusal(gia.post(path, {"planIds": [KIDS]}), 409, "invalid_state")


def test_a_paused_one_that_is_removed_ends_at_once_and_is_offered_again(shop: SyncedProvider, ava: Browser) -> None:
    faith = existing_plan(ava.get(MANAGE), FAITH)["subId"]
    shop.client.Subscription.pause(faith, {"pause_option": "immediately"})
    shop.import_customer("ava")
    shown = ava.post(ESTIMATE, {"planIds": [GOSPEL]})
    shop.provider.travel(hours=2)
    done = ava.post(CHANGE, {"planIds": [GOSPEL], "quote": shown.json()["quote"]})
    assert done.status_code == 200
    assert pick_fields(shown, OF_READS) == pick_fields(done, OF_READS) == ava.get(MANAGE).json()
    assert [plan["id"] for plan in done.json()["plans"]] == [FAITH, KIDS]
    assert shop.subscription(faith)["status"] == "cancelled"


@pytest.mark.shows("money-4")
def test_an_addition_beside_a_paused_one_is_a_bundle(shop: SyncedProvider, bundles: None) -> None:
    dan = Browser(shop.customer("dan"))
    shop.subscribe("dan", FAITH, coupon_ids=["BUNDLE-2"])
    gospel = shop.subscribe("dan", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.client.Subscription.pause(gospel, {"pause_option": "immediately"})
    shop.import_customer("dan")
    wanted = {"planIds": [FAITH, GOSPEL, KIDS]}
    shown = dan.post(ESTIMATE, wanted)
    done = dan.post(CHANGE, {**wanted, "quote": shown.json()["quote"]})
    assert pick_fields(shown, MONEY) == pick_fields(done, MONEY)
    assert (shown.json()["dueNow"], shown.json()["total"]) == (764, 594 + 764)
    assert shop.coupons_on(gospel) == ["BUNDLE-2"]


@pytest.mark.shows("error-19")
def test_it_is_refused_while_another_change_is_open(shop: SyncedProvider, ava: Browser) -> None:
    Command.objects.create(
        account=Account.objects.get(),
        kind="pause",
        key="of-another-tab",
        actor="you",
        steps=[],
        attempts=1,
        next_attempt_at=timezone.now() + timedelta(minutes=1),
    )
    answer = ava.post(CHANGE, {"planIds": [FAITH]})
    assert is_refusal(answer, 409, "change_in_progress")
    assert int(answer.headers["Retry-After"]) > 0
