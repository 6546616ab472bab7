"""The nightly reconcile: repair the mirror, then align the bundle coupons, in slices that share one run."""

from datetime import datetime

from billing.changes import bundle_coupons
from billing.mirror import batch_runs, reconcile
from billing.mirror.batch_runs import PortionResult, Work
from billing.mirror.diff import STAGES
from billing.models import ReconcileRun

NIGHT_STAGES = (*STAGES, bundle_coupons.BUNDLE_STAGE)


def run_nightly_reconcile(*, now: datetime, until: float) -> tuple[dict[str, int], bool]:
    """Run a slice of the night's reconcile until a time of the monotonic clock.

    Return the counts of all slices so far, and whether the run is finished. Raises NotSent, RunHeld, LeaseLost.
    """
    run = batch_runs.claim_run(Work.NIGHT, first=STAGES[0])

    def process_portion(run: ReconcileRun) -> PortionResult:
        if run.stage == bundle_coupons.BUNDLE_STAGE:
            return bundle_coupons.align_portion(run, NIGHT_STAGES, now=now)
        return reconcile.repair_portion(run, NIGHT_STAGES, now=now)

    finished = batch_runs.continue_run(run, process_portion, until=until)
    return {**reconcile.repair_counts(run), **bundle_coupons.alignment_counts(run)}, finished
