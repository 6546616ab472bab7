"""Putting bundle coupons right: as the last steps of a change, and by the night for what time itself changed."""

import logging
import time
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Q, QuerySet

from accounts.models import Account
from billing.errors import BillingError
from billing.gateway import changes
from billing.gateway.snapshots import SubscriptionSnapshot
from billing.models import Command, ReconcileRun, Subscription
from billing.models.mirror import ALIVE
from billing.queries.holdings import holdings_among, subscriptions_of
from billing.services import bundles, carrying_out, commands, hints, operations, runs
from billing.services.bundles import Rates, Swap
from billing.services.runs import Portion, RunHeld, TakenOver, Work

logger = logging.getLogger(__name__)

SWAP_COUPONS = "swap_coupons"
STAGE = "bundles"
# Each may take several requests; this many that are all timed out still end before a task must.
LOOKED_AT_ONCE = 5
# What a worker is told may be an echo of what it did last: where the provider does not keep a coupon, or somebody there
# takes it off again, each swap would lead to the next. So often within so long, and then the night has it.
TOLD_AT_MOST = 3
TOLD_WITHIN = timedelta(hours=1)


def steps_of(swaps: Iterable[Swap]) -> list[dict[str, Any]]:
    """Return the steps that swap coupons."""
    return [
        operations.step(
            SWAP_COUPONS,
            swap.subscription_id,
            add=list(swap.add),
            remove=list(swap.remove),
            changing_to=swap.changing_to,
        )
        for swap in swaps
    ]


def needed(account: Account) -> list[Swap]:
    """Return what must be swapped for an account as the mirror has it."""
    own = subscriptions_of(account)
    # Most accounts are one subscription without a coupon: no rate is for one alone.
    if len(own) < bundles.FEWEST and not any(one.coupons for one in own):
        return []
    return bundles.swaps(bundles.members_of(holdings_among(own)), Rates.current())


def align(account: Account, *, now: datetime) -> bool:
    """Put an account's bundle coupons right; return whether anything was to be done. Raises what a command raises."""
    if not needed(account):
        return False
    commands.perform(
        account,
        kind=commands.ALIGN,
        key=f"align-{uuid.uuid4().hex}",
        actor="system",
        now=now,
        plan=lambda: steps_of(needed(account)),
    )
    return True


def finish(account: Account, *, kind: str, now: datetime) -> dict[str, Any] | None:
    """Put right the coupons that an account's newest change, one of this kind, left as they were (contract, rule 2).

    Return the figures that were confirmed with it, None where it left nothing. Raises what a command raises.
    """
    earlier = commands.unfinished(account, kind=kind)
    if earlier is None or not align(account, now=now):
        return None
    return dict(earlier.shown)


def align_all(*, now: datetime) -> dict[str, int]:
    """Put right every account whose coupons time or a new rate has made wrong; return how many, and how many later.

    Goes on where one that was interrupted stopped. Raises RunHeld and TakenOver where another process is at it.
    """
    run = runs.take(Work.BUNDLES, first=STAGE)
    runs.go_on(run, lambda run: next_portion(run, (STAGE,), now=now))
    return told(run)


def want_all() -> None:
    """Have every bundle put right from the first on, in the background: what is right has changed."""
    runs.want(Work.BUNDLES, first=STAGE)
    hints.hint("align_all_bundles")


def go_on_if_waiting(*, now: datetime) -> None:
    """Do a slice of what `want_all` asked for, if nobody is at it, and tell a worker if that leaves anything."""
    if not runs.is_waiting(Work.BUNDLES):
        return
    try:
        run = runs.take(Work.BUNDLES, first=STAGE)
        until = time.monotonic() + settings.JOB_SLICE_SECONDS
        finished = runs.go_on(run, lambda run: next_portion(run, (STAGE,), now=now), until=until)
    except (RunHeld, TakenOver) as taken:
        logger.info("The bundles are put right by another worker: %s", taken)
        return
    if not finished:
        hints.hint("align_all_bundles")


def announce() -> None:
    """Tell a worker where bundles wait that no message reached."""
    if runs.is_waiting(Work.BUNDLES):
        hints.announce("align_all_bundles")


