"""A comparison too long for one breath: page by page, within the limit, gone on with after whatever stopped it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from itertools import pairwise
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account
from billing import clock, tasks
from billing.gateway import records
from billing.gateway.errors import NotSent, Refused
from billing.models import BundleRate, Command, Invoice, JobRun, ReconcileRun, RequestPace, Subscription
from billing.services import alignment, commands, jobs, pace, reconcile, runs, sync
from billing.tests.cable import Cable
from billing.tests.live import FAITH, GOSPEL, Provider
from conftest import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

MONTHS = 6
RECONCILE = [sys.executable, "manage.py", "reconcile"]


def told() -> list[str]:
    """Return the differences there are."""
    return sorted(str(one) for one in reconcile.differences())


@pytest.fixture
def alice(provider: Provider) -> Account:
    """Alice, who has been billed for half a year, which the portal has heard of."""
    account = provider.subscriber("alice", FAITH)
    provider.travel(days=31 * MONTHS)
    sync.resync_account(account)
    assert Invoice.objects.count() == MONTHS + 1
    return account


def spoil(alice: Account) -> list[str]:
    """Make three rows of invoices wrong, each otherwise, far from each other; return what is to be told of them."""
    ids = list(Invoice.objects.order_by("issued_at").values_list("provider_id", flat=True))
    Invoice.objects.filter(provider_id=ids[1]).update(payload={})
    Invoice.objects.filter(provider_id=ids[3]).delete()
    last = Invoice.objects.get(provider_id=ids[-1])
    last.pk, last.provider_id = None, "ghost"
    last.save()
    return sorted([f"invoice {ids[1]}: older", f"invoice {ids[3]}: missing", "invoice ghost: not there"])


def asked(requests: list[bytes], path: str) -> int:
    """Return how many pages of a list were asked for."""
    return sum(f"GET /api/v2/{path}?".encode() in one for one in requests)


def let_leases_run_out() -> None:
    """Let as much time pass as a worker may be silent."""
    over = timezone.now() - timedelta(seconds=1)
    ReconcileRun.objects.update(leased_until=over)
    JobRun.objects.update(leased_until=over)


def test_every_page_is_compared_and_what_no_page_has_is_found(
    alice: Account, cable: Cable, settings: Settings
) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 2
    expected = spoil(alice)
    requests = cable.listen()

    assert told() == expected
    assert asked(requests, "invoices") == 4
    assert reconcile.mend(now=clock.now())["invoice"] == 3

    assert told() == []
    assert Invoice.objects.get(provider_id="ghost").deleted


def test_a_page_costs_a_handful_of_queries_and_none_reads_more_than_a_page(
    alice: Account, settings: Settings
) -> None:
    def queries(page_size: int) -> list[str]:
        settings.CHARGEBEE_PAGE_SIZE = page_size
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert told() == []
        return [query["sql"] for query in captured.captured_queries]

    few, many = queries(100), queries(1)

    # Of this site a page of one has twelve pages more of invoices and transactions, eleven of prices and the like.
    more = sum(max(0, model.objects.count() - 1) for model in (Invoice, *_others()))
    assert len(many) - len(few) <= 6 * more
    rows = [sql for sql in few if sql.startswith("SELECT") and 'FROM "billing_invoice"' in sql]
    assert rows
    assert all(any(bound in sql for bound in ("LIMIT", " IN (", "MAX(")) for sql in rows)


def _others() -> list[Any]:
    from billing.services.mirror import MODELS

    return [model for model in MODELS.values() if model is not Invoice]


def test_a_killed_one_is_gone_on_with_where_it_stopped(
    alice: Account, cable: Cable, environment: dict[str, str]
) -> None:
    spoil(alice)
    process = subprocess.Popen(
        RECONCILE, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True
    )

    def kill_at_the_invoices(request: bytes) -> None:
        if b"/invoices?" in request:
            process.kill()

    cable.on_answer = kill_at_the_invoices
    assert process.wait(timeout=60) == -signal.SIGKILL
    run = ReconcileRun.objects.get()
    assert (run.stage, run.finished_at) == ("invoice", None)
    with pytest.raises(CommandError, match="Another process"):
        call_command("reconcile", stdout=StringIO())

    let_leases_run_out()
    requests = cable.listen()
    said = StringIO()
    call_command("reconcile", stdout=said)

    assert asked(requests, "customers") == 0
    assert asked(requests, "invoices") == 1
    assert said.getvalue().splitlines() == [
        "going on at invoice",
        f"invoice: {MONTHS + 2} compared, 3 mended, 0 failed",
    ]
    assert ReconcileRun.objects.get(pk=run.pk).finished_at is not None
    assert told() == []


def test_one_of_yesterday_is_not_gone_on_with(provider: Provider, cable: Cable) -> None:
    cable.answer_with(b"")
    with pytest.raises(NotSent):
        reconcile.mend(now=clock.now())
    ReconcileRun.objects.update(stage="invoice", started_at=timezone.now() - timedelta(days=1))
    cable.mend()

    reconcile.mend(now=clock.now())

    given_up, done = ReconcileRun.objects.order_by("pk")
    assert given_up.error == "given up: begun anew"
    assert set(done.counts) == set(records.KINDS)


def test_the_night_works_in_slices_until_all_is_done(
    alice: Account, settings: Settings, provider: Provider
) -> None:
    settings.CHARGEBEE_PAGE_SIZE, settings.JOB_SLICE_SECONDS = 2, 0
    spoil(alice)
    now = clock.now()
    slot = jobs.newest_night(now)

    first = jobs.run("reconcile", slot, now=now)
    assert first is not None
    assert first.finished_at is None
    slices = 1
    while "reconcile" in {job.name for job, _ in jobs.due(now)}:
        jobs.run("reconcile", slot, now=now)
        slices += 1

    done = JobRun.objects.get(job="reconcile")
    assert slices > 10
    assert done.finished_at is not None
    assert (done.counts["invoice"], done.counts["failed"], done.error) == (3, 0, "")
    assert ReconcileRun.objects.get().finished_at is not None
    assert told() == []


def test_the_night_goes_on_when_the_provider_is_back(
    alice: Account, cable: Cable, settings: Settings
) -> None:
    settings.JOB_SLICE_SECONDS = 0
    expected = spoil(alice)
    now = clock.now()
    slot = jobs.newest_night(now)
    for _ in range(2):  # the list of prices, and what of ours is not in it, which asks for nothing
        jobs.run("reconcile", slot, now=now)
    cable.answer_with(b"")

    away = jobs.run("reconcile", slot, now=now)

    assert away is not None
    assert "Unreadable" in away.error
    assert "reconcile" not in {job.name for job, _ in jobs.due(now)}
    cable.mend()
    settings.JOB_SLICE_SECONDS = 90
    let_leases_run_out()
    back = jobs.run("reconcile", slot, now=now)
    assert back is not None
    assert (back.error, back.counts["invoice"]) == ("", len(expected))
    assert back.finished_at is not None


def turned_away(retry_after: int) -> bytes:
    """Return the answer of a provider that is asked too much."""
    body = json.dumps(
        {"message": "m", "type": "operation_failed", "api_error_code": "api_request_limit_exceeded"}
    )
    head = f"HTTP/1.1 429 Too Many\r\nRetry-After: {retry_after}\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{body}".encode()


def replace_answers(
    cable: Cable, path: str, answer: Callable[[bytes], bytes], *, times: int = 1
) -> list[float]:
    """Put something in the place of the next answers about a path; return when each question about it came."""
    moments: list[float] = []

    def decide(request: bytes) -> None:
        cable.mode = "good"
        if f"/{path}?".encode() in request:
            moments.append(time.monotonic())
            if len(moments) <= times:
                cable.mode, cable.replacement = "replace", answer(request)

    cable.on_answer = decide
    return moments


def test_it_waits_as_long_as_the_provider_says_and_goes_on(alice: Account, cable: Cable) -> None:
    spoil(alice)
    moments = replace_answers(cable, "invoices", lambda _: turned_away(1), times=2)

    assert reconcile.mend(now=clock.now())["invoice"] == 3

    assert len(moments) == 3
    assert all(later - earlier >= 1 for earlier, later in pairwise(moments))
    assert told() == []


def test_it_stops_where_it_is_told_to_wait_for_long_and_keeps_its_place(alice: Account, cable: Cable) -> None:
    spoil(alice)
    moments = replace_answers(cable, "invoices", lambda _: turned_away(600))

    with pytest.raises(CommandError, match="could not be asked"):
        call_command("reconcile", stdout=StringIO())

    assert len(moments) == 1
    assert ReconcileRun.objects.get().stage == "invoice"
    requests = cable.listen()
    assert reconcile.mend(now=clock.now())["invoice"] == 3
    assert asked(requests, "subscriptions") == 0


def test_a_place_that_the_provider_forgot_is_the_beginning_of_the_list(alice: Account, cable: Cable) -> None:
    spoil(alice)
    replace_answers(cable, "invoices", lambda _: turned_away(600))
    with pytest.raises(NotSent):
        reconcile.mend(now=clock.now())
    cable.mend()
    ReconcileRun.objects.update(offset="of long ago")
    with pytest.raises(Refused):
        reconcile.mend(now=clock.now())

    ReconcileRun.objects.update(updated_at=timezone.now() - timedelta(hours=2))

    assert reconcile.mend(now=clock.now())["invoice"] == 3


def test_a_record_that_cannot_be_read_costs_only_itself(
    alice: Account, provider: Provider, cable: Cable, settings: Settings
) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 3
    expected = spoil(alice)
    broken = Invoice.objects.order_by("issued_at")[0].provider_id

    def without_its_status(request: bytes) -> bytes:
        path = request.split(b" ")[1].decode()
        page = httpx.get(f"{provider.sandbox.url}{path}", auth=(settings.CHARGEBEE_API_KEY, "")).json()
        del page["list"][0]["invoice"]["status"]
        body = json.dumps(page).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"Connection: close\r\n\r\n" + body

    replace_answers(cable, "invoices", without_its_status)
    assert told() == sorted([*expected, f"invoice {broken}: cannot be read"])

    replace_answers(cable, "invoices", without_its_status)
    counts = reconcile.mend(now=clock.now())

    assert (counts["invoice"], counts["failed"]) == (3, 1)
    assert not Invoice.objects.get(provider_id=broken).deleted
    cable.mend()
    assert told() == []


def test_a_row_newer_than_anything_the_provider_has_is_mended_too(alice: Account) -> None:
    Subscription.objects.update(resource_version=2**60, payload={})
    assert told() == [f"subscription {Subscription.objects.get().provider_id}: newer than the provider"]

    assert reconcile.mend(now=clock.now())["failed"] == 0

    assert told() == []


def test_two_at_once_do_not_disturb_each_other(alice: Account, cable: Cable) -> None:
    expected = spoil(alice)
    within: list[list[str]] = []

    def check_in_between(request: bytes) -> None:
        if b"/invoices?" in request:
            cable.on_answer = lambda _: None
            within.append(told())
            connection.close()  # of the cable's thread

    cable.on_answer = check_in_between
    assert told() == expected
    assert within == [expected]


def test_all_workers_together_keep_the_pace(provider: Provider, cable: Cable, settings: Settings) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 30  # three at once, then one in 2.2 seconds
    began = time.monotonic()
    RequestPace.objects.create(pk=1, next_at=timezone.now())
    requests = cable.listen()

    def ask_twice() -> None:
        with pace.background():
            records.find("coupon", "BUNDLE-2")
            records.find("coupon", "BUNDLE-2")
        connection.close()

    workers = [threading.Thread(target=ask_twice) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert len(requests) == 4
    assert time.monotonic() - began > 2


def test_a_subscriber_waits_for_no_turn(provider: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 1
    began = time.monotonic()

    for _ in range(3):
        records.find("coupon", "BUNDLE-2")

    assert time.monotonic() - began < 60


@pytest.fixture
def bundle(provider: Provider) -> Account:
    """Ava, who has two subscriptions and not the coupon of two."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    return provider.subscriber("ava", FAITH, GOSPEL)


