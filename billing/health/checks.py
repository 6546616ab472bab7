"""Health checks: beat and workers, commands, webhooks, jobs, mail, the catalog, and the provider.

Each check says what it found, whether somebody has to act, and how; `docs/runbook.md` says more. Checks only read the
database and make no request to the provider.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from django.conf import settings
from django.db.models import Count, Max, Min, Sum

from accounts.mail import outbox
from accounts.sign_in.guessing import guessing_health
from billing.changes import resumes
from billing.errors import BillingPartial
from billing.health import progress
from billing.health.heartbeat import last_heartbeat
from billing.health.progress import format_time_ago
from billing.jobs import schedule
from billing.jobs.resumes import retry
from billing.models import Command, InvoicePdf, JobRun, ProviderMinute, WebhookEvent
from billing.models.job_runs import ADDRESSES, RECONCILE
from billing.queries.catalog import subscribed_plans_outside_catalog
from billing.queries.customers import count_shared_addresses
from core.clock import database_now

# Beat ticks three times a minute; busy workers may delay some ticks.
QUIET_AFTER = timedelta(minutes=3)
# A command is settled within a minute once the provider answers again.
UNSETTLED_AFTER = timedelta(minutes=2)
WAITING_AFTER = timedelta(minutes=10)
CODE_WAITING_AFTER = timedelta(minutes=2)
# A night's notices are sent over hours, at the pace of jobs; they are days early.
NOTICE_WAITING_AFTER = timedelta(hours=12)
LATE_AFTER = timedelta(minutes=20)
# A night whose comparison fails is made up for by the next one.
COMPARED_WITHIN = timedelta(hours=36)
# The first errors of a run may pass by themselves.
FAILURES_TO_REPORT = 3
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
# The share of an hour's requests that may fail before somebody has to act, and the number that always may.
FAILING_SHARE = 0.05
TOLERATED_FAILURES = 2
# How many items a check names.
NAMED_ITEMS = 3
# What a whole site can have is counted up to here.
COUNT_LIMIT = 1_000


@dataclass(frozen=True, kw_only=True)
class HealthCheck:
    """The result of a check: `name` is the metric's name, `number` its value, `todo` what to do if it needs somebody.

    `admin_list` is the `app_model` of the admin's list of what is counted, empty if there is none, and `admin_filter`
    its query string.
    """

    name: str
    title: str
    found: str
    number: float
    needs_somebody: bool
    todo: str
    runbook: str
    admin_list: str = ""
    admin_filter: str = ""


def run_health_checks(*, now: datetime) -> list[HealthCheck]:
    """Run all checks. `now` (UTC) is on billing's clock, by which jobs and resumes are due; the rest is real time."""
    real_now = database_now()
    return list(
        chain(
            [_check_beat(real_now), _check_open_commands(real_now), _check_refused_commands(real_now)],
            [_check_parked_webhooks(), _check_waiting_webhooks(real_now)],
            [_check_late_jobs(now), _check_active_jobs(real_now)],
            [_check_overdue_resumes(now), _check_given_up_resumes(), _check_last_reconcile(real_now)],
            [_check_shared_addresses(real_now), _check_wrong_codes(real_now)],
            _check_queues(real_now),
            [_check_lost_mail(), _check_failed_pdfs(), _check_catalog()],
            _check_provider(real_now),
        )
    )


def _check_beat(now: datetime) -> HealthCheck:
    at = last_heartbeat()
    seconds = (now - at).total_seconds() if at else 0
    return HealthCheck(
        name="beat_seconds",
        title="Scheduler and workers",
        found=f"last heartbeat {format_time_ago(now - at)}" if at else "no heartbeat yet",
        number=seconds,
        needs_somebody=at is None or now - at > QUIET_AFTER,
        todo="Start beat and a worker for the celery queue. Check that the broker responds (/readyz).",
        runbook="nothing-happens-in-the-night",
    )


def _check_open_commands(now: datetime) -> HealthCheck:
    unsettled = Command.objects.filter(state__in=Command.OPEN, created_at__lt=now - UNSETTLED_AFTER)
    totals = unsettled.aggregate(count=Count("pk"), oldest=Min("created_at"))
    return HealthCheck(
        name="commands_unsettled",
        title="Changes being confirmed",
        found=_count_phrase(totals["count"], "change waiting for Chargebee", "changes waiting for Chargebee")
        + (f", oldest started {format_time_ago(now - totals['oldest'])}" if totals["oldest"] else ""),
        number=totals["count"],
        needs_somebody=totals["count"] > 0,
        todo="If Chargebee is down, wait: each change is retried with the same key. Otherwise, check its steps.",
        runbook="the-provider-is-down-or-slow",
        admin_list="billing_command",
        admin_filter="state__exact=unknown",
    )


