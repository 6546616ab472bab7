"""How everything that works unseen stands: beat and workers, commands, webhooks, jobs, mail, and the provider.

Each sign says what it found, whether somebody has to look, and what to do then; `docs/runbook.md` says more under the
same heading. Only rows are read, so that looking costs the provider nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from django.conf import settings
from django.db.models import Count, Max, Min, Sum

from accounts import outbox
from billing.errors import BillingPartial
from billing.models import Command, Heartbeat, InvoicePdf, JobRun, ProviderMinute, ReconcileRun, WebhookEvent
from billing.services import jobs, leases, progress, resume_retries, resumes
from billing.services.progress import ago

# Beat comes three times a minute; a worker that is busy may miss some.
QUIET_AFTER = timedelta(minutes=3)
# A command is settled within a minute of the provider answering (contract, section 2).
UNSETTLED_AFTER = timedelta(minutes=2)
WAITING_AFTER = timedelta(minutes=10)
LATE_AFTER = timedelta(minutes=20)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
# Of what the provider was asked within the hour, so much may fail before somebody has to look; a few always may.
FAILING_SHARE = 0.05
A_FEW = 2


@dataclass(frozen=True, kw_only=True)
class Sign:
    """One thing that is watched: `name` for machines, `number` as a measure of it, `todo` for when it needs somebody.

    `address` is the name of the admin's list of what is counted, empty where there is none, and `narrowed` its query.
    """

    name: str
    title: str
    found: str
    number: float
    needs_somebody: bool
    todo: str
    runbook: str
    address: str = ""
    narrowed: str = ""


def signs(*, now: datetime) -> list[Sign]:
    """Return every sign; `now` is billing's clock, by which jobs and resumes are due. The rest goes by real time."""
    real_now = leases.now()
    return list(
        chain(
            [_beat(real_now), _open_commands(real_now), _refused_commands(real_now)],
            [_parked_webhooks(), _waiting_webhooks(real_now)],
            [_late_jobs(now), _jobs_under_way(real_now)],
            [_overdue_resumes(now), _given_up_resumes(), _comparison(real_now)],
            _mail(real_now),
            [_failed_pdfs()],
            _provider(real_now),
        )
    )


def _beat(now: datetime) -> Sign:
    at = Heartbeat.objects.aggregate(at=Max("at"))["at"]
    quiet = (now - at).total_seconds() if at else 0
    return Sign(
        name="beat_seconds",
        title="Beat and workers",
        found=f"last heard {ago(now - at)}" if at else "never heard",
        number=quiet,
        needs_somebody=at is None or now - at > QUIET_AFTER,
        todo="Start beat and a worker of the queue celery; look whether the broker answers (/readyz).",
        runbook="nothing-happens-in-the-night",
    )


def _open_commands(now: datetime) -> Sign:
    unsettled = Command.objects.filter(state__in=Command.OPEN, created_at__lt=now - UNSETTLED_AFTER)
    found = unsettled.aggregate(count=Count("pk"), oldest=Min("created_at"))
    return Sign(
        name="commands_unsettled",
        title="Changes being confirmed",
        found=_counted(
            found["count"], "change waits for the provider's word", "changes wait for the provider's word"
        )
        + (f", the oldest begun {ago(now - found['oldest'])}" if found["oldest"] else ""),
        number=found["count"],
        needs_somebody=found["count"] > 0,
        todo="Wait while the provider is away: each is asked about again with the same key. Otherwise read its steps.",
        runbook="the-provider-is-down-or-slow",
        address="billing_command",
        narrowed="state__exact=unknown",
    )


def _refused_commands(now: datetime) -> Sign:
    refused = Command.objects.filter(state=Command.State.FAILED, finished_at__gt=now - DAY)
    codes = refused.values_list("error_code").annotate(count=Count("pk")).order_by("-count", "error_code")
    in_part = any(code == BillingPartial.code for code, _ in codes)
    return Sign(
        name="commands_refused",
        title="Changes refused in a day",
        found=", ".join(f"{count} {code or 'without a code'}" for code, count in codes) or "none",
        number=sum(count for _, count in codes),
        needs_somebody=in_part,
        todo="Most are answers, a declined card above all. What was done in part (billing_partial) is finished by "
        "doing the same once more: its steps say what is missing.",
        runbook="a-change-was-refused",
        address="billing_command",
        narrowed="state__exact=failed",
    )


def _parked_webhooks() -> Sign:
    parked = WebhookEvent.objects.filter(state=WebhookEvent.State.PARKED).count()
    return Sign(
        name="webhooks_parked",
        title="Webhooks parked",
        found=_counted(parked, "failed too often", "failed too often"),
        number=parked,
        needs_somebody=parked > 0,
        todo="Read the error, mend what it says, and replay them: that is always safe.",
        runbook="webhooks",
        address="billing_webhookevent",
        narrowed="state__exact=parked",
    )


def _waiting_webhooks(now: datetime) -> Sign:
    late = WebhookEvent.objects.filter(
        state=WebhookEvent.State.RECEIVED, received_at__lt=now - WAITING_AFTER
    ).count()
    return Sign(
        name="webhooks_waiting",
        title="Webhooks that wait",
        found=_counted(late, "waits for ten minutes or longer", "wait for ten minutes or longer"),
        number=late,
        needs_somebody=late > 0,
        todo="Look whether the provider answers and whether there are enough workers of the queue celery.",
        runbook="webhooks",
        address="billing_webhookevent",
        narrowed="state__exact=received",
    )


