"""Switching between monthly and yearly billing over HTTP (docs/rules.md, rule 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import Settings

from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider, iso_time
from billing.tests.support.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.django_db

UP, DOWN = "/api/account/upgrade", "/api/account/downgrade"
BOTH = [UP, DOWN]
MANAGE = "/api/account/manage-plans"
UNDO = "/api/account/subscription/remove-scheduled-change"
STATE = ("existingPlans", "bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")
MONEY = ("bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")


def pick_fields(answer: Any, names: Sequence[str]) -> dict[str, Any]:
    """Some of what an answer says."""
    body = answer.json()
    return {name: body[name] for name in names}


def omit_fields(body: dict[str, Any], *names: str) -> dict[str, Any]:
    """A body less some of its keys."""
    return {name: value for name, value in body.items() if name not in names}


@pytest.fixture
def ava(shop: SyncedProvider, bundles: None) -> Browser:
    """Ava, signed in, with a bundle of two, monthly, ten days into the month."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.provider.travel(days=10)
    return Browser(account)


@pytest.fixture
def ben(shop: SyncedProvider) -> Browser:
    """Ben, signed in, with one yearly plan."""
    account = shop.customer("ben")
    shop.subscribe("ben", FAITH, unit="Yearly")
    return Browser(account)


@pytest.mark.shows("rule-4", "data-5", "api-12", "api-13")
def test_an_upgrade_charges_what_was_shown_less_the_credit(shop: SyncedProvider, ava: Browser) -> None:
    shown = ava.get(f"{UP}/estimate?planIds={FAITH}")
    done = ava.post(UP, {"planIds": [FAITH], "quote": shown.json()["quote"]})
    assert done.status_code == 200
    invoice = shop.invoices("ava")[0]
    assert invoice["amount_paid"] == done.json()["dueNow"] == shown.json()["dueNow"]
    assert shown.json()["dueNow"] == invoice["total"] - shown.json()["credits"]
    assert pick_fields(done, ("isImmediate", "planIds", "annualSavings", "hasPaymentFailure")) == {
        "isImmediate": True,
        "planIds": [FAITH],
        "annualSavings": 12 * 629 - 6299,
        "hasPaymentFailure": False,
    }


@pytest.mark.shows("request-5")
def test_every_read_shows_an_upgrade_at_once(ava: Browser) -> None:
    shown = ava.get(f"{UP}/estimate?plan_ids={FAITH}")
    done = ava.post(UP, {"plan_ids": [FAITH]})
    assert pick_fields(done, STATE) == pick_fields(ava.get(MANAGE), STATE)
    assert pick_fields(done, MONEY) == pick_fields(shown, MONEY)
    assert [plan["periodUnit"] for plan in done.json()["existingPlans"]] == ["year", "month"]
    assert done.json()["otherTotal"] == {
        "periodUnit": "month",
        "total": 719,
        "bundleSavings": 80,
        "couponDiscount": 0,
    }
    assert ava.get("/api/invoice/list").json()[0]["total"] == 6299


@pytest.mark.shows("rule-4")
def test_both_are_upgraded_by_default(shop: SyncedProvider, ava: Browser) -> None:
    shown = ava.get(f"{UP}/estimate")
    done = ava.post(UP, {"quote": shown.json()["quote"]})
    assert done.json()["planIds"] == [FAITH, GOSPEL]
    assert sum(invoice["amount_paid"] for invoice in shop.invoices("ava")[:2]) == shown.json()["dueNow"]
    assert pick_fields(done, MONEY) == pick_fields(shown, MONEY)
    assert (done.json()["total"], done.json()["otherTotal"]) == (6299 + 7199, None)


