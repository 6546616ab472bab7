"""The nightly reconcile: delete old data, repair the mirror, request missing PDFs, align the bundle coupons."""

from dataclasses import replace
from datetime import datetime

from billing import job_runs
from billing.changes.discounts import bundle_coupons
from billing.changes.discounts.bundle_coupons import BUNDLE_STAGE
from billing.invoices import pdf_files
from billing.job_runs import Portion
from billing.jobs import data_retention
from billing.mirror import comparisons, diff, reconcile
from billing.mirror.reconcile import ACCOUNTS_STAGE
from billing.models import JobRun
from billing.models.job_runs import Cursor
from core.workers import shutdown

RETENTION_STAGE, ROUND_STAGE, PDF_STAGE = "old data", "whole site", "PDFs"
# Data retention comes first: it must not wait for the provider.
STAGES = (RETENTION_STAGE, *diff.STAGES, ACCOUNTS_STAGE, ROUND_STAGE, PDF_STAGE, BUNDLE_STAGE)


def reconcile_slice(run: JobRun, *, now: datetime, until: float) -> bool:
    """Process portions of a run, at least one, until a time of the monotonic clock; return whether it is finished.

    Raises NotSent, LeaseLost.
    """
    for _stage in job_runs.process_portions(run, lambda run: _process_portion(run, now)):
        if shutdown.is_time_up(until):
            break
    return run.finished_at is not None


def _process_portion(run: JobRun, now: datetime) -> Portion:
    stage = run.cursor.stage
    if stage == RETENTION_STAGE:
        return Portion(data_retention.delete_old_data(), _first_comparison(run.cursor))
    if stage == ACCOUNTS_STAGE:
        return _open_accounts(run)
    if stage == ROUND_STAGE:
        return reconcile.compare_round_portion(run, STAGES, now=now)
    if stage == PDF_STAGE:
        return Portion({"pdfs": pdf_files.request_missing_pdfs()}, run.cursor.next_stage(STAGES))
    if stage == BUNDLE_STAGE:
        return bundle_coupons.align_portion(run, STAGES, now=now)
    return reconcile.repair_portion(run, STAGES, now=now)


def _first_comparison(cursor: Cursor) -> Cursor | None:
    """Return the start of the comparison: of what was updated since the last one, or of everything without one."""
    following = cursor.next_stage(STAGES)
    return replace(following, since=comparisons.find_last_comparison()) if following else None


def _open_accounts(run: JobRun) -> Portion:
    """Open accounts for new customers, if the site was imported. Skip the round on the night that compared all."""
    cursor: Cursor = run.cursor
    if comparisons.is_site_mirrored():
        portion = reconcile.open_accounts_portion(run, STAGES)
    else:
        portion = Portion({}, cursor.next_stage(STAGES))
    if cursor.since or portion.cursor is None or portion.cursor.stage != ROUND_STAGE:
        return portion
    return Portion(portion.counts, portion.cursor.next_stage(STAGES))
