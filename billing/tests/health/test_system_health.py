"""The health page, which tells operators what needs attention."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import OutgoingMail, SignInEvent, User
from accounts.sign_in.guessing import count_failure
from accounts.sign_in.limits import FAILURES
from billing import clock
from billing.gateway import records
from billing.gateway.errors import GatewayError
from billing.health import checks, provider_metrics
from billing.jobs import data_retention, recovery, schedule
from billing.models import (
    Command,
    Heartbeat,
    Invoice,
    InvoicePdf,
    JobRun,
    PauseSchedule,
    ProviderMinute,
    Subscription,
    WebhookEvent,
)
from billing.tests.api.mirror_factory import apply_catalog, make_invoice, make_subscription, open_account
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import Provider

pytestmark = pytest.mark.django_db
PAGE = "admin:billing_systemhealth_changelist"
RUNBOOK = "admin:billing_systemhealth_runbook"
LONG_AGO = timedelta(hours=2)


def health_check(name: str) -> checks.HealthCheck:
    """Run the health checks; return the one with this name."""
    (found,) = [check for check in checks.run_health_checks(now=clock.billing_now()) if check.name == name]
    return found


def failing_checks() -> set[str]:
    """Return the names of the checks that need attention."""
    return {check.name for check in checks.run_health_checks(now=clock.billing_now()) if check.needs_somebody}


@pytest.fixture
def healthy_system() -> None:
    """A healthy system: a new heartbeat, and each job finished for its newest slot."""
    now = timezone.now()
    Heartbeat.objects.create(pk=1, at=now)
    for job, slot in list(schedule.due_jobs(clock.billing_now())):
        JobRun.objects.create(job=job.name, scheduled_for=slot, started_at=now, finished_at=now)


def begin_command(state: str, **more: object) -> Command:
    """Create a command of a new account, begun two hours ago."""
    account = open_account(f"alice{Command.objects.count()}")
    command = Command.objects.create(account=account, key="k", kind="pause", actor="you", state=state, steps=[], **more)
    Command.objects.filter(pk=command.pk).update(created_at=timezone.now() - LONG_AGO)
    return command


def test_no_check_fails_while_all_is_well(healthy_system: None) -> None:
    assert failing_checks() == set()


def test_a_missing_heartbeat_fails_its_check(healthy_system: None) -> None:
    Heartbeat.objects.update(at=timezone.now() - timedelta(minutes=4))
    assert failing_checks() == {"beat_seconds"}
    assert health_check("beat_seconds").found == "last heartbeat 4 minutes ago"
    Heartbeat.objects.all().delete()
    assert failing_checks() == {"beat_seconds"}


def test_the_tick_stores_a_heartbeat(provider: Provider) -> None:
    recovery.run_tick()
    assert "beat_seconds" not in failing_checks()


def test_a_command_that_stays_open_fails_its_check(healthy_system: None) -> None:
    begin_command("unknown")
    assert failing_checks() == {"commands_unsettled"}
    assert health_check("commands_unsettled").found == "1 change waiting for Chargebee, oldest started 2 hours ago"


def test_a_partial_change_fails_its_check_and_a_decline_does_not(healthy_system: None) -> None:
    begin_command("failed", error_code="payment_processing_failed", finished_at=timezone.now())
    assert failing_checks() == set()
    begin_command("failed", error_code="billing_partial", finished_at=timezone.now())
    assert failing_checks() == {"commands_refused"}
    assert health_check("commands_refused").found == "1 billing_partial, 1 payment_processing_failed"


@pytest.mark.shows("reliability-14")
@pytest.mark.parametrize(("state", "name"), [("parked", "webhooks_parked"), ("received", "webhooks_waiting")])
def test_a_webhook_that_is_not_processed_fails_its_check(healthy_system: None, state: str, name: str) -> None:
    event = WebhookEvent.objects.create(
        event_id="ev_1",
        event_type="customer_changed",
        occurred_at=timezone.now(),
        source="webhook",
        payload={},
        state=state,
    )
    WebhookEvent.objects.filter(pk=event.pk).update(received_at=timezone.now() - LONG_AGO)
    assert failing_checks() == {name}


def test_a_late_or_failed_job_fails_its_check(healthy_system: None) -> None:
    JobRun.objects.filter(job="resumes").delete()
    JobRun.objects.filter(job="notices").update(error="ValueError: no")
    with time_machine.travel(schedule.newest_night(clock.billing_now()) + timedelta(hours=1), tick=False):
        found = health_check("jobs_late").found
    assert "resumes is late" in found
    assert "notices failed in its last run" in found


def test_the_progress_of_a_job_is_shown_while_it_runs(client: Client, healthy_system: None) -> None:
    now = timezone.now()
    JobRun.objects.filter(job="resumes").update(
        started_at=now - timedelta(minutes=4),
        finished_at=None,
        next_attempt_at=now + timedelta(minutes=10),
        counts={"resumed": 190, "declined": 10, "later": 0, "left": 300},
    )

    assert failing_checks() == set()
    progress = "started 4 minutes ago, about 6 minutes left"
    assert health_check("jobs_under_way").found == f"resumes: 10 declined, 190 resumed, 300 left, {progress}"
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    run = JobRun.objects.get(job="resumes")
    assert progress in client.get(reverse("admin:billing_jobrun_change", args=[run.pk])).content.decode()
    JobRun.objects.update(next_attempt_at=now)
    assert health_check("jobs_under_way").found == "none"


def test_an_overdue_resume_fails_its_check_and_one_given_up_does_not(healthy_system: None) -> None:
    apply_catalog()
    open_account("alice", make_subscription("own"), make_subscription("also"))
    own, also = Subscription.objects.order_by("pk")
    dates = {"pause_date": clock.billing_now() - timedelta(days=40), "created_at": clock.billing_now()}
    ends = {"own": clock.billing_now() - timedelta(days=2), "also": clock.billing_now() + timedelta(days=2)}
    PauseSchedule.objects.create(subscription=own, state="paused", resume_date=ends["own"], **dates)
    PauseSchedule.objects.create(
        subscription=also, state="paused", resume_date=ends["also"], given_up_at=clock.billing_now(), **dates
    )
    assert failing_checks() == {"resumes_overdue"}
    assert health_check("resumes_given_up").number == 1


def test_records_that_could_not_be_repaired_fail_their_check(healthy_system: None) -> None:
    JobRun.objects.filter(job="reconcile").update(counts={"compared": 300, "repaired": 4, "failed": 1})
    assert failing_checks() == {"mirror_mended"}
    assert health_check("mirror_mended").found == "4 corrected and 1 failed of 300, less than a minute ago"


def test_a_day_and_a_half_without_a_comparison_fails_its_check(healthy_system: None) -> None:
    now = timezone.now()
    runs, began = JobRun.objects.filter(job="reconcile"), now - timedelta(hours=37)
    runs.update(started_at=began, finished_at=now - timedelta(hours=35))
    assert failing_checks() == set()
    runs.update(finished_at=began)
    assert failing_checks() == {"mirror_mended"}
    runs.update(finished_at=None, next_attempt_at=now + timedelta(minutes=5))
    assert failing_checks() == {"mirror_mended"}


def test_a_job_that_fails_again_and_again_fails_its_check(healthy_system: None) -> None:
    runs = JobRun.objects.filter(job="notices")
    runs.update(finished_at=None, next_attempt_at=timezone.now() + timedelta(minutes=5), error="x", failures=2)
    assert failing_checks() == set()
    runs.update(failures=3)
    assert failing_checks() == {"jobs_late"}
    assert health_check("jobs_late").found == "notices fails and is tried again"


@pytest.mark.shows("reliability-24")
def test_mail_that_waits_or_failed_fails_its_check(healthy_system: None) -> None:
    OutgoingMail.objects.create(kind="receipt", to="a@example.com", created_at=timezone.now() - LONG_AGO)
    assert failing_checks() == {"mail_waiting"}
    OutgoingMail.objects.update(queue="codes", created_at=timezone.now() - timedelta(minutes=3))
    assert failing_checks() == {"codes_waiting"}
    # Notices take hours, at the pace of jobs.
    OutgoingMail.objects.update(queue="jobs", created_at=timezone.now() - timedelta(hours=11))
    assert failing_checks() == set()
    OutgoingMail.objects.update(queue="jobs", created_at=timezone.now() - timedelta(hours=13))
    assert failing_checks() == {"notices_waiting"}
    OutgoingMail.objects.update(state="failed", given_up_at=timezone.now())
    assert failing_checks() == {"mail_lost"}


def record_sign_in_events(kind: str, number: int) -> None:
    SignInEvent.objects.bulk_create(SignInEvent(kind=kind, email=f"{n}@example.com") for n in range(number))


@pytest.mark.shows("security-50")
def test_many_wrong_codes_at_many_addresses_fail_their_check(healthy_system: None) -> None:
    record_sign_in_events("failed", 51)
    assert failing_checks() == {"wrong_codes"}
    assert health_check("wrong_codes").found == "51 wrong, 0 sign-ins"
    record_sign_in_events("ok", 51)
    assert failing_checks() == set()
    for _ in range(FAILURES.count):
        count_failure("alice@example.com", known_browser="")
    assert health_check("wrong_codes").found.endswith("; addresses closed to new browsers: 1")


@pytest.mark.shows("reliability-23")
def test_an_invoice_that_cannot_be_rendered_fails_its_check(healthy_system: None) -> None:
    open_account("alice", make_invoice("INV-1"))
    InvoicePdf.objects.create(invoice=Invoice.objects.get(), version=1, state="failed")
    assert failing_checks() == {"pdfs_failed"}


def test_a_provider_that_fails_or_rate_limits_us_fails_its_check(healthy_system: None) -> None:
    now = timezone.now().replace(second=0, microsecond=0)
    minute = ProviderMinute.objects.create(minute=now, asked=40, failed=2, milliseconds=10_000)
    assert failing_checks() == set()
    assert health_check("provider_failed").found == "2 of 40 failed, 0.25 s each"
    ProviderMinute.objects.filter(pk=minute.pk).update(failed=3, turned_away=1)
    assert failing_checks() == {"provider_failed", "provider_turned_away"}


def test_requests_to_the_provider_are_counted(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    provider_metrics.flush_counts()
    ProviderMinute.objects.all().delete()
    records.find_customers_by_email("nobody@example.com")
    faulty_proxy.lose_answers()
    with pytest.raises(GatewayError):
        records.find_customers_by_email("nobody@example.com")
    provider_metrics.flush_counts()
    asked = ProviderMinute.objects.values_list("asked", "failed", "turned_away")
    assert [sum(column) for column in zip(*asked, strict=True)] == [4, 3, 0]


def test_flushing_without_counts_makes_no_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    provider_metrics.flush_counts()
    with django_assert_num_queries(0):
        provider_metrics.flush_counts()


def test_provider_minutes_are_kept_for_a_week() -> None:
    now = timezone.now()
    for days in (6, 8):
        ProviderMinute.objects.create(minute=now - timedelta(days=days), asked=1)
    assert data_retention.delete_old_metrics() == 1
    assert ProviderMinute.objects.get().minute > now - timedelta(days=7)


def test_the_page_shows_failing_checks_first_with_links_to_their_lists(client: Client, healthy_system: None) -> None:
    begin_command("unknown")
    support = User.objects.create_user("sam", password="correct horse battery staple", is_staff=True)
    support.groups.add(Group.objects.get(name="support"))
    client.force_login(support)
    page = client.get(reverse(PAGE)).content.decode()
    assert re.findall(r"<h2 [^>]*>(.*?)</h2>", page)[0] == "Changes being confirmed"
    assert "1 check needs attention." in page
    assert f"{reverse('admin:billing_command_changelist')}?state__exact=unknown" in page
    # The support group may not see job runs, so the page does not link to them.
    assert reverse("admin:billing_jobrun_changelist") not in page


def test_the_page_requires_permission(client: Client) -> None:
    client.force_login(User.objects.create_user("carl", password="correct horse battery staple", is_staff=True))
    assert client.get(reverse(PAGE)).status_code == 403


def test_every_linked_list_opens_with_its_filter(client: Client) -> None:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    for check in checks.run_health_checks(now=clock.billing_now()):
        if check.admin_list:
            answer = client.get(f"{reverse(f'admin:{check.admin_list}_changelist')}?{check.admin_filter}")
            assert (check.name, answer.status_code) == (check.name, 200)


def test_every_check_links_to_its_paragraph_of_the_runbook(client: Client, healthy_system: None) -> None:
    begin_command("unknown")
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    page = client.get(reverse(PAGE)).content.decode()
    runbook = client.get(reverse(RUNBOOK)).content.decode()
    linked = re.findall(rf'href="{reverse(RUNBOOK)}#([\w-]+)"', page)
    assert len(linked) == len(checks.run_health_checks(now=clock.billing_now()))
    assert set(linked) <= set(re.findall(r'<section class="card" id="([\w-]+)"', runbook))


def test_the_runbook_is_shown_without_marks_of_its_source(client: Client) -> None:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    page = client.get(reverse(RUNBOOK)).content.decode()
    text = re.sub(
        r"<pre>.*?</pre>|<code>.*?</code>", "", page.split('<div class="runbook__sections">')[1], flags=re.DOTALL
    )
    assert re.findall(r"^(?:#|\||- ).*|`|\*\*|\]\(", text, re.MULTILINE) == []
    assert '<a href="#webhooks">webhooks</a>' in page
    assert "<pre>python manage.py reset_second_factor &lt;user name&gt;</pre>" in page
    assert set(re.findall(r'<a href="#([\w-]+)"', page)) <= set(re.findall(r' id="([\w-]+)"', page))


def test_the_runbook_requires_permission(client: Client) -> None:
    client.force_login(User.objects.create_user("carl", password="correct horse battery staple", is_staff=True))
    assert client.get(reverse(RUNBOOK)).status_code == 403
