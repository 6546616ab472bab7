"""Count the requests for what happens at the provider, and measure the import of a site of many customers.

Before the events feed was read, each resource that an event names was read by itself, and each night listed the whole
site: these are the other sides.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from dev.benches.support.measurements import Comparison, Figure, print_figures
from dev.benches.support.scratch_portal import scratch_portal
from dev.paths import ROOT
from dev.run import is_serving

if TYPE_CHECKING:
    from chargebee import Chargebee

CUSTOMERS = 10_000
LIMIT, SECONDS_AT_LIMIT = 100, 120
START_SECONDS = 60
PRICE = "faith-family-plan-USD-Monthly"


class TimeUp(Exception):
    """The import has run for as long as it is measured."""


@contextmanager
def _run_bulk_sandbox() -> Iterator[str]:
    """Run a sandbox with a site of many customers; yield the URL of its API."""
    with tempfile.TemporaryDirectory(prefix="sandbox-bench-") as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        variables = {**os.environ, "VAR_DIR": folder, "SANDBOX_PORT": str(port), "SANDBOX_WEBHOOK_URL": ""}
        variables.pop("DJANGO_SETTINGS_MODULE", None)
        seed = [sys.executable, "-m", "chargebee_sandbox.seeds", "--bulk", str(CUSTOMERS)]
        subprocess.run(seed, cwd=ROOT, env=variables, stdout=sys.stderr, check=True)
        probe.close()
        serve = [sys.executable, "-m", "chargebee_sandbox"]
        with subprocess.Popen(serve, cwd=ROOT, env=variables, stdout=sys.stderr, stderr=sys.stderr) as process:
            try:
                deadline = time.monotonic() + START_SECONDS
                while not is_serving(f"http://127.0.0.1:{port}/") and time.monotonic() < deadline:
                    time.sleep(0.1)
                yield f"http://127.0.0.1:{port}/api/v2"
            finally:
                process.terminate()


class RequestCounter:
    """Counts the requests that the portal's gateway sends."""

    def __init__(self) -> None:
        from billing.gateway.http import transport

        self.count = 0
        transport.add_watcher(self._count_exchange)

    def _count_exchange(self, _exchange: object) -> None:
        self.count += 1

    def count_requests(self, work: Callable[[], object]) -> int:
        """Do some work; return how many requests it sent."""
        before = self.count
        work()
        return self.count - before


def _import_at_limit(counter: RequestCounter) -> Comparison:
    """Import for two minutes at the limit of requests."""
    from django.test import override_settings

    from billing import clock
    from billing.mirror import reconcile

    until = time.monotonic() + SECONDS_AT_LIMIT

    def stop_in_time(_line: str) -> None:
        if time.monotonic() > until:
            raise TimeUp

    def run_import() -> None:
        with suppress(TimeUp):
            reconcile.import_site(now=clock.billing_now(), progress=stop_in_time)

    began = time.monotonic()
    with override_settings(CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE=LIMIT):
        count = counter.count_requests(run_import)
    a_minute = count / (time.monotonic() - began) * 60
    return Comparison(f"import, at {LIMIT} requests a minute", "its limit", "a minute", [a_minute], [LIMIT], "≥ 0.97")


def _import_rest(counter: RequestCounter) -> Comparison:
    """Import what is left, without a limit."""
    from billing import clock
    from billing.mirror import reconcile
    from billing.models import Customer

    began = time.monotonic()
    pages = counter.count_requests(lambda: reconcile.import_site(now=clock.billing_now()))
    if Customer.objects.exclude(account=None).count() != CUSTOMERS:
        raise RuntimeError("not every customer was imported with an account")
    a_minute = pages / (time.monotonic() - began) * 60
    return Comparison("import without a limit, pages of 100", f"{LIMIT}", "a minute", [a_minute], [LIMIT], "≥ 1")