@pytest.mark.shows("rule-4", "api-14", "api-15")
def test_a_downgrade_is_shown_as_it_will_be_and_scheduled(shop: SyncedProvider, ben: Browser) -> None:
    shown = ben.get(f"{DOWN}/estimate")
    done = ben.post(DOWN, {"quote": shown.json()["quote"]})
    plan = done.json()["existingPlans"][0]
    end = iso_time(shop.term_end(plan["subId"]))
    assert done.json() == shown.json()
    assert pick_fields(done, ("isImmediate", "effectiveAt", "dueNow", "credits", "total", "periodUnit")) == {
        "isImmediate": False,
        "effectiveAt": end,
        "dueNow": 0,
        "credits": 0,
        "total": 699,
        "periodUnit": "month",
    }
    assert (plan["amount"], plan["periodUnit"], plan["hasScheduledChange"]) == (699, "month", True)
    assert plan["scheduledPlan"] == {"periodUnit": "month", "amount": 699, "at": end}
    assert len(shop.invoices("ben")) == 1


def test_every_read_shows_that_a_downgrade_waits(shop: SyncedProvider, ben: Browser) -> None:
    done = ben.post(DOWN)
    plan = ben.get("/api/account").json()["plans"][0]
    assert (plan["amount"], plan["periodUnit"], plan["hasScheduledChange"]) == (6999, "year", True)
    assert plan["scheduledPlan"] == {
        "periodUnit": "month",
        "amount": 699,
        "at": done.json()["effectiveAt"],
    }
    assert ben.get(MANAGE).json()["total"] == 6999


def test_a_scheduled_downgrade_is_shown_as_it_will_be(ben: Browser) -> None:
    done = ben.post(DOWN).json()
    shown = ben.get(f"{DOWN}/estimate").json()
    named = ben.get(f"{DOWN}/estimate?planIds={FAITH}").json()
    assert omit_fields(shown, "quote") == omit_fields(named, "quote") == omit_fields(done, "quote")
    assert is_refusal(ben.post(DOWN), 409, "no_change")
    assert is_refusal(ben.post(DOWN, {"planIds": [FAITH]}), 409, "invalid_state")


def test_a_downgrade_can_be_undone_and_made_again(shop: SyncedProvider, ben: Browser) -> None:
    before = ben.get("/api/account").json()
    sub_id = ben.post(DOWN).json()["existingPlans"][0]["subId"]
    undone = ben.post(UNDO, {"subscriptionId": [sub_id]})
    assert undone.status_code == 200
    assert undone.json()["plans"] == before["plans"] == ben.get("/api/account").json()["plans"]
    assert ben.post(DOWN).status_code == 200
    assert shop.subscription(sub_id)["has_scheduled_changes"] is True


@pytest.mark.shows("rule-4", "data-5")
def test_a_trial_is_downgraded_at_once_and_its_end_stays(shop: SyncedProvider) -> None:
    carla = Browser(shop.customer("carla"))
    end = shop.timestamp_in_days(10)
    kids = shop.subscribe("carla", KIDS, unit="Yearly", trial_end=end)
    quote = carla.get(f"{DOWN}/estimate").json()["quote"]
    shop.provider.travel(hours=2)
    done = carla.post(DOWN, {"quote": quote})
    assert pick_fields(done, ("isImmediate", "dueNow", "total", "periodUnit")) == {
        "isImmediate": True,
        "dueNow": 0,
        "total": 899,
        "periodUnit": "month",
    }
    held = shop.subscription(kids)
    assert (held["status"], held["trial_end"], held["billing_period_unit"]) == ("in_trial", end, "month")
    assert pick_fields(done, STATE) == pick_fields(carla.get(MANAGE), STATE)


