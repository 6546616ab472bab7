"""`check_site --try`: a subscriber's life on the sandbox, what it shows, and its recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import SiteSettings
from billing.site_check.assumptions import Assumption
from billing.site_check.trial.recording import Recording, find_differences
from billing.tests.site_check.conftest import OK, CheckSite
from billing.tests.support.live_provider import GOSPEL, KIDS, Provider
from conftest import Sandbox

# Recordings of real test sites, which the sandbox is held to. There is none yet.
RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.json"))


def test_the_sandbox_holds_every_assumption_and_nothing_is_left(
    ready_site: Provider, check_site: CheckSite, recording: Path
):
    report = check_site(tries=True, record=recording)

    assert (report.failure, report.wrong()) == ("", [])
    tried = {finding["needed"]: finding["state"] for finding in report.findings if finding["topic"] == "Assumptions"}
    assert tried == dict.fromkeys(Assumption, OK)
    assert report.state("America/New_York") == OK
    for resource in ("Customer", "Subscription", "Invoice", "PaymentSource"):
        assert getattr(ready_site.sdk, resource).list({}).list == []

    text = recording.read_text()
    assert not [word for word in ("check-site", "example.com", "Checked", "4111", "699", "faith") if word in text]
    steps = {step.name: step for step in Recording.load(recording).steps}
    assert "subscription_renewed" in steps["end_trial"].events
    assert steps["schedule_pause"].events == ["subscription_pause_scheduled"]
    declined = next(answer for answer in steps["resume_with_declining_card"].answers if answer.status == 400)
    assert declined.key == "POST /subscriptions/{id}/resume: 400 payment_processing_failed"
    assert [answer.key for answer in steps["repeat_refused_key"].answers] == [
        "POST /subscriptions/{id}/remove_scheduled_pause: 409 invalid_state_for_request",
        "POST /subscriptions/{id}/remove_scheduled_pause: 409 invalid_state_for_request replayed",
    ]
    paused = next(
        answer for answer in steps["let_pause_begin"].answers if answer.operation == "GET /subscriptions/{id}"
    )
    assert paused.attributes["subscription.status"] == "string active|string paused"
    assert paused.attributes["subscription.subscription_items[].amount"] == "integer"


@pytest.mark.parametrize(
    "chosen",
    [
        {"dunning_end": "cancel", "dunning_retries": 30, "unpaid_changes": True, "time_zone": "Asia/Kolkata"},
        {"dunning_end": "pause", "dunning_retries": 1, "card_gateway": "adyen", "time_zone": "Pacific/Honolulu"},
        {"unbilled_charges": True, "tax_percent": 7.25, "time_zone": "UTC", "consolidated_invoices": True},
    ],
    ids=["unpaid changes", "another gateway", "unbilled charges, tax and consolidated invoices"],
)
def test_it_passes_with_the_other_settings_of_a_site(
    ready_site: Provider, check_site: CheckSite, chosen: dict[str, str | float]
):
    ready_site.sandbox.configure_site(**chosen)
    SiteSettings.objects.update_or_create(pk=1, defaults={"time_zone": str(chosen["time_zone"])})

    report = check_site(tries=True)

    assert (report.failure, report.wrong()) == ("", [])
    assert report.state(f"{chosen['time_zone']}, as in the portal's") == OK
    assert report.state(Assumption.DUNNING_END) == OK


def test_another_life_is_like_the_recorded_ones_and_a_changed_one_is_told_apart(
    ready_site: Provider, check_site: CheckSite, tmp_path: Path
):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    check_site(tries=True, record=first)

    check_site(tries=True, record=second)

    recorded, replayed = Recording.load(first), Recording.load(second)
    assert find_differences(recorded, replayed) == []
    real_sites = {path.stem: find_differences(Recording.load(path), replayed) for path in RECORDINGS}
    assert real_sites == {name: [] for name in real_sites}
    [started, *others] = replayed.steps
    answer = started.answers[0]
    other_answer = replace(answer, attributes={**answer.attributes, "customer.id": "integer"})
    changed = replace(
        started, answers=[other_answer, *started.answers[1:]], events=[*started.events[1:], "mrr_updated"]
    )
    assert find_differences(recorded, Recording([changed, *others[1:]])) == [
        "create_customer: event customer_created is missing",
        "create_customer: event mrr_updated is not in the recording",
        "create_customer: POST /customers: 200: attribute customer.id is integer, and string in the recording",
        f"{others[0].name}: the step is missing",
    ]


def test_a_site_without_two_plans_is_checked_and_not_tried(ready_site: Provider, check_site: CheckSite):
    for plan in (GOSPEL, KIDS):
        ready_site.sdk.Item.update(plan, {"status": "archived"})
        ready_site.sdk.ItemPrice.update(f"{plan}-USD-Monthly", {"status": "archived"})

    report = check_site(tries=True)

    assert ("Trial", "1") in [(wrong["topic"], wrong["found"]) for wrong in report.wrong()]
    assert ready_site.sdk.Customer.list({"include_deleted": True}).list == []


def test_a_failed_step_is_named_and_what_a_killed_trial_left_is_deleted(ready_site: Provider, check_site: CheckSite):
    ready_site.sdk.Customer.create({"id": "check-site-0123456789ab", "email": "left@example.com"})
    ready_site.sandbox.order_fault("decline_payment", "*/subscription_for_items", skip=1)

    report = check_site(tries=True)

    [wrong] = [finding for finding in report.wrong() if finding["topic"] == "Trial"]
    assert wrong["needed"] == "the trial can start second"
    assert wrong["found"] == "PaymentRefused: payment_processing_failed"
    assert report.state(Assumption.PAUSED) == "cannot be read"
    assert report.state(Assumption.CANCELLATION) == OK
    assert ready_site.sdk.Customer.list({}).list == []


@pytest.mark.parametrize(
    ("names", "domain"),
    [
        ({"CHARGEBEE_API_KEY": "live_key"}, "portal-test"),
        ({"CHARGEBEE_SITE": "acme"}, "acme"),
        ({}, "portal"),
    ],
    ids=["a live key", "a live site's name", "a live site's domain"],
)
def test_it_refuses_a_live_site_and_writes_nothing(
    ready_site: Provider,
    check_site: CheckSite,
    settings: Settings,
    launch_sandbox: Callable[..., Sandbox],
    names: dict[str, str],
    domain: str,
):
    for name, value in names.items():
        setattr(settings, name, value)
    live = launch_sandbox(SANDBOX_API_KEY=settings.CHARGEBEE_API_KEY, SANDBOX_SITE=domain)
    settings.CHARGEBEE_ENDPOINT = live.endpoint

    report = check_site(tries=True)

    assert report.failure.startswith("This is not a test site")
    live.api_key = settings.CHARGEBEE_API_KEY
    assert live.client().Event.list({}).list == []


def test_a_recording_of_another_format_is_refused(recording: Path):
    recording.write_text(json.dumps({"format": 0, "steps": []}))

    with pytest.raises(ValueError, match="not a recording of format 1"):
        Recording.load(recording)