def _check_refused_commands(now: datetime) -> HealthCheck:
    refused = Command.objects.filter(state=Command.State.FAILED, finished_at__gt=now - DAY)
    codes = refused.values_list("error_code").annotate(count=Count("pk")).order_by("-count", "error_code")
    has_partial = any(code == BillingPartial.code for code, _ in codes)
    return HealthCheck(
        name="commands_refused",
        title="Changes refused (24 hours)",
        found=", ".join(f"{count} {code or 'without a code'}" for code, count in codes) or "none",
        number=sum(count for _, count in codes),
        needs_somebody=has_partial,
        todo="Most are expected, such as declined cards. To finish a partial change (billing_partial), "
        "repeat it. Its steps show what's missing.",
        runbook="a-change-was-refused",
        admin_list="billing_command",
        admin_filter="state__exact=failed",
    )


def _check_parked_webhooks() -> HealthCheck:
    parked = WebhookEvent.objects.filter(state=WebhookEvent.State.PARKED).count()
    return HealthCheck(
        name="webhooks_parked",
        title="Webhook events that failed",
        found=_count_phrase(parked, "failed too often", "failed too often"),
        number=parked,
        needs_somebody=parked > 0,
        todo="Read the error, fix the cause, and replay them. Replaying is always safe.",
        runbook="webhooks",
        admin_list="billing_webhookevent",
        admin_filter="state__exact=parked",
    )


def _check_waiting_webhooks(now: datetime) -> HealthCheck:
    late = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED, received_at__lt=now - WAITING_AFTER).count()
    return HealthCheck(
        name="webhooks_waiting",
        title="Webhook events waiting",
        found=_count_phrase(late, "waiting for 10 minutes or longer", "waiting for 10 minutes or longer"),
        number=late,
        needs_somebody=late > 0,
        todo="Check that Chargebee responds and that the celery queue has enough workers.",
        runbook="webhooks",
        admin_list="billing_webhookevent",
        admin_filter="state__exact=received",
    )


def _check_late_jobs(now: datetime) -> HealthCheck:
    late = sorted(job.name for job, slot in schedule.due_jobs(now) if slot and now - slot > LATE_AFTER)
    failed, failing = _failed_job_names(), _failing_job_names()
    problems = [
        *(f"{name} is late" for name in late),
        *(f"{name} failed in its last run" for name in failed),
        *(f"{name} fails and is tried again" for name in failing),
    ]
    return HealthCheck(
        name="jobs_late",
        title="Scheduled jobs",
        found=", ".join(problems) or "All on time",
        number=len(problems),
        needs_somebody=bool(problems),
        todo="Start a worker for the jobs queue. Read the error of the job's latest run.",
        runbook="nothing-happens-in-the-night",
        admin_list="billing_jobrun",
    )


def _check_active_jobs(now: datetime) -> HealthCheck:
    runs = list(progress.active_runs(now))
    return HealthCheck(
        name="jobs_under_way",
        title="Running jobs",
        found="; ".join(progress.describe_run(run, now) for run in runs) or "none",
        number=len(runs),
        needs_somebody=False,
        todo="No action needed",
        runbook="nothing-happens-in-the-night",
        admin_list="billing_jobrun",
    )


def _failed_job_names() -> list[str]:
    newest = JobRun.objects.values("job").annotate(newest=Max("pk")).values_list("newest", flat=True)
    ended = JobRun.objects.filter(pk__in=list(newest), finished_at__isnull=False).exclude(error="")
    return sorted(ended.values_list("job", flat=True))


def _failing_job_names() -> list[str]:
    failing = JobRun.objects.unfinished().filter(failures__gte=FAILURES_TO_REPORT)
    return sorted(set(failing.values_list("job", flat=True)))


def _check_overdue_resumes(now: datetime) -> HealthCheck:
    # Due since midnight, but resumed by the nightly job: count them a day later.
    overdue = resumes.count_overdue_resumes(now=now - DAY)
    return HealthCheck(
        name="resumes_overdue",
        title="Overdue resumes",
        found=_count_phrase(overdue, "overdue by a day or more", "overdue by a day or more"),
        number=overdue,
        needs_somebody=overdue > 0,
        todo="Check that the nightly job runs. The schedule shows the last error. Resume one on its account's page.",
        runbook="a-resume-is-not-paid-for",
        admin_list="billing_pauseschedule",
        admin_filter="overdue=yes",
    )