def _new_events(sdk: Chargebee, act: Callable[[], object]) -> list[Any]:
    """Act at the provider; return the events of it."""
    from billing import clock

    known = {entry.event.id for entry in sdk.Event.list({"limit": 100}).list}
    began = int(clock.billing_now().timestamp()) - 5
    act()
    events: list[Any] = []
    page: dict[str, Any] = {"limit": 100, "occurred_at": {"after": began}}
    while True:
        answer = sdk.Event.list(page)
        events += [entry.event.raw_data for entry in answer.list if entry.event.id not in known]
        if not answer.next_offset:
            return events
        page["offset"] = answer.next_offset


def _compare_events(counter: RequestCounter, name: str, events: list[Any], goal: str, *, count: int = 1) -> Comparison:
    """Deliver events; compare the requests for each of `count` actions with one for each resource that they name."""
    from billing.gateway.snapshots import EventSnapshot
    from billing.mirror.events import webhook_intake, webhook_processing

    named = sum(len(ids) for event in events for ids in EventSnapshot.from_raw(event).resource_ids.values())

    def deliver() -> None:
        for event in events:
            webhook_intake.store_webhook_event(event)
        webhook_processing.process_due_events()

    asked = counter.count_requests(deliver)
    return Comparison(f"requests for {name}", "each named resource", "each", [asked / count], [named / count], goal)


def _sign_up(sdk: Chargebee) -> None:
    sdk.Customer.create({"id": "newcomer", "email": "newcomer@example.com"})
    card = {"number": "4111111111111111", "expiry_month": 12, "expiry_year": 2039, "cvv": "123"}
    sdk.PaymentSource.create_card({"customer_id": "newcomer", "card": card, "replace_primary_payment_source": True})
    sdk.Subscription.create_with_items("newcomer", {"subscription_items": [{"item_price_id": PRICE, "quantity": 1}]})


def _pass_day() -> None:
    """Move both clocks a day forward, in which a thirtieth of the subscriptions renews."""
    from datetime import timedelta

    from billing import clock
    from billing.mirror import provider_clock

    provider_clock.move_clocks_to(clock.billing_now() + timedelta(days=1))


def _run_night() -> None:
    from billing import clock
    from billing.jobs import schedule

    slot, now = schedule.newest_night(clock.billing_now()), clock.billing_now()
    run = schedule.run_job("reconcile", slot, now=now)
    while run is not None and run.finished_at is None:
        run = schedule.run_job("reconcile", slot, now=now)


def _count_pages() -> int:
    """Return how many pages list the whole site."""
    from billing.mirror import writer

    return sum(-(-model._default_manager.count() // 100) for model in writer.MODELS_BY_KIND.values())


def _measure(sdk: Chargebee) -> list[Figure]:
    counter = RequestCounter()
    figures: list[Figure] = [_import_at_limit(counter), _import_rest(counter)]
    figures.append(_compare_events(counter, "a sign-up", _new_events(sdk, lambda: _sign_up(sdk)), "≤ 0.5"))
    subscription = sdk.Subscription.list({"customer_id": {"is": "newcomer"}}).list[0].subscription.id
    cancellation = {"cancel_option": "end_of_term"}
    canceled = _new_events(sdk, lambda: sdk.Subscription.cancel_for_items(subscription, cancellation))
    figures.append(_compare_events(counter, "a cancellation", canceled, "≤ 1"))
    _pass_day()
    _run_night()
    renewed = _new_events(sdk, _pass_day)
    count = sum(event["event_type"] == "subscription_renewed" for event in renewed)
    began = time.monotonic()
    name = f"each of {count} renewals"
    figures.append(_compare_events(counter, name, renewed, "≤ 0.13", count=count))
    sys.stderr.write(f"{len(renewed)} events were applied in {time.monotonic() - began:.0f} s\n")
    night = counter.count_requests(_run_night)
    return [*figures, Comparison("requests for a night", "a list of the site", "", [night], [_count_pages()], "≤ 0.06")]


def main() -> None:
    """Measure and print."""
    with scratch_portal(), _run_bulk_sandbox() as endpoint:
        from django.test import override_settings

        from billing.gateway.http.client import chargebee_sdk

        with override_settings(CHARGEBEE_ENDPOINT=endpoint):
            print_figures(_measure(chargebee_sdk()))


if __name__ == "__main__":
    main()