def next_portion(run: ReconcileRun, stages: tuple[str, ...], *, now: datetime) -> Portion:
    """Put right the accounts that a run is at; one that cannot be now is tried again next night."""
    up_to = run.up_to
    if up_to is None:
        up_to = Account.objects.aggregate(newest=Max("pk"))["newest"] or 0
    end = min(run.after + runs.STRETCH, up_to)
    accounts = list(_concerned(run.after, end)[:LOOKED_AT_ONCE])
    aligned = [_align_one(account, now) for account in accounts]
    after = accounts[-1].pk if len(accounts) == LOOKED_AT_ONCE else end
    return Portion(
        compared=len(accounts),
        mended=aligned.count(True),
        failed=aligned.count(None),
        cursor={"after": after, "up_to": up_to} if after < up_to else runs.to_stage(run, stages),
    )


def told(run: ReconcileRun) -> dict[str, int]:
    """Return how many accounts a run has put right, and how many are left for later."""
    done = run.counts.get(STAGE, {})
    return {"aligned": done.get("mended", 0), "bundles_later": done.get("failed", 0)}


def align_as_told(account_pk: int, *, now: datetime) -> None:
    """Put an account's bundle coupons right on a message; not once more what was done again and again in vain.

    One that was erased meanwhile has none.
    """
    account = Account.objects.filter(pk=account_pk).first()
    if account is None:
        return
    if _is_echo(account, now):
        logger.error("The bundle of account %s does not stay right; the night tries again", account.pk)
        return
    align_if_possible(account, now=now)


def align_if_possible(account: Account, *, now: datetime) -> None:
    """Put an account's bundle coupons right where that can be done now; the night does it where it cannot.

    Raises nothing: what came before it stands, and is not to be called failed.
    """
    try:
        align(account, now=now)
    except BillingError as error:
        logger.info("The bundle of account %s is put right later: %s", account.pk, error.code)
    except Exception:
        logger.exception("The bundle of account %s could not be put right", account.pk)


def _concerned(after: int, up_to: int) -> QuerySet[Account]:
    """Return the accounts of a stretch, in order, that hold several subscriptions or any coupon."""
    stretch = {"customer__account__gt": after, "customer__account__lte": up_to}
    live = Subscription.objects.filter(deleted=False, status__in=ALIVE, **stretch)
    several = live.values("customer__account").annotate(held=Count("pk")).filter(held__gt=1)
    with_coupons = live.filter(payload__coupons__0__isnull=False)
    concerned = Q(pk__in=several.values("customer__account"))
    concerned |= Q(pk__in=with_coupons.values("customer__account"))
    return Account.objects.filter(concerned).order_by("pk")


def _align_one(account: Account, now: datetime) -> bool | None:
    """Return whether anything was to be done; None where it could not be."""
    try:
        return align(account, now=now)
    except BillingError:
        return None
    except Exception:
        logger.exception("The bundle of account %s could not be put right", account.pk)
        return None


def _is_echo(account: Account, now: datetime) -> bool:
    """Whether the swaps that are needed were made so often lately that they do not last."""
    lately = Command.objects.filter(account=account, kind=commands.ALIGN, first_sent_at__gt=now - TOLD_WITHIN)
    wanted = _asked_for(steps_of(needed(account)))
    made = [_asked_for(one.steps) for one in lately.only("steps")]
    return made.count(wanted) >= TOLD_AT_MOST


def _asked_for(steps: Iterable[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(one["subscription"], one["args"]) for one in steps]


def _holds(found: SubscriptionSnapshot, *, add: list[str], remove: list[str], changing_to: str) -> bool:
    held = {str(row.get("coupon_id")) for row in found.payload["coupons"]}
    held |= {str(row.get("coupon_code")) for row in found.payload["coupons"]}
    is_put_back = not changing_to or operations.has_or_will_have_price(found, price=changing_to)
    return held.issuperset(add) and held.isdisjoint(remove) and is_put_back


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    """Nothing is told: what a subscriber pays was told with the change that led here."""


operations.register_operation(
    SWAP_COUPONS, operations.Operation(send=changes.swap_coupons, holds=_holds, repeatable=True)
)
carrying_out.register_kind(commands.ALIGN, _finished)
