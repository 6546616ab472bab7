"""Long runs of reconcile: page by page, within the rate limit, and continued after any interruption."""

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
from billing.changes.discounts import bundle_coupons
from billing.gateway import records
from billing.gateway.errors import NotSent, Refused
from billing.gateway.http import rate_limit
from billing.jobs import schedule
from billing.mirror import account_import, reconcile
from billing.models import BundleRate, Command, Invoice, JobRun, RequestPace, Subscription
from billing.models.commands import ALIGN_BUNDLE
from billing.models.job_runs import Cursor
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider
from conftest import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

MONTHS = 6
RECONCILE = [sys.executable, "manage.py", "reconcile"]


def found_differences() -> list[str]:
    """Return the differences between the mirror and the provider."""
    return sorted(str(difference) for difference in reconcile.find_differences())


@pytest.fixture
def alice(provider: Provider) -> Account:
    """Alice, with invoices of half a year in the mirror."""
    account = provider.subscriber("alice", FAITH)
    provider.travel(days=31 * MONTHS)
    account_import.resync_account(account)
    assert Invoice.objects.count() == MONTHS + 1
    return account


def spoil_invoices(alice: Account) -> list[str]:
    """Make three invoice rows wrong, each in another way; return the differences to be reported."""
    ids = list(Invoice.objects.order_by("issued_at").values_list("provider_id", flat=True))
    Invoice.objects.filter(provider_id=ids[1]).update(payload={})
    Invoice.objects.filter(provider_id=ids[3]).delete()
    last = Invoice.objects.get(provider_id=ids[-1])
    last.pk, last.provider_id = None, "ghost"
    last.save()
    return sorted([f"invoice {ids[1]}: older", f"invoice {ids[3]}: missing", "invoice ghost: not there"])


def count_list_requests(requests: list[bytes], path: str) -> int:
    """Return how many pages of a list were requested."""
    return sum(f"GET /api/v2/{path}?".encode() in request for request in requests)


def expire_leases() -> None:
    """Let the leases of the job runs expire."""
    past = timezone.now() - timedelta(seconds=1)
    JobRun.objects.update(next_attempt_at=past)


def test_every_page_is_compared_and_rows_on_no_page_are_found(
    alice: Account, faulty_proxy: FaultyProxy, settings: Settings
) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 2
    expected = spoil_invoices(alice)
    requests = faulty_proxy.record_requests()

    assert found_differences() == expected
    assert count_list_requests(requests, "invoices") == 4
    assert reconcile.repair_mirror(now=clock.billing_now())["invoice"] == 3

    assert found_differences() == []
    assert Invoice.objects.get(provider_id="ghost").deleted


def test_a_page_takes_few_queries_and_none_reads_more_than_a_page(alice: Account, settings: Settings) -> None:
    def queries(page_size: int) -> list[str]:
        settings.CHARGEBEE_PAGE_SIZE = page_size
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert found_differences() == []
        return [query["sql"] for query in captured.captured_queries]

    few, many = queries(100), queries(1)

    # With pages of one record instead of one page for all, each kind has a page more for each record after the first.
    extra_pages = sum(max(0, model.objects.count() - 1) for model in (Invoice, *_other_models()))
    assert len(many) - len(few) <= 6 * extra_pages
    rows = [sql for sql in few if sql.startswith("SELECT") and 'FROM "billing_invoice"' in sql]
    assert rows
    assert all(any(bound in sql for bound in ("LIMIT", " IN (", "MAX(")) for sql in rows)


def _other_models() -> list[Any]:
    from billing.mirror.writer import MODELS_BY_KIND

    return [model for model in MODELS_BY_KIND.values() if model is not Invoice]


def test_a_killed_run_continues_where_it_stopped(
    alice: Account, faulty_proxy: FaultyProxy, environment: dict[str, str]
) -> None:
    spoil_invoices(alice)
    process = subprocess.Popen(RECONCILE, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)

    def kill_at_invoices(request: bytes) -> None:
        if b"/invoices?" in request:
            process.kill()

    faulty_proxy.on_answer = kill_at_invoices
    assert process.wait(timeout=60) == -signal.SIGKILL
    run = JobRun.objects.get()
    assert (run.cursor.stage, run.finished_at) == ("invoice", None)
    with pytest.raises(CommandError, match="Another process"):
        call_command("reconcile", stdout=StringIO())

    expire_leases()
    requests = faulty_proxy.record_requests()
    output = StringIO()
    call_command("reconcile", stdout=output)

    assert count_list_requests(requests, "customers") == 0
    assert count_list_requests(requests, "invoices") == 1
    assert output.getvalue().splitlines() == [
        "continuing at invoice",
        f"invoice: {MONTHS + 2} compared, 3 repaired, 0 failed",
        "credit_note: 0 compared, 0 repaired, 0 failed",
        "promotional_credit: 0 compared, 0 repaired, 0 failed",
    ]
    assert JobRun.objects.get(pk=run.pk).finished_at is not None
    assert found_differences() == []