def test_a_coupon_that_does_not_stay_is_not_put_on_for_ever(bundle: Account, provider: Provider) -> None:
    for _ in range(6):
        tasks.align_bundle(bundle.pk)
        for plan in (FAITH, GOSPEL):
            held = provider.subscription(bundle, plan)
            if held.coupons:
                provider.sdk.Subscription.remove_coupons(held.id, {"coupon_ids": ["BUNDLE-2"]})
        sync.resync_account(bundle)

    assert Command.objects.filter(kind=commands.ALIGN).count() == alignment.TOLD_AT_MOST
    assert len(alignment.needed(bundle)) == 2
    # The night tries once more.
    assert alignment.align_all(now=clock.now()) == {"aligned": 1, "bundles_later": 0}
    assert alignment.needed(bundle) == []


def test_what_an_operator_changed_is_found_without_its_message(bundle: Account, provider: Provider) -> None:
    alignment.want_all()
    assert runs.is_waiting("bundles")

    tasks.align_all_bundles()
    tasks.align_all_bundles()

    run = ReconcileRun.objects.get(work="bundles")
    assert (run.compared, run.mended, run.failed) == (1, 1, 0)
    assert run.finished_at is not None
    assert alignment.needed(bundle) == []
    assert [row.coupon_id for row in provider.subscription(bundle, GOSPEL).coupons] == ["BUNDLE-2"]
