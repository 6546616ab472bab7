"""The nightly reconcile: delete old data, repair the mirror, request missing PDFs, align the bundle coupons."""

from datetime import datetime

from billing import job_runs, worker_shutdown
from billing.changes import bundle_coupons
from billing.changes.bundle_coupons import BUNDLE_STAGE
from billing.invoices import pdf_files
from billing.job_runs import Portion
from billing.jobs import data_retention
from billing.mirror import diff, reconcile
from billing.models import JobRun

RETENTION_STAGE, PDF_STAGE = "old data", "PDFs"
# Data retention comes first: it must not wait for the provider.
STAGES = (RETENTION_STAGE, *diff.STAGES, PDF_STAGE, BUNDLE_STAGE)


def reconcile_slice(run: JobRun, *, now: datetime, until: float) -> bool:
    """Process portions of a run, at least one, until a time of the monotonic clock; return whether it is finished.

    Raises NotSent, LeaseLost.
    """
    for _stage in job_runs.process_portions(run, lambda run: _process_portion(run, now)):
        if worker_shutdown.is_time_up(until):
            break
    return run.finished_at is not None


def _process_portion(run: JobRun, now: datetime) -> Portion:
    stage = run.cursor.stage
    if stage == RETENTION_STAGE:
        return Portion(data_retention.delete_old_data(), run.cursor.next_stage(STAGES))
    if stage == PDF_STAGE:
        return Portion({"pdfs": pdf_files.request_missing_pdfs()}, run.cursor.next_stage(STAGES))
    if stage == BUNDLE_STAGE:
        return bundle_coupons.align_portion(run, STAGES, now=now)
    return reconcile.repair_portion(run, STAGES, now=now)