def test_a_run_of_yesterday_is_abandoned(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    faulty_proxy.answer_with(b"")
    with pytest.raises(NotSent):
        reconcile.repair_mirror(now=clock.billing_now())
    JobRun.objects.update(cursor=Cursor("invoice"), started_at=timezone.now() - timedelta(days=1))
    faulty_proxy.restore()

    reconcile.repair_mirror(now=clock.billing_now())

    abandoned, done = JobRun.objects.order_by("pk")
    assert abandoned.error == "abandoned: a new run began"
    assert set(done.counts_by_stage) == set(records.KINDS)


def test_the_nightly_job_runs_in_slices_until_it_is_finished(
    alice: Account, settings: Settings, provider: Provider
) -> None:
    settings.CHARGEBEE_PAGE_SIZE, settings.JOB_SLICE_SECONDS = 2, 0
    spoil_invoices(alice)
    now = clock.billing_now()
    slot = schedule.newest_night(now)

    first = schedule.run_job("reconcile", slot, now=now)
    assert first is not None
    assert first.finished_at is None
    slices = 1
    while "reconcile" in {job.name for job, _ in schedule.due_jobs(now)}:
        schedule.run_job("reconcile", slot, now=now)
        slices += 1

    done = JobRun.objects.get(job="reconcile")
    assert slices > 10
    assert done.finished_at is not None
    assert done.counts_by_stage["invoice"] == {"compared": MONTHS + 2, "repaired": 3, "failed": 0}
    assert (done.counts["repaired"], done.counts["failed"], done.error) == (3, 0, "")
    assert found_differences() == []


def test_the_next_nightly_run_replaces_an_unfinished_one(
    alice: Account, faulty_proxy: FaultyProxy, settings: Settings
) -> None:
    settings.JOB_SLICE_SECONDS = 0
    spoil_invoices(alice)
    now = clock.billing_now()
    first = schedule.run_job("reconcile", schedule.newest_night(now), now=now)
    settings.JOB_SLICE_SECONDS = 90
    tomorrow = now + timedelta(days=1)
    runs: list[JobRun | None] = []

    def run_next_night(request: bytes) -> None:
        if b"/invoices?" in request:
            faulty_proxy.on_answer = lambda _: None
            runs.append(schedule.run_job("reconcile", schedule.newest_night(tomorrow), now=tomorrow))
            connection.close()  # opened by the proxy's thread

    faulty_proxy.on_answer = run_next_night
    replaced = schedule.run_job("reconcile", schedule.newest_night(now), now=now)

    (second,) = runs
    assert first is not None
    assert replaced is not None
    assert second is not None
    replaced.refresh_from_db()
    assert (replaced.pk, replaced.cursor.stage) == (first.pk, "invoice")
    assert replaced.error.startswith("abandoned: the run for")
    assert (second.counts_by_stage["invoice"]["repaired"], second.error) == (3, "")
    assert schedule.run_job("reconcile", schedule.newest_night(now), now=now) is None
    assert found_differences() == []


def test_the_nightly_run_continues_after_an_outage(
    alice: Account, faulty_proxy: FaultyProxy, settings: Settings
) -> None:
    settings.JOB_SLICE_SECONDS = 0
    expected = spoil_invoices(alice)
    now = clock.billing_now()
    slot = schedule.newest_night(now)
    for _ in range(3):  # the stages before the first one that fails: retention, prices, and prices that are not listed
        schedule.run_job("reconcile", slot, now=now)
    faulty_proxy.answer_with(b"")

    failed = schedule.run_job("reconcile", slot, now=now)

    assert failed is not None
    assert "Unreadable" in failed.error
    assert "reconcile" not in {job.name for job, _ in schedule.due_jobs(now)}
    faulty_proxy.restore()
    settings.JOB_SLICE_SECONDS = 90
    expire_leases()
    continued = schedule.run_job("reconcile", slot, now=now)
    assert continued is not None
    assert (continued.error, continued.counts_by_stage["invoice"]["repaired"]) == ("", len(expected))
    assert continued.finished_at is not None


def too_many_requests(retry_after: int) -> bytes:
    """Return the response of a provider whose rate limit is exceeded."""
    body = json.dumps({"message": "m", "type": "operation_failed", "api_error_code": "api_request_limit_exceeded"})
    head = f"HTTP/1.1 429 Too Many\r\nRetry-After: {retry_after}\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{body}".encode()


def replace_answers(
    faulty_proxy: FaultyProxy, path: str, answer: Callable[[bytes], bytes], *, times: int = 1
) -> list[float]:
    """Replace the next responses for a path; return a list of the times of its requests."""
    moments: list[float] = []

    def decide(request: bytes) -> None:
        faulty_proxy.mode = "good"
        if f"/{path}?".encode() in request:
            moments.append(time.monotonic())
            if len(moments) <= times:
                faulty_proxy.mode, faulty_proxy.replacement = "replace", answer(request)

    faulty_proxy.on_answer = decide
    return moments


@pytest.mark.shows("reliability-5")
def test_it_waits_for_retry_after_and_continues(alice: Account, faulty_proxy: FaultyProxy) -> None:
    spoil_invoices(alice)
    moments = replace_answers(faulty_proxy, "invoices", lambda _: too_many_requests(1), times=2)

    assert reconcile.repair_mirror(now=clock.billing_now())["invoice"] == 3

    assert len(moments) == 3
    assert all(later - earlier >= 1 for earlier, later in pairwise(moments))
    assert found_differences() == []


@pytest.mark.shows("reliability-5")
def test_it_stops_at_a_long_retry_after_and_keeps_its_cursor(alice: Account, faulty_proxy: FaultyProxy) -> None:
    spoil_invoices(alice)
    moments = replace_answers(faulty_proxy, "invoices", lambda _: too_many_requests(600))

    with pytest.raises(CommandError, match="could not be reached"):
        call_command("reconcile", stdout=StringIO())

    assert len(moments) == 1
    assert JobRun.objects.get().cursor.stage == "invoice"
    requests = faulty_proxy.record_requests()
    assert reconcile.repair_mirror(now=clock.billing_now())["invoice"] == 3
    assert count_list_requests(requests, "subscriptions") == 0


def test_an_expired_offset_starts_the_list_over(alice: Account, faulty_proxy: FaultyProxy) -> None:
    spoil_invoices(alice)
    replace_answers(faulty_proxy, "invoices", lambda _: too_many_requests(600))
    with pytest.raises(NotSent):
        reconcile.repair_mirror(now=clock.billing_now())
    faulty_proxy.restore()
    JobRun.objects.update(cursor=Cursor("invoice", offset="of long ago"))
    with pytest.raises(Refused):
        reconcile.repair_mirror(now=clock.billing_now())

    JobRun.objects.update(updated_at=timezone.now() - timedelta(hours=2))

    assert reconcile.repair_mirror(now=clock.billing_now())["invoice"] == 3


@pytest.mark.shows("reliability-12")
def test_an_offset_that_expires_in_an_outage_does_not_stop_the_night(alice: Account, faulty_proxy: FaultyProxy) -> None:
    expected = spoil_invoices(alice)
    now = clock.billing_now()
    slot = schedule.newest_night(now)
    JobRun.objects.create(job="reconcile", scheduled_for=slot, cursor=Cursor("invoice", offset="of long ago"))
    JobRun.objects.update(updated_at=timezone.now() - timedelta(hours=2))
    faulty_proxy.answer_with(b"")
    for _ in range(2):
        expire_leases()
        schedule.run_job("reconcile", slot, now=now)
    faulty_proxy.restore()
    expire_leases()

    continued = schedule.run_job("reconcile", slot, now=now)

    assert continued is not None
    assert (continued.error, continued.counts_by_stage["invoice"]["repaired"]) == ("", len(expected))
    assert continued.finished_at is not None


def test_a_record_that_cannot_be_read_does_not_block_the_others(
    alice: Account, provider: Provider, faulty_proxy: FaultyProxy, settings: Settings
) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 3
    expected = spoil_invoices(alice)
    broken = Invoice.objects.order_by("issued_at")[0].provider_id

    def remove_status(request: bytes) -> bytes:
        path = request.split(b" ")[1].decode()
        page = httpx.get(f"{provider.sandbox.url}{path}", auth=(settings.CHARGEBEE_API_KEY, "")).json()
        del page["list"][0]["invoice"]["status"]
        body = json.dumps(page).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"Connection: close\r\n\r\n" + body

    replace_answers(faulty_proxy, "invoices", remove_status)
    assert found_differences() == sorted([*expected, f"invoice {broken}: cannot be read"])

    replace_answers(faulty_proxy, "invoices", remove_status)
    counts = reconcile.repair_mirror(now=clock.billing_now())

    assert (counts["invoice"], counts["failed"]) == (3, 1)
    assert not Invoice.objects.get(provider_id=broken).deleted
    faulty_proxy.restore()
    assert found_differences() == []


def test_a_row_newer_than_the_provider_is_repaired(alice: Account) -> None:
    Subscription.objects.update(resource_version=2**60, payload={})
    assert found_differences() == [f"subscription {Subscription.objects.get().provider_id}: newer than the provider"]

    assert reconcile.repair_mirror(now=clock.billing_now())["failed"] == 0

    assert found_differences() == []


def test_two_concurrent_comparisons_find_the_same_differences(alice: Account, faulty_proxy: FaultyProxy) -> None:
    expected = spoil_invoices(alice)
    found_meanwhile: list[list[str]] = []

    def compare_meanwhile(request: bytes) -> None:
        if b"/invoices?" in request:
            faulty_proxy.on_answer = lambda _: None
            found_meanwhile.append(found_differences())
            connection.close()  # opened by the proxy's thread

    faulty_proxy.on_answer = compare_meanwhile
    assert found_differences() == expected
    assert found_meanwhile == [expected]


def test_concurrent_workers_share_the_rate_limit(
    provider: Provider, faulty_proxy: FaultyProxy, settings: Settings
) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 30  # three at once, then one in 2.2 seconds
    began = time.monotonic()
    RequestPace.objects.create(lane="jobs", next_at=timezone.now())
    requests = faulty_proxy.record_requests()

    def ask_twice() -> None:
        with rate_limit.throttle_jobs():
            records.find_record("coupon", "BUNDLE-2")
            records.find_record("coupon", "BUNDLE-2")
        connection.close()

    workers = [threading.Thread(target=ask_twice) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert len(requests) == 4
    assert time.monotonic() - began > 2


@pytest.mark.shows("reliability-5")
def test_a_subscribers_request_is_not_throttled(provider: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 1
    began = time.monotonic()

    for _ in range(3):
        records.find_record("coupon", "BUNDLE-2")

    assert time.monotonic() - began < 60


@pytest.fixture
def bundle(provider: Provider) -> Account:
    """Ava, with two subscriptions that lack the bundle coupon."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    return provider.subscriber("ava", FAITH, GOSPEL)


def test_a_coupon_that_is_removed_each_time_is_not_added_forever(bundle: Account, provider: Provider) -> None:
    for _ in range(6):
        tasks.align_bundle(bundle.pk)
        for plan in (FAITH, GOSPEL):
            subscription = provider.subscription(bundle, plan)
            if subscription.coupons:
                provider.sdk.Subscription.remove_coupons(subscription.id, {"coupon_ids": ["BUNDLE-2"]})
        account_import.resync_account(bundle)

    assert Command.objects.filter(kind=ALIGN_BUNDLE).count() == bundle_coupons.MAX_REPEATS
    assert len(bundle_coupons.pending_swaps(bundle)) == 2
    # The nightly job tries once more.
    now = clock.billing_now()
    run = schedule.run_job("reconcile", schedule.newest_night(now), now=now)
    assert run is not None
    assert run.counts_by_stage["bundles"] == {"compared": 1, "repaired": 1, "failed": 0}
    assert bundle_coupons.pending_swaps(bundle) == []


@pytest.mark.shows("reliability-12", "reliability-35")
def test_a_requested_alignment_runs_without_its_task_message(bundle: Account, provider: Provider) -> None:
    bundle_coupons.request_alignment()
    assert ("bundles", None) in {(job.name, slot) for job, slot in schedule.due_jobs(clock.billing_now())}

    tasks.run_job("bundles", None)
    tasks.run_job("bundles", None)

    run = JobRun.objects.get(job="bundles")
    assert run.counts == {"compared": 1, "repaired": 1, "failed": 0}
    assert run.finished_at is not None
    assert bundle_coupons.pending_swaps(bundle) == []
    assert [row.coupon_id for row in provider.subscription(bundle, GOSPEL).coupons] == ["BUNDLE-2"]