@pytest.mark.shows("request-8", "error-5", "reliability-9")
def test_a_declined_upgrade_changes_nothing(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    shop.provider.add_card("ava", DECLINING_CARD)
    answer = ava.post(UP, headers={"Idempotency-Key": "one"})
    assert is_refusal(answer, 402, "payment_processing_failed")
    shop.import_customer("ava")
    assert ava.get(MANAGE).json() == before
    assert ava.post(UP, headers={"Idempotency-Key": "one"}).json() == answer.json()
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("request-10", "error-18", "reliability-31")
def test_another_quote_is_refused_with_the_new_figures_and_nothing_is_done(shop: SyncedProvider, ava: Browser) -> None:
    answer = ava.post(UP, {"planIds": [FAITH], "quote": "of-another-day"})
    assert is_refusal(answer, 409, "quote_changed")
    shown = ava.get(f"{UP}/estimate?planIds={FAITH}").json()
    names = [name for name in shown if name not in ("effectiveAt", "existingPlans")]
    assert pick_fields(answer, names) == {name: shown[name] for name in names}
    assert [plan["periodUnit"] for plan in answer.json()["existingPlans"]] == ["year", "month"]
    assert not Command.objects.exists()
    assert len(shop.invoices("ava")) == 2


def test_the_quote_of_another_choice_is_refused(ava: Browser) -> None:
    quote = ava.get(f"{UP}/estimate?planIds={FAITH}").json()["quote"]
    assert is_refusal(ava.post(UP, {"quote": quote}), 409, "quote_changed")


@pytest.mark.shows("request-10")
def test_a_quote_is_outdated_by_days(shop: SyncedProvider, ava: Browser) -> None:
    quote = ava.get(f"{UP}/estimate").json()["quote"]
    shop.provider.travel(days=5)
    assert is_refusal(ava.post(UP, {"quote": quote}), 409, "quote_changed")


@pytest.mark.shows("error-17")
def test_it_refuses_where_nothing_is_of_the_other_period(ava: Browser, ben: Browser) -> None:
    answers = [ava.get(f"{DOWN}/estimate"), ava.post(DOWN), ben.get(f"{UP}/estimate"), ben.post(UP)]
    assert [is_refusal(answer, 409, "no_change") for answer in answers] == [True] * 4


def test_it_refuses_where_there_is_nothing_at_all(shop: SyncedProvider) -> None:
    ivy = Browser(shop.customer("ivy"))
    answers = [ivy.get(f"{UP}/estimate"), ivy.post(UP), ivy.get(f"{DOWN}/estimate"), ivy.post(DOWN)]
    assert [is_refusal(answer, 409, "no_change") for answer in answers] == [True] * 4


@pytest.mark.shows("rule-4")
@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("plan", [KIDS, FAITH])
def test_a_named_one_that_cannot_refuses_all(shop: SyncedProvider, ava: Browser, path: str, plan: str) -> None:
    """Kids is not held; the faith plan is about to pause, and monthly already."""
    faith = ava.get(MANAGE).json()["existingPlans"][0]["subId"]
    ava.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    answers = [
        ava.get(f"{path}/estimate?planIds={plan}&planIds={GOSPEL}"),
        ava.post(path, {"planIds": [plan, GOSPEL]}),
    ]
    assert [is_refusal(answer, 409, "invalid_state") for answer in answers] == [True, True]
    assert len(shop.invoices("ava")) == 2


def test_nothing_is_shown_or_changed_while_the_provider_is_away(ava: Browser, settings: Settings) -> None:
    before = ava.get(MANAGE).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    answers = [ava.get(f"{UP}/estimate"), ava.post(UP)]
    assert [is_refusal(answer, 503, "billing_unavailable") for answer in answers] == [True, True]
    assert ava.get(MANAGE).json() == before


def test_what_was_done_in_part_answers_with_the_state_as_it_is_and_a_repeat_finishes(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy
) -> None:
    def empty_the_account(request: bytes) -> None:
        """The first upgrade is paid for, and then the card is not good any more."""
        if b"/update_for_items" in request and len(shop.invoices("ava")) == 3:
            shop.provider.add_card("ava", DECLINING_CARD)

    faulty_proxy.on_answer = empty_the_account
    answer = ava.post(UP, headers={"Idempotency-Key": "one"})
    assert is_refusal(answer, 502, "billing_partial")
    assert [plan["periodUnit"] for plan in answer.json()["existingPlans"]] == ["year", "month"]
    assert pick_fields(answer, STATE) == pick_fields(ava.get(MANAGE), STATE)

    faulty_proxy.on_answer = lambda _request: None
    shop.provider.add_card("ava", "4111111111111111")
    again = ava.post(UP, headers={"Idempotency-Key": "one"})
    assert again.status_code == 200
    assert [plan["periodUnit"] for plan in again.json()["existingPlans"]] == ["year", "year"]
    assert len(shop.invoices("ava")) == 4


@pytest.mark.parametrize("body", [{}, {"planIds": [GOSPEL, FAITH]}])
def test_what_was_done_in_part_is_finished_without_the_key_too(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy, body: dict[str, Any]
) -> None:
    def empty_the_account(request: bytes) -> None:
        if b"/update_for_items" in request and len(shop.invoices("ava")) == 3:
            shop.provider.add_card("ava", DECLINING_CARD)

    faulty_proxy.on_answer = empty_the_account
    assert is_refusal(ava.post(UP, body), 502, "billing_partial")
    faulty_proxy.on_answer = lambda _request: None
    shop.provider.add_card("ava", "4111111111111111")
    again = ava.post(UP, body)
    assert again.status_code == 200
    assert [plan["periodUnit"] for plan in again.json()["existingPlans"]] == ["year", "year"]
    assert len(shop.invoices("ava")) == 4
    assert pick_fields(again, STATE) == pick_fields(ava.get(MANAGE), STATE)


def test_the_same_key_upgrades_once(shop: SyncedProvider, ava: Browser) -> None:
    answers = [ava.post(UP, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert answers[0].status_code == 200
    assert answers[0].json() == answers[1].json()
    assert len(shop.invoices("ava")) == 4


def test_an_answer_that_was_lost_is_found_again_by_the_key(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy
) -> None:
    shown = ava.get(f"{UP}/estimate?planIds={FAITH}").json()
    body = {"planIds": [FAITH], "quote": shown["quote"]}

    def lose(request: bytes) -> None:
        if b"/update_for_items" in request:
            faulty_proxy.lose_answers()

    faulty_proxy.on_answer = lose
    lost = ava.post(UP, body, headers={"Idempotency-Key": "one"})
    assert is_refusal(lost, 503, "billing_unconfirmed")
    faulty_proxy.on_answer = lambda _request: None
    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=Command.objects.get().first_sent_at)
    again = ava.post(UP, body, headers={"Idempotency-Key": "one"})
    assert again.status_code == 200
    assert again.json()["dueNow"] == shown["dueNow"]
    assert len(shop.invoices("ava")) == 3


@pytest.mark.shows("rule-8")
def test_an_upgrade_says_that_it_removes_the_free_month(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    shop.offer_free_month()
    faith = shop.subscribe("ava", FAITH)
    ava.post("/api/account/claim-my-offer")
    assert shop.coupons_on(faith) == ["FREE-MONTH"]
    shown = ava.get(f"{UP}/estimate")
    done = ava.post(UP, {"quote": shown.json()["quote"]})
    assert shown.json()["removesFreeMonth"] is done.json()["removesFreeMonth"] is True
    assert shop.coupons_on(faith) == []
    assert done.json()["existingPlans"][0]["hasFreeMonth"] is False
    assert pick_fields(done, MONEY) == pick_fields(shown, MONEY)
    assert shop.invoices("ava")[0]["amount_paid"] == shown.json()["dueNow"]


def test_it_answers_with_a_payment_failure_that_is_there(shop: SyncedProvider, ben: Browser) -> None:
    shop.provider.add_card("ben", DECLINING_CARD)
    term_end = shop.term_end(ben.get(MANAGE).json()["existingPlans"][0]["subId"])
    shop.provider.travel_to(term_end)
    shop.provider.travel(days=1)
    shop.import_customer("ben")
    assert ben.get(f"{DOWN}/estimate").json()["hasPaymentFailure"] is True
