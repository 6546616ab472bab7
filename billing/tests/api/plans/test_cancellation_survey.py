"""The survey of a cancellation, and what is offered instead, over HTTP (docs/rules.md, rules 2 and 7)."""

from __future__ import annotations

import pytest

from accounts.models import Account, Brand
from billing.models import CancellationFeedback, ChurnEvent, SurveyQuestion
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.plans.cancellation_requests import CANCEL, CANCEL_SOME, KEEP, SURVEY, churn_event_kinds
from billing.tests.api.synced_provider import SyncedProvider

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bundles")]


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    """Return the account of a customer with a card."""
    return shop.customer("ava")


@pytest.mark.shows("rule-7", "api-25")
def test_the_survey_is_stored_with_the_canceled_plans(
    shop: SyncedProvider, ava: Account, bundle_of_three: list[str]
) -> None:
    browser = Browser(ava)
    browser.post(CANCEL_SOME, {"subscriptionIds": bundle_of_three[:2], "offer": "pause", **SURVEY})
    feedback = CancellationFeedback.objects.get()
    assert (feedback.reason, feedback.satisfaction, feedback.usage) == (
        "Too expensive",
        "Neutral",
        "Once a week",
    )
    assert (feedback.outcome, feedback.offer, feedback.actor, feedback.account) == (
        "cancelled",
        "pause",
        "you",
        ava,
    )
    assert (feedback.services, feedback.plan_ids) == (["faith-family", "gospel-TV"], [FAITH, GOSPEL])
    assert feedback.subscription_ids == bundle_of_three[:2]
    assert churn_event_kinds() == ["cancelled", "offer_shown", "offer_refused"] * 2
    event = ChurnEvent.objects.filter(kind="cancelled").first()
    assert event is not None
    assert (event.reason, event.usage, event.command) == ("Too expensive", "Once a week", feedback.command)


def test_a_save_is_counted_with_the_survey_of_the_cancellation(
    shop: SyncedProvider, ava: Account, bundle_of_three: list[str]
) -> None:
    browser = Browser(ava)
    browser.post(CANCEL_SOME, {"subscriptionIds": bundle_of_three[:1], **SURVEY})
    browser.post(KEEP, {"subscriptionId": bundle_of_three[:1]})
    saved = ChurnEvent.objects.get(kind="kept")
    assert (saved.reason, saved.satisfaction, saved.usage) == ("Too expensive", "Neutral", "Once a week")


