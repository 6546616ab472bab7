"""The demo accounts, seeded on ordinary days and around a leap day."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chargebee_sandbox.seeds.term_dates import MOST_HOURS_EARLIER, find_movable_bill

ROOT = Path(__file__).resolve().parents[2]
DAY = 86_400
FAITH, GOSPEL, KIDS = "faith-family-plan-USD-Monthly", "gospel-tv-plan-USD-Monthly", "Minno-Plan-USD-Monthly"
SERMONS = "sermon-library-USD-Quarterly"

SEED_DAYS = [
    datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC),
    datetime(2027, 1, 31, tzinfo=UTC),
    datetime(2027, 10, 23, 7, 30, tzinfo=UTC),  # 130 days before a leap day
    datetime(2028, 2, 17, 18, tzinfo=UTC),  # twelve days before one
    datetime(2028, 2, 29, tzinfo=UTC),
    datetime(2028, 3, 31, 12, tzinfo=UTC),
]


@dataclass
class Seeded:
    """A seeded database, read from its file."""

    file: Path
    present: int

    def read_bodies(self, table: str, **where: str) -> list[dict[str, Any]]:
        """Return the bodies of the rows with these attributes, in order of creation."""
        with sqlite3.connect(self.file) as database:
            query = f"SELECT body FROM sandbox_{table} ORDER BY seq"  # noqa: S608  (the names are this file's own)
            rows = database.execute(query).fetchall()
        bodies = [json.loads(body) for (body,) in rows]
        return [body for body in bodies if all(body.get(name) == value for name, value in where.items())]

    def read_value(self, query: str) -> Any:
        """Return the only value of a query."""
        with sqlite3.connect(self.file) as database:
            return database.execute(query).fetchone()[0]

    def subscriptions_of(self, customer: str) -> dict[str, dict[str, Any]]:
        """Return a customer's subscriptions by item price."""
        bodies = self.read_bodies("subscription", customer_id=customer)
        return {body["subscription_items"][0]["item_price_id"]: body for body in bodies}

    def invoice_counts(self, customer: str) -> Counter[str]:
        """Return how many invoices a customer has of each status."""
        return Counter(body["status"] for body in self.read_bodies("invoice", customer_id=customer))

    def payment_sources_of(self, customer: str) -> list[tuple[str, bool]]:
        """Return a customer's payment sources (card brand or type), each with whether it is the primary one."""
        primary = self.read_bodies("customer", id=customer)[0].get("primary_payment_source_id")
        bodies = [body for body in self.read_bodies("paymentsource", customer_id=customer) if not body["deleted"]]
        return [(body.get("card", body).get("brand", body["type"]), body["id"] == primary) for body in bodies]


def run_seeds(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "VAR_DIR": str(folder), "SANDBOX_DATABASE": str(folder / "sandbox.sqlite3")}
    command = [sys.executable, "-m", "chargebee_sandbox.seeds", *arguments]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return run.stdout


@pytest.fixture(scope="module")
def seed_on(tmp_path_factory: pytest.TempPathFactory) -> Callable[[datetime], Seeded]:
    """Return a function that returns what was seeded on a day, once for all tests."""

    @cache
    def seed_once(day: datetime) -> Seeded:
        folder, present = tmp_path_factory.mktemp("seeded"), int(day.timestamp())
        run_seeds(folder, "--present", str(present))
        return Seeded(folder / "sandbox.sqlite3", present)

    return seed_once


@pytest.fixture(params=SEED_DAYS, ids=lambda day: f"{day:%Y-%m-%d}")
def seeded(request: pytest.FixtureRequest, seed_on: Callable[[datetime], Seeded]) -> Seeded:
    return seed_on(request.param)


def days_from_now(seeded: Seeded, instant: int) -> float:
    return (instant - seeded.present) / DAY


def coupon_ids(subscription: dict[str, Any]) -> list[str]:
    return [coupon["coupon_id"] for coupon in subscription["coupons"]]