def _check_given_up_resumes() -> HealthCheck:
    given_up = retry.count_given_up()
    return HealthCheck(
        name="resumes_given_up",
        title="Unpaid resumes",
        found=_count_phrase(
            given_up,
            "stays paused after its last declined payment",
            "stay paused after their last declined payment",
        ),
        number=given_up,
        needs_somebody=False,
        todo="No action needed: we told the subscriber, who can resume with another payment method.",
        runbook="a-resume-is-not-paid-for",
        admin_list="billing_pauseschedule",
        admin_filter="given_up_at__isempty=0",
    )


def _check_last_reconcile(now: datetime) -> HealthCheck:
    finished = JobRun.objects.filter(job=RECONCILE, finished_at__isnull=False, error="")
    last = finished.order_by("finished_at").last()
    counts = {"compared": 0, "repaired": 0, "failed": 0, **(last.counts if last else {})}
    first = JobRun.objects.filter(job=RECONCILE).order_by("started_at").first()
    done_until = last.finished_at if last else first.started_at if first else None
    is_late = done_until is not None and now - done_until > COMPARED_WITHIN
    if last is None or last.finished_at is None:
        found = "Not run yet"
    else:
        ago = format_time_ago(now - last.finished_at)
        found = f"{counts['repaired']} corrected and {counts['failed']} failed of {counts['compared']}, {ago}"
    return HealthCheck(
        name="mirror_mended",
        title="Last comparison with Chargebee",
        found=found,
        number=counts["repaired"],
        needs_somebody=counts["failed"] > 0 or is_late,
        todo="Read the error of the latest run: no comparison has ended for a day and a half."
        if is_late
        else "Find the failed records in the log. reconcile --check lists the remaining differences.",
        runbook="the-mirror-may-be-wrong",
        admin_list="billing_jobrun",
        admin_filter=f"job={RECONCILE}",
    )


def _check_shared_addresses(now: datetime) -> HealthCheck:
    # Found by the hourly job: all addresses are read, which takes too long for a page of a large site.
    run = JobRun.objects.filter(job=ADDRESSES, finished_at__isnull=False, error="").order_by("-pk").first()
    count = count_shared_addresses(limit=COUNT_LIMIT)
    found = f"{_bounded_phrase(count.shared, 'address', 'addresses')}, {count.paying} with several paying customers"
    return HealthCheck(
        name="addresses_shared",
        title="Email addresses with several customers",
        found=f"{found if count.shared else 'none'}, looked for {format_time_ago(now - run.finished_at)}"
        if run and run.finished_at
        else "Not looked for yet",
        number=count.shared,
        needs_somebody=count.paying > 0,
        todo="Check whether each is one person. If so, merge the customers in Chargebee; if not, correct the address.",
        runbook="two-customers-have-one-address",
        admin_list="billing_customer",
        admin_filter="shared=yes",
    )


def _check_wrong_codes(now: datetime) -> HealthCheck:
    health = guessing_health(now)
    return HealthCheck(
        name="wrong_codes",
        title="Wrong sign-in codes (1 hour)",
        found=f"{health.wrong_codes} wrong, {_number_phrase(health.sign_ins, 'sign-in', 'sign-ins')}"
        + (f"; addresses closed to new browsers: {closed}" if (closed := health.closed_addresses) else ""),
        number=health.wrong_codes,
        needs_somebody=health.is_suspicious,
        todo="Look for one network in the list, and block it at the proxy. Nobody is kept out meanwhile.",
        runbook="somebody-guesses-codes",
        admin_list="accounts_signinevent",
        admin_filter="kind__exact=failed",
    )


def _check_queues(now: datetime) -> Iterator[HealthCheck]:
    yield _check_queue(
        outbox.Queue.CODES,
        now,
        longest=CODE_WAITING_AFTER,
        name="codes_waiting",
        title="Sign-in codes waiting",
        todo="Nobody new can sign in. Check that the mail server responds and that a worker for the codes queue runs.",
    )
    yield _check_queue(
        outbox.Queue.MAIL,
        now,
        longest=WAITING_AFTER,
        name="mail_waiting",
        title="Email waiting",
        todo="Check that the mail server responds and a worker for the mail queue runs. The row shows the last error.",
    )
    yield _check_queue(
        outbox.Queue.JOBS,
        now,
        longest=NOTICE_WAITING_AFTER,
        name="notices_waiting",
        title="Notices waiting",
        todo="They keep the pace of jobs. If that is too slow for their number, ask Chargebee for a higher limit.",
    )


