"""Cancellation and its undo over HTTP (docs/rules.md, rules 2 and 7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import Account, AccountEvent, OutgoingMail, SiteSettings
from billing.models import CancellationFeedback, Command, PauseSchedule, Plan
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, LEGACY
from billing.tests.api.plans.cancellation_requests import CANCEL, CANCEL_SOME, KEEP, SURVEY, churn_event_kinds
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider, iso_time
from billing.tests.support.live_provider import undo_fingerprint, utc_time

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bundles")]


def provider_fingerprints(shop: SyncedProvider, *handles: str) -> list[dict[str, Any]]:
    """Return the state at the provider that an undo must restore, for each subscription."""
    return [undo_fingerprint(shop.subscription(handle)) for handle in handles]


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    """Return the account of a customer with a card."""
    return shop.customer("ava")


@pytest.mark.shows("rule-7", "api-25")
@pytest.mark.parametrize("unit", ["Monthly", "Yearly"])
def test_it_takes_effect_at_term_end_and_can_be_undone(shop: SyncedProvider, ava: Account, unit: str) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH, unit=unit)
    before, body_before = provider_fingerprints(shop, faith), browser.get("/api/account").json()
    response = browser.post(CANCEL, SURVEY)
    end = iso_time(shop.term_end(faith))
    assert response.status_code == 200
    assert response.json()["cancelled"] == [{"subId": faith, "name": "Faith & Family", "endsAt": end, "atOnce": False}]
    assert [plan["status"] for plan in response.json()["plans"]] == ["NON_RENEWING"]
    assert response.json()["plans"] == browser.get("/api/account").json()["plans"]
    assert shop.subscription(faith)["status"] == "non_renewing"
    assert browser.post(KEEP, {"subscriptionId": [faith]}).status_code == 200
    assert provider_fingerprints(shop, faith) == before
    assert browser.get("/api/account").json() == body_before
    assert churn_event_kinds() == ["cancelled", "kept"]


@pytest.mark.shows("rule-7")
def test_a_canceled_trial_runs_to_its_end_and_is_never_charged(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    kids = shop.subscribe("ava", KIDS, unit="Yearly", trial_end=shop.timestamp_in_days(10))
    before = provider_fingerprints(shop, kids)
    [cancelled] = browser.post(CANCEL).json()["cancelled"]
    assert cancelled["endsAt"] == iso_time(utc_time(shop.subscription(kids)["trial_end"]))
    browser.post(KEEP, {"subscriptionId": [kids]})
    assert provider_fingerprints(shop, kids) == before
    browser.post(CANCEL)
    shop.provider.travel(days=12)
    shop.import_customer("ava")
    assert shop.subscription(kids)["status"] == "cancelled"
    assert shop.invoices("ava") == []


@pytest.mark.shows("rule-7")
def test_a_paused_subscription_ends_immediately_with_its_schedule(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", faith)
    [cancelled] = browser.post(CANCEL, SURVEY).json()["cancelled"]
    assert cancelled["atOnce"] is True
    assert shop.subscription(faith)["status"] == "cancelled"
    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.closed_because) == ("cancelled", "cancelled")
    assert is_refusal(browser.post(KEEP, {"subscriptionId": [faith]}), 409, "invalid_state")
    assert churn_event_kinds() == ["pause_scheduled", "paused", "cancelled"]
    assert len(shop.invoices("ava")) == 1


@pytest.mark.parametrize(
    ("on_sale", "way_back", "link"),
    [(True, "You can start again anytime.", "Start again"), (False, "", "See your subscriptions")],
)
def test_the_mail_about_an_end_offers_a_new_start_only_of_what_is_sold(
    shop: SyncedProvider, ava: Account, *, on_sale: bool, way_back: str, link: str
) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", faith)
    Plan.objects.filter(pk=FAITH).update(on_sale=on_sale)
    browser.post(CANCEL, SURVEY)
    told = OutgoingMail.objects.latest("pk").context
    assert told["title"] == "Faith & Family was canceled"
    assert (told["undo_text"], told["action_label"]) == (way_back, link)


@pytest.mark.shows("rule-7")
def test_the_mail_about_different_ends_says_which_plan_is_over_already(shop: SyncedProvider, ava: Account) -> None:
    browser, gospel = Browser(ava), shop.subscribe("ava", GOSPEL)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", gospel)
    shop.subscribe("ava", FAITH)
    assert browser.post(CANCEL, SURVEY).status_code == 200
    told = OutgoingMail.objects.latest("pk").context
    assert told["title"] == "Your cancellation of Faith & Family is scheduled, and Gospel TV was canceled"
    assert told["undo_text"] == "Changed your mind? You can keep Faith & Family anytime before it ends."
    assert told["action_label"] == "Keep Faith & Family"


def test_the_mail_about_an_end_does_not_deny_an_overdue_bill(shop: SyncedProvider, ava: Account) -> None:
    faith = shop.subscribe("ava", FAITH)
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.pass_term_end("ava", faith, days=1)
    assert Browser(ava).post(CANCEL).status_code == 200
    told = OutgoingMail.objects.latest("pk").context
    assert "No more charges, except what you still owe." in told["lines"][0]


def leave_unbilled(shop: SyncedProvider, faith: str) -> None:
    """Let customer service raise the price in the running term, to be billed with the next bill."""
    dearer = {"item_price_id": f"{FAITH}-USD-Monthly", "quantity": 1, "unit_price": 1699}
    change = {"subscription_items": [dearer], "prorate": True, "invoice_immediately": False}
    shop.client.Subscription.update_for_items(faith, change)
    shop.import_customer("ava")


@pytest.mark.shows("rule-16")
def test_the_mail_about_an_immediate_end_names_what_was_left_to_bill(shop: SyncedProvider, ava: Account) -> None:
    faith = shop.subscribe("ava", FAITH)
    leave_unbilled(shop, faith)
    shop.client.Subscription.pause(faith, {"pause_option": "immediately"})
    shop.import_customer("ava")

    assert Browser(ava).post(CANCEL).status_code == 200

    newest = shop.invoices("ava")[0]
    told = OutgoingMail.objects.latest("pk").context
    assert (newest["amount_paid"], newest["status"]) == (1000, "paid")
    assert told["lines"] == ["Faith & Family ended immediately. We billed what was left to bill. No more charges."]
    assert ["Charged", "$10.00, taxes included"] in told["facts"]


def test_the_mail_about_an_end_does_not_deny_charges_that_wait(shop: SyncedProvider, ava: Account) -> None:
    leave_unbilled(shop, shop.subscribe("ava", FAITH))
    assert Browser(ava).get("/api/account").json()["hasUnbilledCharges"] is True
    assert Browser(ava).post(CANCEL).status_code == 200
    told = OutgoingMail.objects.latest("pk").context
    assert "No more charges, except what you still owe." in told["lines"][0]


@pytest.mark.shows("rule-7")
def test_a_subscription_that_has_not_started_ends_immediately_and_is_never_charged(
    shop: SyncedProvider, ava: Account
) -> None:
    browser = Browser(ava)
    kids = shop.subscribe("ava", KIDS, start_date=shop.timestamp_in_days(10))
    [plan] = browser.get("/api/account").json()["plans"]
    assert plan["startsAt"] == iso_time(utc_time(shop.subscription(kids)["start_date"]))
    response = browser.post(CANCEL, SURVEY)
    assert response.status_code == 200
    [cancelled] = response.json()["cancelled"]
    assert (cancelled["subId"], cancelled["atOnce"]) == (kids, True)
    assert shop.subscription(kids)["status"] == "cancelled"
    assert is_refusal(browser.post(KEEP, {"subscriptionId": [kids]}), 409, "invalid_state")
    shop.provider.travel(days=12)
    shop.import_customer("ava")
    assert [plan["status"] for plan in browser.get("/api/account").json()["plans"]] == ["CANCELLED"]
    assert shop.invoices("ava") == []


@pytest.mark.shows("rule-7")
def test_it_removes_a_scheduled_pause_and_the_undo_restores_it(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    faith, kids = (shop.subscribe("ava", plan, coupon_ids=["BUNDLE-2"]) for plan in (FAITH, KIDS))
    browser.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    before, body_before = provider_fingerprints(shop, faith, kids), browser.get("/api/account").json()
    resume_date = PauseSchedule.objects.get().resume_date
    response = browser.post(CANCEL_SOME, {"subscriptionIds": [faith], **SURVEY})
    assert response.json()["plans"][0]["hasScheduledPause"] is False
    assert "pause_date" not in shop.subscription(faith)
    assert shop.subscription(faith)["status"] == "non_renewing"
    assert PauseSchedule.objects.get().state == PauseSchedule.State.CANCELLED
    assert Command.objects.filter(kind="cancel").count() == 1
    browser.post(KEEP, {"subscriptionId": [faith]})
    assert provider_fingerprints(shop, faith, kids) == before
    assert browser.get("/api/account").json() == body_before
    assert PauseSchedule.objects.get(state="scheduled").resume_date == resume_date


@pytest.mark.shows("rule-7")
def test_the_undo_of_a_later_cancellation_restores_nothing_of_an_earlier_one(
    shop: SyncedProvider, ava: Account
) -> None:
    browser = Browser(ava)
    faith = shop.subscribe("ava", FAITH)
    browser.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    browser.post(CANCEL_SOME, {"subscriptionIds": [faith], **SURVEY})
    shop.client.Subscription.remove_scheduled_cancellation(faith, {})
    shop.provider.travel(days=65)
    shop.client.Subscription.cancel_for_items(faith, {"cancel_option": "end_of_term"})
    shop.import_customer("ava")
    assert browser.post(KEEP, {"subscriptionId": [faith]}).status_code == 200
    assert (shop.subscription(faith)["status"], shop.subscription(faith).get("pause_date")) == ("active", None)
    assert not PauseSchedule.objects.filter(state="scheduled").exists()


def test_it_removes_a_scheduled_downgrade_and_the_undo_restores_it(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    ids = [shop.subscribe("ava", plan, unit="Yearly", coupon_ids=["BUNDLE-2"]) for plan in (FAITH, KIDS)]
    browser.post("/api/account/downgrade", {"planIds": [FAITH]})
    before, body_before = provider_fingerprints(shop, *ids), browser.get("/api/account").json()
    body = browser.post(CANCEL, SURVEY).json()
    assert [plan["hasScheduledChange"] for plan in body["plans"]] == [False, False]
    for handle in ids:
        assert browser.post(KEEP, {"subscriptionId": [handle]}).status_code == 200
    assert provider_fingerprints(shop, *ids) == before
    assert browser.get("/api/account").json() == body_before
    assert body_before["plans"][0]["scheduledPlan"]["periodUnit"] == "month"


def test_the_undo_does_not_restore_an_archived_price(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH, unit="Yearly")
    before = provider_fingerprints(shop, faith)
    browser.post("/api/account/downgrade")
    browser.post(CANCEL)
    shop.client.ItemPrice.update(f"{FAITH}-USD-Monthly", {"status": "archived"})
    shop.provider.follow_clock()
    [plan] = browser.post(KEEP, {"subscriptionId": [faith]}).json()["plans"]
    assert (plan["status"], plan["hasScheduledChange"]) == ("ACTIVE", False)
    assert provider_fingerprints(shop, faith) == before


def test_the_undo_does_not_restore_a_pause_removed_earlier(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    browser.post("/api/account/pause?days=30")
    browser.post(CANCEL)
    browser.post(KEEP, {"subscriptionId": [faith]})
    browser.post("/api/account/remove-scheduled-pause")
    before = provider_fingerprints(shop, faith)
    browser.post(CANCEL)
    browser.post(KEEP, {"subscriptionId": [faith]})
    assert provider_fingerprints(shop, faith) == before


@pytest.mark.shows("api-26")
def test_it_cancels_the_named_plans_and_lowers_the_others_bundle(
    shop: SyncedProvider, ava: Account, bundle_of_three: list[str]
) -> None:
    browser = Browser(ava)
    before, body_before = provider_fingerprints(shop, *bundle_of_three), browser.get("/api/account/manage-plans").json()
    # Cancel the subscription that began first: its term is over when the others bill again.
    response = browser.post(CANCEL_SOME, {"subscriptionIds": [bundle_of_three[0]], **SURVEY})
    assert [plan["status"] for plan in response.json()["plans"]] == ["NON_RENEWING", "ACTIVE", "ACTIVE"]
    assert [shop.coupons_on(handle) for handle in bundle_of_three[1:]] == [["BUNDLE-2"], ["BUNDLE-2"]]
    assert browser.get("/api/account/manage-plans").json()["bundleSavings"] == 80 + 90
    browser.post(KEEP, {"subscriptionId": [bundle_of_three[0]]})
    assert provider_fingerprints(shop, *bundle_of_three) == before
    assert browser.get("/api/account/manage-plans").json() == body_before


def test_a_canceled_bundle_can_be_kept_plan_by_plan(
    shop: SyncedProvider, ava: Account, bundle_of_three: list[str]
) -> None:
    browser, before = Browser(ava), provider_fingerprints(shop, *bundle_of_three)
    assert len(browser.post(CANCEL, SURVEY).json()["cancelled"]) == 3
    browser.post(KEEP, {"subscriptionId": [bundle_of_three[2]]})
    assert shop.coupons_on(bundle_of_three[2]) == []
    for handle in bundle_of_three[:2]:
        browser.post(KEEP, {"subscriptionId": [handle]})
    assert provider_fingerprints(shop, *bundle_of_three) == before
    assert len(shop.invoices("ava")) == 3


@pytest.mark.shows("api-25")
def test_each_plan_ends_according_to_its_state(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    faith = shop.subscribe("ava", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", faith)
    gospel = shop.subscribe("ava", GOSPEL, unit="Yearly")
    kids = shop.subscribe("ava", KIDS, trial_end=shop.timestamp_in_days(5))
    body = browser.post(CANCEL, SURVEY).json()
    assert [plan["status"] for plan in body["plans"]] == ["CANCELLED", "NON_RENEWING", "NON_RENEWING"]
    assert [row["atOnce"] for row in body["cancelled"]] == [True, False, False]
    assert [shop.subscription(handle)["status"] for handle in (faith, gospel, kids)] == [
        "cancelled",
        "non_renewing",
        "in_trial",
    ]


def test_a_retired_plan_can_be_canceled_and_kept(shop: SyncedProvider) -> None:
    shop.provider.sell_legacy()
    gia, kids = Browser(shop.customer("gia")), shop.subscribe("gia", LEGACY)
    shop.provider.archive_legacy()
    before = provider_fingerprints(shop, kids)
    assert gia.post(CANCEL).json()["plans"][0]["status"] == "NON_RENEWING"
    assert gia.post(KEEP, {"subscriptionId": [kids]}).json()["plans"][0]["status"] == "ACTIVE"
    assert provider_fingerprints(shop, kids) == before


def test_it_refuses_a_second_cancel(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    gospel = shop.subscribe("ava", GOSPEL)
    browser.post(CANCEL_SOME, {"subscriptionIds": [faith]})
    ended, both = ({"subscriptionIds": ids} for ids in ([faith], [faith, gospel]))
    assert is_refusal(browser.post(CANCEL_SOME, ended), 409, "invalid_state")
    assert is_refusal(browser.post(CANCEL_SOME, both), 409, "invalid_state")
    assert shop.subscription(gospel)["status"] == "active"
    assert browser.post(CANCEL).status_code == 200
    assert is_refusal(browser.post(CANCEL), 409, "invalid_state")
    assert shop.count_events("subscription_cancellation_scheduled") == 2


def test_it_refuses_an_account_without_plans(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("ivy"))
    assert is_refusal(browser.post(CANCEL, SURVEY), 409, "invalid_state")
    assert CancellationFeedback.objects.get().outcome == "failed"


@pytest.mark.parametrize("ids", [[], "one", {"a": 1}, None, [["one"]]])
def test_a_list_of_subscriptions_is_required(ava: Account, shop: SyncedProvider, ids: object) -> None:
    assert is_refusal(Browser(ava).post(CANCEL_SOME, {"subscriptionIds": ids}), 400, "validation_error")
    assert is_refusal(Browser(ava).post(CANCEL_SOME, SURVEY), 400, "validation_error")


# --- Disabled by operators --------------------------------------------------------------------------------------------


@pytest.mark.shows("error-6", "rule-7")
def test_a_disabled_cancellation_is_refused_before_validation(shop: SyncedProvider, ava: Account) -> None:
    faith = shop.subscribe("ava", FAITH)
    SiteSettings.objects.update_or_create(pk=1, defaults={"enable_cancel_button": False})
    browser = Browser(ava)
    malformed = {"Idempotency-Key": "x" * 200}
    responses = [
        browser.post(CANCEL, SURVEY),
        browser.post(CANCEL, {"reason": "no such"}, headers=malformed),
        browser.post(CANCEL_SOME, {"subscriptionIds": ["nobodys"]}),
    ]
    assert [is_refusal(response, 403, "cancel_disabled") for response in responses] == [True] * 3
    assert "Contact Customer Service" in responses[0].json()["message"]
    browser.credentials(HTTP_AUTHORIZATION="Bearer wrong")
    assert is_refusal(browser.post(CANCEL), 401, "not_authenticated")
    assert shop.subscription(faith)["status"] == "active"


# --- Retries and failures ---------------------------------------------------------------------------------------------


def test_a_repeated_key_cancels_once_and_another_tab_is_refused(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    shop.subscribe("ava", FAITH)
    responses = [browser.post(CANCEL, SURVEY, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert responses[0].json() == responses[1].json()
    assert is_refusal(browser.post(CANCEL, SURVEY, headers={"Idempotency-Key": "two"}), 409, "invalid_state")
    assert is_refusal(browser.post(CANCEL, headers={"Idempotency-Key": "one"}), 409, "idempotency_key_reused")
    assert shop.count_events("subscription_cancellation_scheduled") == 1
    assert list(CancellationFeedback.objects.order_by("pk").values_list("outcome", flat=True)) == [
        "cancelled",
        "failed",
    ]
    assert churn_event_kinds() == ["cancelled"]


def test_the_survey_is_stored_while_the_provider_is_unavailable(
    shop: SyncedProvider, ava: Account, settings: Settings
) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    endpoint, body_before = settings.CHARGEBEE_ENDPOINT, browser.get("/api/account").json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    headers = {"Idempotency-Key": "one"}
    response = browser.post(CANCEL, SURVEY, headers=headers)
    assert is_refusal(response, 503, "billing_unavailable")
    assert int(response.headers["Retry-After"]) > 0
    assert CancellationFeedback.objects.get().outcome == "failed"
    assert browser.get("/api/account").json() == body_before
    settings.CHARGEBEE_ENDPOINT = endpoint
    assert browser.post(CANCEL, SURVEY, headers=headers).status_code == 200
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert shop.subscription(faith)["status"] == "non_renewing"
    assert churn_event_kinds() == ["cancelled"]


def test_the_survey_is_stored_when_the_provider_refuses(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    shop.client.Subscription.cancel_for_items(faith, {"cancel_option": "immediately"})
    assert is_refusal(browser.post(CANCEL, SURVEY), 409, "invalid_state")
    assert browser.get("/api/account").json()["plans"][0]["status"] == "CANCELLED"
    feedback = CancellationFeedback.objects.get()
    assert (feedback.outcome, feedback.reason) == ("failed", "Too expensive")


@pytest.mark.shows("error-31", "rule-2")
def test_a_partial_cancellation_is_reported_and_a_retry_finishes_it(
    shop: SyncedProvider, ava: Account, bundle_of_three: list[str]
) -> None:
    browser = Browser(ava)
    # The mirror does not know of this, so the provider accepts the first cancellation and refuses the second.
    shop.client.Subscription.cancel_for_items(bundle_of_three[1], {"cancel_option": "immediately"})
    response = browser.post(CANCEL, SURVEY)
    assert is_refusal(response, 502, "billing_partial")
    assert [plan["status"] for plan in response.json()["plans"]] == ["NON_RENEWING", "CANCELLED", "ACTIVE"]
    assert [row["subId"] for row in response.json()["cancelled"]] == bundle_of_three[:2]
    assert CancellationFeedback.objects.get().outcome == "partly"
    assert browser.post(CANCEL, SURVEY).status_code == 200
    assert shop.subscription(bundle_of_three[2])["status"] == "non_renewing"


@pytest.mark.shows("rule-16")
def test_it_creates_one_receipt_and_one_activity_entry(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    shop.subscribe("ava", FAITH)
    OutgoingMail.objects.all().delete()
    browser.post(CANCEL, SURVEY)
    [mail] = OutgoingMail.objects.all()
    assert mail.context["title"] == "Your cancellation of Faith & Family is scheduled"
    assert "Too expensive" not in json.dumps(mail.context)
    assert AccountEvent.objects.filter(kind="cancelled", actor="you").count() == 1


def test_the_undo_restores_a_waiting_free_month(shop: SyncedProvider, ava: Account) -> None:
    shop.offer_free_month()
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    browser.post("/api/account/claim-my-offer")
    before = provider_fingerprints(shop, faith)
    OutgoingMail.objects.all().delete()
    browser.post(CANCEL)
    sentence = "Your free month of Faith & Family won't be used unless you undo this."
    assert sentence in OutgoingMail.objects.get().context["lines"]
    browser.post(KEEP, {"subscriptionId": [faith]})
    assert provider_fingerprints(shop, faith) == before
    assert browser.get("/api/account").json()["plans"][0]["hasFreeMonth"] is True


@pytest.mark.shows("api-25")
@pytest.mark.shows("rule-6")
@pytest.mark.parametrize("way", ["undone", "selected again"])
def test_a_kept_plan_has_the_end_again_that_customer_service_agreed_on(
    shop: SyncedProvider, ava: Account, way: str
) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH, billing_cycles=3)
    assert browser.post(CANCEL).status_code == 200
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "undone": (KEEP, {"subscriptionId": [faith]}),
        "selected again": ("/api/account/add-remove-service", {"planIds": [FAITH]}),
    }
    assert browser.post(*requests[way]).status_code == 200
    assert shop.subscription(faith)["remaining_billing_cycles"] == 2

    shop.provider.travel(days=120)

    assert shop.subscription(faith)["status"] == "cancelled"
    assert len(shop.invoices("ava")) == 3


def test_a_change_of_many_long_names_is_told_in_as_much_as_the_activity_holds(
    shop: SyncedProvider, ava: Account
) -> None:
    # With a combining mark, which takes a place of its own.
    Plan.objects.filter(pk=FAITH).update(
        name="Faith & Family with everything that anybody could want, for each nin\u0303o"
    )
    subscriptions = [shop.subscribe("ava", FAITH) for _ in range(7)]
    browser = Browser(ava)

    assert browser.post(CANCEL).status_code == 200

    assert [shop.subscription(handle)["status"] for handle in subscriptions] == ["non_renewing"] * 7
    told = browser.get("/api/account/activity").json()[0]["text"]
    assert (len(told), told[-1]) == (500, "…")
    assert OutgoingMail.objects.get().context["title"].startswith(told[:-1])


@pytest.mark.shows("rule-7")
def test_the_undo_restores_a_pause_by_customer_service_without_an_end(shop: SyncedProvider, ava: Account) -> None:
    browser, faith = Browser(ava), shop.subscribe("ava", FAITH)
    shop.client.Subscription.pause(faith, {"pause_option": "end_of_term"})
    shop.import_customer("ava")
    before = browser.get("/api/account").json()["plans"]
    assert before[0]["resumeDate"] is None
    assert browser.post(CANCEL).status_code == 200
    assert browser.post(KEEP, {"subscriptionId": [faith]}).json()["plans"] == before
    assert not PauseSchedule.objects.exists()