def _late_jobs(now: datetime) -> Sign:
    late = sorted(job.name for job, slot in jobs.due(now) if now - slot > LATE_AFTER)
    failed = _failed_jobs()
    words = [*(f"{name} is late" for name in late), *(f"{name} failed last" for name in failed)]
    return Sign(
        name="jobs_late",
        title="Scheduled jobs",
        found=", ".join(words) or "all in time",
        number=len(late) + len(failed),
        needs_somebody=bool(words),
        todo="Start a worker of the queue jobs; read the error of the job's newest run.",
        runbook="nothing-happens-in-the-night",
        address="billing_jobrun",
    )


def _jobs_under_way(now: datetime) -> Sign:
    found = list(progress.under_way(now))
    return Sign(
        name="jobs_under_way",
        title="Jobs under way",
        found="; ".join(f"{run.job}: {progress.done(run)}, {progress.pace(run, now)}" for run in found)
        or "none",
        number=len(found),
        needs_somebody=False,
        todo="Nothing: it only tells how far they have got.",
        runbook="nothing-happens-in-the-night",
        address="billing_jobrun",
    )


def _failed_jobs() -> list[str]:
    newest = JobRun.objects.values("job").annotate(newest=Max("pk")).values_list("newest", flat=True)
    ended = JobRun.objects.filter(pk__in=list(newest), finished_at__isnull=False).exclude(error="")
    return sorted(ended.values_list("job", flat=True))


def _overdue_resumes(now: datetime) -> Sign:
    # The night has until its jobs are late as well: what it takes has been due since midnight.
    overdue = resumes.overdue(now=now - DAY)
    return Sign(
        name="resumes_overdue",
        title="Pauses past their end",
        found=_counted(overdue, "should have been resumed a day ago", "should have been resumed a day ago"),
        number=overdue,
        needs_somebody=overdue > 0,
        todo="See that the night's job runs; the schedule has the last error. Resume now does it for one.",
        runbook="a-resume-is-not-paid-for",
        address="billing_pauseschedule",
        narrowed="overdue=yes",
    )


def _given_up_resumes() -> Sign:
    given_up = resume_retries.given_up()
    return Sign(
        name="resumes_given_up",
        title="Resumes not paid for",
        found=_counted(
            given_up, "was declined to the end and stays paused", "were declined to the end and stay paused"
        ),
        number=given_up,
        needs_somebody=False,
        todo="Nothing: the subscriber knows, and may resume with another payment method.",
        runbook="a-resume-is-not-paid-for",
        address="billing_pauseschedule",
        narrowed="given_up_at__isempty=0",
    )


def _comparison(now: datetime) -> Sign:
    last = (
        ReconcileRun.objects.filter(work=ReconcileRun.Work.NIGHT, finished_at__isnull=False)
        .order_by("-finished_at")
        .first()
    )
    if last is None or last.finished_at is None:
        found = "no night yet"
    else:
        found = (
            f"{last.mended} mended and {last.failed} failed of {last.compared}, {ago(now - last.finished_at)}"
        )
    return Sign(
        name="mirror_mended",
        title="Last comparison with the provider",
        found=found,
        number=last.mended if last else 0,
        needs_somebody=bool(last and last.failed),
        todo="Find the failed records in the log; reconcile --check tells every difference that is left.",
        runbook="the-mirror-may-be-wrong",
        address="billing_reconcilerun",
    )


def _mail(now: datetime) -> Iterator[Sign]:
    health = outbox.health()
    late = health.oldest is not None and now - health.oldest > WAITING_AFTER
    yield Sign(
        name="mail_waiting",
        title="Mail that waits",
        found=_counted(health.waiting, "waits", "wait")
        + (f", the oldest since {ago(now - health.oldest)}" if health.oldest else ""),
        number=health.waiting,
        needs_somebody=late,
        todo="Look whether the mail server answers; the row shows the last error.",
        runbook="mail-does-not-arrive",
        address="accounts_outgoingmail",
        narrowed="state__exact=pending",
    )
    lost = health.lapsed + health.given_up
    yield Sign(
        name="mail_lost",
        title="Mail that never left, in a day",
        found=f"{health.given_up} given up, {health.lapsed} too late to be of use",
        number=lost,
        needs_somebody=lost > 0,
        todo="Read the error; Try again now puts back what was given up.",
        runbook="mail-does-not-arrive",
        address="accounts_outgoingmail",
        narrowed="state__exact=failed",
    )


def _failed_pdfs() -> Sign:
    failed = InvoicePdf.objects.filter(state=InvoicePdf.State.FAILED).count()
    return Sign(
        name="pdfs_failed",
        title="Invoices as PDF",
        found=_counted(failed, "could not be made", "could not be made"),
        number=failed,
        needs_somebody=failed > 0,
        todo="Find the invoice's number in the log with the reason; the next download tries again.",
        runbook="an-invoice-cannot-be-made",
        address="billing_invoicepdf",
        narrowed="state__exact=failed",
    )


def _provider(now: datetime) -> Iterator[Sign]:
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
    yield Sign(
        name="provider_failed",
        title="The provider's answers in an hour",
        found=f"{failed} of {asked} failed{took}",
        number=failed,
        needs_somebody=failed > max(A_FEW, asked * FAILING_SHARE),
        todo="Look at the provider's status page. Nothing is lost meanwhile: reads go on, changes are confirmed later.",
        runbook="the-provider-is-down-or-slow",
    )
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    yield Sign(
        name="provider_turned_away",
        title="Our use of the provider's limit",
        found=f"{total['most']} requests in the busiest minute of the hour, {turned_away} turned away; "
        + (f"jobs may make {allowed} a minute" if allowed else "jobs are not limited"),
        number=turned_away,
        needs_somebody=turned_away > 0,
        todo="Lower CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE, or raise the site's limit at the provider.",
        runbook="the-provider-turns-us-away-429",
    )


def _counted(count: int, one: str, more: str) -> str:
    if not count:
        return "none"
    return f"{count} {one if count == 1 else more}"