def test_ava_has_a_bundle_of_two_and_a_year_of_paid_invoices(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("ava")

    assert {price: body["status"] for price, body in subscriptions.items()} == {
        FAITH: "active",
        GOSPEL: "active",
    }
    assert [coupon_ids(body) for body in subscriptions.values()] == [["BUNDLE-2"], ["BUNDLE-2"]]
    assert [1 < days_from_now(seeded, body["current_term_end"]) < 28 for body in subscriptions.values()] == [
        True,
        True,
    ]
    assert seeded.payment_sources_of("ava") == [("visa", True), ("mastercard", False)]
    assert set(seeded.invoice_counts("ava")) == {"paid"}
    assert seeded.invoice_counts("ava").total() >= 14
    assert {body["total"] for body in seeded.read_bodies("invoice", customer_id="ava")} == {629, 719}


def test_ben_has_a_yearly_plan_that_renews_after_ninety_days(seeded: Seeded) -> None:
    [plan] = seeded.subscriptions_of("ben").values()

    assert (plan["status"], plan["billing_period_unit"]) == ("active", "year")
    assert 90 < days_from_now(seeded, plan["next_billing_at"]) < 366
    assert seeded.payment_sources_of("ben") == [("american_express", True)]
    assert [body["total"] for body in seeded.read_bodies("invoice", customer_id="ben")] == [6999]


def test_carla_has_a_yearly_plan_in_trial(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("carla")

    assert list(subscriptions) == ["Minno-Plan-USD-Yearly"]
    assert subscriptions["Minno-Plan-USD-Yearly"]["status"] == "in_trial"
    assert days_from_now(seeded, subscriptions["Minno-Plan-USD-Yearly"]["trial_end"]) == 10
    assert seeded.payment_sources_of("carla") == [("visa", True)]
    assert seeded.invoice_counts("carla").total() == 0


def test_dan_has_twelve_days_left_of_a_thirty_day_pause(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("dan")

    assert {price: body["status"] for price, body in subscriptions.items()} == {
        GOSPEL: "paused",
        FAITH: "active",
    }
    assert subscriptions[GOSPEL]["pause_date"] == seeded.present - 18 * DAY == subscriptions[GOSPEL]["current_term_end"]
    assert "resume_date" not in subscriptions[GOSPEL]
    assert "next_billing_at" not in subscriptions[GOSPEL]
    assert days_from_now(seeded, subscriptions[FAITH]["next_billing_at"]) > 1
    assert seeded.payment_sources_of("dan") == [("visa", True)]
    assert set(seeded.invoice_counts("dan")) == {"paid"}


def test_ella_has_a_scheduled_pause_on_one_of_two_plans(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("ella")

    assert {price: body["status"] for price, body in subscriptions.items()} == {
        FAITH: "active",
        KIDS: "active",
    }
    assert days_from_now(seeded, subscriptions[FAITH]["pause_date"]) == 8
    assert subscriptions[FAITH]["pause_date"] == subscriptions[FAITH]["current_term_end"]
    assert "next_billing_at" not in subscriptions[FAITH]
    assert "pause_date" not in subscriptions[KIDS]
    assert seeded.payment_sources_of("ella") == [("visa", True)]


def test_finn_has_an_unpaid_renewal_and_a_declining_card(seeded: Seeded) -> None:
    [plan] = seeded.subscriptions_of("finn").values()
    [due] = seeded.read_bodies("invoice", customer_id="finn", status="payment_due")

    assert plan["status"] == "active"
    assert (plan["due_invoices_count"], plan["total_dues"]) == (1, 699)
    assert (due["amount_due"], due["dunning_status"], len(due["dunning_attempts"])) == (699, "in_progress", 3)
    assert 0 < days_from_now(seeded, due["next_retry_at"]) <= 1
    assert seeded.invoice_counts("finn")["paid"] >= 8
    assert seeded.payment_sources_of("finn") == [("visa", True)]


def test_gia_has_a_legacy_plan_that_is_scheduled_to_cancel(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("gia")

    assert list(subscriptions) == ["Minno-USD-Monthly"]
    assert subscriptions["Minno-USD-Monthly"]["status"] == "non_renewing"
    assert 1 < days_from_now(seeded, subscriptions["Minno-USD-Monthly"]["cancelled_at"]) < 28
    assert seeded.payment_sources_of("gia") == [("paypal_express_checkout", True)]
    assert seeded.invoice_counts("gia").total() >= 10


def test_hugo_has_only_a_cancelled_plan(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("hugo").values()

    assert {body["status"] for body in subscriptions} == {"cancelled"}
    assert all(days_from_now(seeded, body["cancelled_at"]) < -150 for body in subscriptions)
    assert set(seeded.invoice_counts("hugo")) == {"paid"}
    assert seeded.invoice_counts("hugo").total() >= 10


def test_ivy_has_no_subscriptions(seeded: Seeded) -> None:
    assert [body["email"] for body in seeded.read_bodies("customer", id="ivy")] == ["ivy@example.com"]
    assert seeded.subscriptions_of("ivy") == {}
    assert seeded.payment_sources_of("ivy") == []
    assert seeded.invoice_counts("ivy").total() == 0


def test_jo_has_a_bundle_of_three(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("jo")

    assert {price: body["status"] for price, body in subscriptions.items()} == dict.fromkeys(
        (FAITH, GOSPEL, KIDS), "active"
    )
    assert [coupon_ids(body) for body in subscriptions.values()] == [["BUNDLE-3"]] * 3
    assert seeded.payment_sources_of("jo") == [("paypal_express_checkout", True), ("visa", False)]
    assert {body["total"] for body in seeded.read_bodies("invoice", customer_id="jo")} == {594, 679, 764}


def test_kim_has_a_plan_of_another_period_and_a_wallet(seeded: Seeded) -> None:
    subscriptions = seeded.subscriptions_of("kim")

    assert {
        price: (body["status"], body["billing_period"], body["billing_period_unit"])
        for price, body in subscriptions.items()
    } == {FAITH: ("active", 1, "month"), SERMONS: ("active", 3, "month")}
    assert seeded.payment_sources_of("kim") == [("visa", True), ("visa", False)]
    assert [body["type"] for body in seeded.read_bodies("paymentsource", customer_id="kim")] == ["apple_pay", "card"]
    [note] = seeded.read_bodies("creditnote", customer_id="kim")
    assert (note["status"], note["amount_refunded"]) == ("refunded", 300)
    invoices = seeded.read_bodies("invoice", customer_id="kim")
    assert Counter(body["total"] for body in invoices)[1197] == 2
    assert {body["status"] for body in invoices} == {"paid"}


def test_kim_has_an_older_customer_with_the_same_address(seeded: Seeded) -> None:
    customers = [body for body in seeded.read_bodies("customer") if body["email"] == "Kim@Example.com"]

    assert [body["id"] for body in sorted(customers, key=lambda body: body["created_at"])] == ["kim-2", "kim"]
    assert {price: body["status"] for price, body in seeded.subscriptions_of("kim-2").items()} == {GOSPEL: "active"}
    assert seeded.payment_sources_of("kim-2") == [("visa", True)]


def test_the_catalog_has_three_services_an_archived_plan_and_another_item(seeded: Seeded) -> None:
    prices = {body["id"]: (body["price"], body["status"]) for body in seeded.read_bodies("itemprice")}

    assert prices == {
        "faith-family-plan-USD-Monthly": (699, "active"),
        "faith-family-plan-USD-Yearly": (6999, "active"),
        "gospel-tv-plan-USD-Monthly": (799, "active"),
        "gospel-tv-plan-USD-Yearly": (7999, "active"),
        "Minno-Plan-USD-Monthly": (899, "active"),
        "Minno-Plan-USD-Yearly": (8999, "active"),
        "Minno-USD-Monthly": (799, "archived"),
        "Minno-USD-Yearly": (7999, "archived"),
        SERMONS: (1197, "active"),
    }
    assert {body["item_family_id"] for body in seeded.read_bodies("item")} == {"streaming"}


def test_the_coupons_are_those_of_the_demo(seeded: Seeded) -> None:
    statuses = {body["id"]: body["status"] for body in seeded.read_bodies("coupon")}
    codes = [body["code"] for body in seeded.read_bodies("couponcode", coupon_set_id="ONCE", status="not_redeemed")]

    active = ("BUNDLE-2", "BUNDLE-3", "FREE-MONTH", "SAVE20", "WELCOME5", "ANNUALONLY", "ONCE")
    assert statuses == {**dict.fromkeys(active, "active"), "EXPIRED10": "expired"}
    assert len(codes) >= 5
    assert all(code.startswith("ONCE-") for code in codes)


def test_seeded_events_are_not_sent_as_webhooks(seeded: Seeded) -> None:
    assert seeded.read_value("SELECT count(*) FROM sandbox_event WHERE webhook_status <> 'not_configured'") == 0


@pytest.mark.parametrize("name", ["ava", "dan", "ella", "hugo", "jo"])
def test_midnight_does_not_fall_between_the_bills_of_a_customer(seeded: Seeded, name: str) -> None:
    begun = [body["started_at"] for body in seeded.subscriptions_of(name).values()]

    assert len(begun) >= 2
    assert max(begun) - min(begun) < 5


def test_every_customer_has_an_address_in_the_united_states(seeded: Seeded) -> None:
    addresses = [body["billing_address"] for body in seeded.read_bodies("customer")]

    assert len(addresses) == 12
    assert all(address["country"] == "US" and address["state_code"] and address["zip"] for address in addresses)
    assert all(body["last_name"] for body in seeded.read_bodies("customer"))


def test_it_seeds_once_and_the_served_site_continues_from_the_real_time(
    tmp_path: Path, launch_sandbox: Callable[..., Any]
) -> None:
    first, second = run_seeds(tmp_path), run_seeds(tmp_path)
    seeded = Seeded(tmp_path / "sandbox.sqlite3", 0)

    assert first.startswith("Seeded the sandbox")
    assert "already" in second
    assert seeded.read_value("SELECT offset_ms FROM sandbox_site") == 0
    assert seeded.read_value("SELECT time_travel_status FROM sandbox_site") == "succeeded"

    sandbox = launch_sandbox()
    client = sandbox.client()
    paid_before = len(client.Invoice.list({"customer_id": {"is": "ava"}, "limit": 100}).list)
    term_end = client.Subscription.list({"customer_id": {"is": "ava"}}).list[0].subscription.current_term_end

    sandbox.travel_to(datetime.fromtimestamp(term_end + DAY, UTC))

    invoices = client.Invoice.list({"customer_id": {"is": "ava"}, "limit": 100}).list
    assert len(invoices) == paid_before + 2
    assert {str(entry.invoice.status) for entry in invoices} == {"paid"}


def test_it_can_be_reseeded_while_the_sandbox_is_running(tmp_path: Path, launch_sandbox: Callable[..., Any]) -> None:
    client = launch_sandbox().client()
    client.Customer.create({"id": "stranger"})
    seeded = Seeded(tmp_path / "sandbox.sqlite3", 0)
    events = seeded.read_value("SELECT max(seq) FROM sandbox_event")

    run_seeds(tmp_path, "--afresh")

    handles = {entry.customer.id for entry in client.Customer.list({"limit": 100}).list}
    assert len(handles) == 12
    assert "stranger" not in handles
    assert seeded.read_value("SELECT min(seq) FROM sandbox_event") > events


def test_a_bulk_site_has_like_customers_with_ids_and_days_of_their_own(tmp_path: Path) -> None:
    environment = {**os.environ, "VAR_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "chargebee_sandbox.seeds", "--bulk", "40", "--months", "1"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    site = Seeded(tmp_path / "sandbox.sqlite3", present=0)

    subscriptions, invoices = site.read_bodies("subscription"), site.read_bodies("invoice")
    owners = {customer["id"] for customer in site.read_bodies("customer")}

    assert len(owners) == len(subscriptions) == 40
    assert len({invoice["id"] for invoice in invoices}) == 2 * 40
    assert {invoice["customer_id"] for invoice in invoices} == owners
    assert len({subscription["next_billing_at"] for subscription in subscriptions}) >= 27
    assert len({customer["email"] for customer in site.read_bodies("customer")}) == 40


def test_a_bill_can_be_moved_back_within_its_month_and_stays_ahead() -> None:
    for day in range(366):
        for second in (0, DAY - 1):
            for prefers_this_month in (True, False):
                present = int(datetime(2027, 12, 15, tzinfo=UTC).timestamp()) + day * DAY + second
                bill, days = find_movable_bill(present, prefers_this_month=prefers_this_month)
                earliest = bill - days * DAY - MOST_HOURS_EARLIER
                months = {datetime.fromtimestamp(instant, UTC).month for instant in (bill, earliest)}
                assert (days >= 0, earliest > present, bill - present < 31 * DAY, len(months)) == (True, True, True, 1)


def test_the_named_customers_are_the_same_beside_a_past(tmp_path: Path, seed_on: Callable[[datetime], Seeded]) -> None:
    alone = seed_on(SEED_DAYS[2])
    run_seeds(tmp_path, "--present", str(alone.present), "--past", "1")
    among = Seeded(tmp_path / "sandbox.sqlite3", alone.present)

    handles = {customer["id"] for customer in among.read_bodies("customer")}
    named = {customer["id"] for customer in alone.read_bodies("customer")}
    many = handles - named
    assert len(many) > 40
    assert all(handle.startswith("subscriber-") for handle in many)
    for name in named:
        assert states_of(among, name) == states_of(alone, name)
        assert among.payment_sources_of(name) == alone.payment_sources_of(name)
    invoices = sorted(
        (body for body in among.read_bodies("invoice") if body["customer_id"] in many), key=lambda body: int(body["id"])
    )
    assert [body["date"] for body in invoices] == sorted(body["date"] for body in invoices)
    assert len({body["id"] for body in among.read_bodies("invoice")}) == len(among.read_bodies("invoice"))
    assert "pattern" not in json.dumps([*among.read_bodies("customer"), *invoices])


def states_of(site: Seeded, customer: str) -> dict[str, tuple[Any, ...]]:
    """Return what a customer's subscriptions and invoices are, without their ids."""
    told = ("status", "next_billing_at", "pause_date", "cancelled_at", "current_term_end", "mrr")
    subscriptions = site.subscriptions_of(customer).items()
    return {price: tuple(body.get(name) for name in told) for price, body in subscriptions} | {
        "invoices": tuple((body["date"], body["total"]) for body in site.read_bodies("invoice", customer_id=customer))
    }
