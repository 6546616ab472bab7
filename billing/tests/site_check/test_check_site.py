"""`manage.py check_site` against the sandbox: what is as needed passes, and each fault is named with what to do."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from pytest_django import Settings

from accounts.brands import site
from accounts.models import SiteSettings
from billing import clock
from billing.gateway.http.transport import record_exchanges
from billing.tests.site_check.conftest import OK, UNREADABLE, CheckSite
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider


class TestReadySite:
    def test_it_passes_and_writes_nothing(self, ready_site: Provider, check_site: CheckSite):
        events = ready_site.sdk.Event.list({"limit": 100}).list

        with record_exchanges() as exchanges:
            report = check_site()

        assert (report.failure, report.wrong()) == ("", [])
        assert report.state("faith-family-plan: active, flat fee, USD, every year") == OK
        assert report.state("BUNDLE-2: active, 10 %, forever") == OK
        assert report.state("all events") == OK
        assert {exchange.method for exchange in exchanges} == {"GET"}
        assert ready_site.sdk.Event.list({"limit": 100}).list == events

    def test_what_cannot_be_read_never_passes_and_names_its_place(self, ready_site: Provider, check_site: CheckSite):
        report = check_site()

        unreadable = [finding for finding in report.findings if finding["state"] == UNREADABLE]
        assert {"America/New_York, as in the portal's site settings", "dunning on, with retries over days"} <= {
            finding["needed"] for finding in unreadable
        }
        assert all(
            finding["todo"].startswith(("Look at Settings", "Look at ", "Run check_site --try"))
            for finding in unreadable
        )
        assert report.state("the renewal of a subscription with a scheduled pause") == UNREADABLE

    def test_it_prints_a_table(self, ready_site: Provider):
        output = StringIO()

        call_command("check_site", stdout=output)

        lines = output.getvalue().splitlines()
        assert lines[0].split() == ["needed", "found", "what", "to", "do"]
        assert "Catalog" in lines
        assert lines[-1].endswith("cannot be read.")
        assert max(map(len, lines)) <= 160


class TestFaultySite:
    def test_a_missing_price(self, ready_site: Provider, check_site: CheckSite):
        ready_site.sdk.ItemPrice.update(f"{GOSPEL}-USD-Yearly", {"status": "archived"})

        report = check_site()

        [wrong] = report.wrong()
        assert wrong["needed"].startswith("gospel-tv-plan: active")
        assert wrong["found"] == "archived, flat fee, USD, every year"
        assert "gospel-tv-plan per year" in wrong["todo"]
        assert "1 wrong" in report.failure

    def test_a_plan_that_nobody_has_arranged(self, ready_site: Provider, check_site: CheckSite):
        ready_site.sdk.Item.create({"id": "opera", "name": "Opera", "type": "plan", "item_family_id": "streaming"})

        report = check_site()

        [catalog] = [finding for finding in report.findings if finding["needed"] == "only plans that the portal knows"]
        assert (catalog["state"], catalog["found"]) == ("look", "also opera")

    def test_invoices_of_several_plans(self, ready_site: Provider, check_site: CheckSite):
        ready_site.sandbox.configure_site(consolidated_invoices=True)
        ready_site.subscriber("ava", FAITH, GOSPEL)
        needed = "no consolidated invoices"
        assert check_site().state(needed) == UNREADABLE
        ready_site.travel(days=32)
        assert check_site().state(needed) == "look"

    def test_several_business_entities(self, ready_site: Provider, check_site: CheckSite):
        ready_site.sandbox.configure_site(business_entity="family")
        ready_site.subscriber("ava", FAITH)
        assert check_site().state("one business entity") == "look"

    def test_a_webhook_for_another_address_and_without_the_events_of_payments(
        self, ready_site: Provider, check_site: CheckSite, settings: Settings
    ):
        endpoint = ready_site.sdk.WebhookEndpoint.list().list[0].webhook_endpoint
        ready_site.sdk.WebhookEndpoint.update(endpoint.id, {"url": "https://elsewhere.example.com/webhooks/chargebee"})

        [wrong] = check_site().wrong()

        assert wrong["found"] == "https://elsewhere.example.com/webhooks/chargebee"
        assert f"{settings.BASE_URL}/webhooks/chargebee" in wrong["todo"]

        settings.ALLOWED_HOSTS = ["elsewhere.example.com"]
        settings.BASE_URL = "https://portal.example.com"
        ready_site.sdk.WebhookEndpoint.update(
            endpoint.id, {"enabled_events": ["customer_changed"], "api_version": "v1"}
        )

        assert [wrong["needed"] for wrong in check_site().wrong()] == ["API version 2", "all events"]

    def test_cards_of_a_gateway_whose_scripts_are_not_allowed(
        self, ready_site: Provider, check_site: CheckSite, settings: Settings
    ):
        ready_site.sandbox.configure_site(card_gateway="stripe")
        ready_site.subscriber("ava", FAITH)
        settings.CHARGEBEE_CARD_GATEWAYS = ["braintree"]

        [wrong] = check_site().wrong()

        assert wrong["found"] == "cards with stripe, which it does not name"
        assert "Set CHARGEBEE_CARD_GATEWAYS=braintree,stripe" in wrong["todo"]
        settings.CHARGEBEE_CARD_GATEWAYS = ["stripe"]
        assert check_site().wrong() == []

    def test_a_missing_and_a_changed_coupon(self, ready_site: Provider, check_site: CheckSite):
        SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
        ready_site.sdk.Coupon.update_for_items("BUNDLE-3", {"discount_percentage": 20.0})

        bundle, free_month = check_site().wrong()

        assert bundle["needed"] == "BUNDLE-3: active, 15 %, forever, each specified item"
        assert bundle["found"] == "active, 20 %, forever, each specified item"
        assert (free_month["needed"][:10], free_month["found"]) == ("FREE-MONTH", "missing")
        assert "Create or correct the coupon FREE-MONTH" in free_month["todo"]

    def test_another_time_zone(self, ready_site: Provider, check_site: CheckSite):
        """An upgrade at 22:00 in New York is prorated: the sandbox's site writes that day's date on its lines."""
        ready_site.travel_to(clock.billing_now().replace(hour=2, minute=0, second=0, microsecond=0).replace(day=20))
        ready_site.subscriber("ava", FAITH)
        ready_site.travel(days=3)
        subscription = ready_site.sdk.Subscription.list({"limit": 1}).list[0].subscription
        ready_site.sdk.Subscription.update_for_items(
            subscription.id,
            {
                "subscription_items": [{"item_price_id": f"{GOSPEL}-USD-Monthly"}],
                "replace_items_list": True,
                "prorate": True,
            },
        )
        assert check_site().wrong() == []
        settings_row = site.site_settings()
        settings_row.time_zone = "Asia/Kolkata"
        settings_row.save()

        [wrong] = check_site().wrong()

        assert wrong["found"] == "another: it writes 22-Mar-2026 for 23-Mar-2026 07:30 in Asia/Kolkata"
        assert "Business Profile" in wrong["todo"]
        assert "Site settings" in wrong["todo"]

    def test_keys_of_two_sites(self, ready_site: Provider, check_site: CheckSite, settings: Settings):
        settings.CHARGEBEE_PUBLISHABLE_KEY = "live_publishable"

        [wrong] = check_site().wrong()

        assert wrong["found"] == "CHARGEBEE_API_KEY is a test key, CHARGEBEE_PUBLISHABLE_KEY is a live key"

    @pytest.mark.parametrize("fault", [{"status": 403, "api_error_code": "api_authorization_failed"}])
    def test_a_key_that_may_not_read_the_webhooks(
        self, ready_site: Provider, check_site: CheckSite, fault: dict[str, str | int]
    ):
        ready_site.sandbox.order_fault("error", "/webhook_endpoints", **fault)

        [wrong] = check_site().wrong()

        assert (wrong["topic"], wrong["found"]) == ("Webhook", "refused: api_authorization_failed")

    def test_a_site_that_does_not_answer(self, ready_site: Provider, check_site: CheckSite, settings: Settings):
        settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"

        assert check_site().failure.startswith("The billing provider could not be reached")