def _check_queue(queue: outbox.Queue, now: datetime, *, longest: timedelta, **words: str) -> HealthCheck:
    """Check how long the mails of a queue have waited; `words` are the name, the title and what to do."""
    health = outbox.queue_health(queue)
    return HealthCheck(
        **words,
        found=_waiting_phrase(health, now),
        number=health.waiting,
        needs_somebody=_is_waiting_longer(health, longest, now),
        runbook="mail-does-not-arrive",
        admin_list="accounts_outgoingmail",
        admin_filter=f"state__exact=pending&queue__exact={queue.value}",
    )


def _check_lost_mail() -> HealthCheck:
    lately = outbox.outbox_health()
    lost = lately.lapsed + lately.given_up
    return HealthCheck(
        name="mail_lost",
        title="Undelivered email (24 hours)",
        found=f"{lately.given_up} failed, {lately.lapsed} expired",
        number=lost,
        needs_somebody=lost > 0,
        todo="Read the error. Use Try again now to requeue failed email.",
        runbook="mail-does-not-arrive",
        admin_list="accounts_outgoingmail",
        admin_filter="state__exact=failed",
    )


def _waiting_phrase(health: outbox.QueueHealth, now: datetime) -> str:
    oldest = f", oldest {format_time_ago(now - health.oldest)}" if health.oldest else ""
    return _count_phrase(health.waiting, "waiting", "waiting") + oldest


def _is_waiting_longer(health: outbox.QueueHealth, span: timedelta, now: datetime) -> bool:
    return health.oldest is not None and now - health.oldest > span


def _check_failed_pdfs() -> HealthCheck:
    failed = InvoicePdf.objects.filter(state=InvoicePdf.State.FAILED).count()
    return HealthCheck(
        name="pdfs_failed",
        title="Invoice PDFs",
        found=_count_phrase(failed, "couldn't be created", "couldn't be created"),
        number=failed,
        needs_somebody=failed > 0,
        todo="Find the invoice number and the reason in the log. The next download tries again.",
        runbook="an-invoice-cannot-be-made",
        admin_list="billing_invoicepdf",
        admin_filter="state__exact=failed",
    )


def _check_catalog() -> HealthCheck:
    outside = subscribed_plans_outside_catalog(limit=COUNT_LIMIT)
    names = ", ".join(
        f"{row.plan.name} ({row.plan.id}) with {_bounded_phrase(row.subscriptions, 'subscription', 'subscriptions')}"
        for row in outside[:NAMED_ITEMS]
    )
    more = f", and {len(outside) - NAMED_ITEMS} more" if len(outside) > NAMED_ITEMS else ""
    return HealthCheck(
        name="items_not_arranged",
        title="Items without a plan",
        found=f"{names}{more}" if outside else "All subscribed items are plans",
        number=len(outside),
        needs_somebody=bool(outside),
        todo="Add a plan for each item. Until then, subscribers see Chargebee's name and can only cancel.",
        runbook="an-item-is-not-arranged",
        admin_list="billing_plan",
    )


def _check_provider(now: datetime) -> Iterator[HealthCheck]:
    minutes = ProviderMinute.objects.filter(minute__gt=now - HOUR)
    total = minutes.aggregate(
        all_asked=Sum("asked", default=0),
        all_failed=Sum("failed", default=0),
        all_turned_away=Sum("turned_away", default=0),
        took=Sum("milliseconds", default=0),
        most=Max("asked", default=0),
    )
    asked, failed, turned_away = total["all_asked"], total["all_failed"], total["all_turned_away"]
    took = f", {total['took'] / asked / 1000:.2f} s each" if asked else ""
    yield HealthCheck(
        name="provider_failed",
        title="Chargebee responses (1 hour)",
        found=f"{failed} of {asked} failed{took}" if asked else "no requests",
        number=failed,
        needs_somebody=failed > max(TOLERATED_FAILURES, asked * FAILING_SHARE),
        todo="Check Chargebee's status page. Nothing is lost: pages still load, and changes are confirmed later.",
        runbook="the-provider-is-down-or-slow",
    )
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    yield HealthCheck(
        name="provider_turned_away",
        title="Chargebee rate limit",
        found=f"{total['most']} requests in the busiest minute of the hour, {turned_away} rejected; "
        + (f"jobs may make {allowed} a minute" if allowed else "jobs are not limited"),
        number=turned_away,
        needs_somebody=turned_away > 0,
        todo="Lower CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE, or raise the site's limit in Chargebee.",
        runbook="the-provider-turns-us-away-429",
    )


def _count_phrase(count: int, singular: str, plural: str) -> str:
    return _number_phrase(count, singular, plural) if count else "none"


def _bounded_phrase(count: int, singular: str, plural: str) -> str:
    return f"{_number_phrase(count, singular, plural)}{' or more' if count >= COUNT_LIMIT else ''}"


def _number_phrase(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"