@pytest.mark.shows("cancel-8")
def test_the_survey_can_be_left_empty(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    shop.subscribe("ava", FAITH)
    unanswered = {"reason": None, "satisfactionLevel": None, "dailyUsage": None, "offer": None}
    assert browser.post(CANCEL, unanswered).status_code == 200
    feedback = CancellationFeedback.objects.get()
    assert (feedback.reason, feedback.satisfaction, feedback.usage, feedback.offer) == ("", "", "", "")
    assert churn_event_kinds() == ["cancelled"]


@pytest.mark.shows("cancel-12")
@pytest.mark.parametrize("field", ["reason", "satisfactionLevel", "dailyUsage", "offer"])
@pytest.mark.parametrize("value", ["Too  expensive", "too expensive", "", 1, True, ["Neutral"], {"a": "b"}])
def test_an_unknown_survey_option_is_refused(shop: SyncedProvider, ava: Account, field: str, value: object) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    response = browser.post(CANCEL, {field: value})
    assert is_refusal(response, 400, "validation_error")
    assert list(response.json()["fields"]) == [field]
    assert shop.subscription(faith)["status"] == "active"
    assert not CancellationFeedback.objects.exists()


@pytest.mark.shows("cancel-12")
def test_an_answer_that_operators_added_or_took_away_is_accepted(shop: SyncedProvider, ava: Account) -> None:
    SurveyQuestion.objects.filter(question="reason").update(answers="One\nTwo", former_answers=["Once offered"])
    browser = Browser(ava)
    for reason in ("Two", "Once offered", "Too expensive"):
        faith = shop.subscribe("ava", FAITH)
        assert browser.post(CANCEL_SOME, {"subscriptionIds": [faith], "reason": reason}).status_code == 200
    assert set(CancellationFeedback.objects.values_list("reason", flat=True)) == {
        "Two",
        "Once offered",
        "Too expensive",
    }


# --- Offers -----------------------------------------------------------------------------------------------------------


def test_a_pause_offered_by_a_screen_counts_as_an_accepted_offer(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    browser.post("/api/account/pause?days=30&offer=cancel_screen")
    assert churn_event_kinds() == ["pause_scheduled", "offer_shown", "offer_taken"]
    browser.post("/api/account/remove-scheduled-pause")
    named = {"subscriptionId": [faith], "offer": "pause_offer"}
    browser.post("/api/account/subscriptions/multiple-pause", named)
    assert churn_event_kinds()[3:] == ["pause_scheduled", "offer_shown", "offer_taken"]
    wrong = browser.post("/api/account/pause?days=30&offer=elsewhere")
    assert is_refusal(wrong, 400, "validation_error")


def test_the_survey_is_stored_when_a_pause_is_chosen_instead(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    pause = {"subscriptionId": [faith], "offer": "cancel_screen", **SURVEY}
    assert browser.post("/api/account/subscriptions/multiple-pause", pause).status_code == 200
    assert is_refusal(browser.post("/api/account/subscriptions/multiple-pause", pause), 409, "already_paused")
    refusal, feedback = CancellationFeedback.objects.all()
    assert (refusal.outcome, feedback.outcome, feedback.subscription_ids) == ("failed", "paused", [faith])
    survey = {"reason": "Too expensive", "satisfaction": "Neutral", "usage": "Once a week", "offer": "pause"}
    assert {name: getattr(feedback, name) for name in survey} == survey
    assert {name: getattr(refusal, name) for name in survey} == survey
    assert list(ChurnEvent.objects.order_by("pk").values_list("kind", "reason", "offer")) == [
        ("pause_scheduled", "Too expensive", "pause"),
        ("offer_shown", "Too expensive", "pause"),
        ("offer_taken", "Too expensive", "pause"),
    ]
    refused = browser.post("/api/account/subscriptions/multiple-pause", {**pause, "reason": "Boredom"})
    assert is_refusal(refused, 400, "validation_error")
    assert CancellationFeedback.objects.count() == 2


def test_a_claimed_free_month_counts_as_an_accepted_offer(shop: SyncedProvider, ava: Account) -> None:
    shop.offer_free_month()
    shop.subscribe("ava", FAITH)
    Browser(ava).post("/api/account/claim-my-offer")
    assert list(ChurnEvent.objects.order_by("pk").values_list("kind", "offer")) == [
        ("offer_shown", "free_month"),
        ("offer_taken", "free_month"),
    ]


def test_events_of_jobs_and_the_provider_keep_the_brand(shop: SyncedProvider, ava: Account) -> None:
    for code, host in (("kids", "kids.example.com"), ("faith-family", "testserver")):
        Brand.objects.create(code=code, name=code, host_names=[host], is_default=code == "faith-family")
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    browser.post("/api/account/pause?days=30", headers={"Host": "kids.example.com"})
    shop.pass_term_end("ava", faith)
    shop.client.Subscription.resume(faith, {"resume_option": "immediately"})
    shop.import_customer("ava")
    browser.post(CANCEL, SURVEY)
    assert list(ChurnEvent.objects.order_by("pk").values_list("kind", "brand")) == [
        ("pause_scheduled", "kids"),
        ("paused", "kids"),
        ("resumed", "kids"),
        ("cancelled", "faith-family"),
    ]


def test_the_survey_outlives_its_account(shop: SyncedProvider, ava: Account) -> None:
    shop.subscribe("ava", FAITH)
    Browser(ava).post(CANCEL, SURVEY)
    ava.user.delete()
    feedback, event = CancellationFeedback.objects.get(), ChurnEvent.objects.get()
    assert (feedback.account, feedback.outcome, feedback.reason) == (None, "cancelled", "Too expensive")
    assert (event.account, event.plan_id, event.reason) == (None, FAITH, "Too expensive")
