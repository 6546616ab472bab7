"""Align bundle coupons with the rates: as the last steps of a change, on a signal, and every night."""

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, wait
from contextvars import copy_context
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from accounts.models import Account
from billing import job_runs
from billing.commands import lifecycle
from billing.commands.command_kind import CommandKind
from billing.errors import BillingError
from billing.job_runs import ROWS_PER_STRETCH, Portion
from billing.models import Command, JobRun, Subscription
from billing.models.commands import ALIGN_BUNDLE, SYSTEM_ACTOR
from billing.models.job_runs import BUNDLES, Cursor
from billing.models.mirror import LIVE_STATUSES
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries import bundles
from billing.queries.bundles import CouponSwap, RateTable
from billing.queries.subscriptions.holdings import Holding, holdings_of_subscriptions, subscriptions_of

logger = logging.getLogger(__name__)

BUNDLE_STAGE = "bundles"
ACCOUNTS_PER_PORTION = 200
# A swap may take several requests; if all of them time out, the portion still ends within a task's time limit.
SWAPS_PER_PORTION = 5
# A swap changes the subscription, and the webhook of that change asks for the alignment again. If the provider drops a
# coupon, or somebody there removes it, this would never end: after so many equal swaps it waits for the night.
MAX_REPEATS = 3
REPEAT_WINDOW = timedelta(hours=1)


def steps_to_swap(swaps: Iterable[CouponSwap]) -> list[Step]:
    """Return the steps that swap coupons."""
    return [
        subscription_step(
            StepOperation.SWAP_COUPONS,
            swap.subscription_id,
            add=list(swap.add),
            remove=list(swap.remove),
            changing_to=swap.changing_to.price,
            unit_price=swap.changing_to.unit_price,
        )
        for swap in swaps
    ]


def step_to_add_coupon(holding: Holding, coupon: str, *, now: datetime) -> Step:
    """Return the step that adds a subscriber's own coupon, given by its id or code; a scheduled change is kept.

    `now` is billing's time (UTC): a coupon for one bill leaves the subscription with it, so that a use since then shows
    the step done, too.
    """
    scheduled = holding.scheduled_price
    return subscription_step(
        StepOperation.SWAP_COUPONS,
        holding.subscription.provider_id,
        add=[coupon],
        remove=[],
        changing_to=scheduled.price,
        unit_price=scheduled.unit_price,
        used_since=int(now.timestamp()),
    )


def pending_swaps(account: Account) -> list[CouponSwap]:
    """Return the coupon swaps that an account needs by the mirror."""
    subscriptions = subscriptions_of(account)
    # Most accounts have one subscription without a coupon, which is no bundle: they cost one query.
    if len(subscriptions) < bundles.MIN_BUNDLE_SIZE and not any(subscription.coupons for subscription in subscriptions):
        return []
    return bundles.required_swaps(
        bundles.bundle_members(holdings_of_subscriptions(subscriptions)), RateTable.load_current()
    )


def pending_steps(account: Account) -> list[Step]:
    """Return the steps of `pending_swaps`."""
    return steps_to_swap(pending_swaps(account))


def align_account(account: Account, *, now: datetime) -> bool:
    """Align an account's bundle coupons; return whether any had to be swapped. Raises what a command raises."""
    if not pending_swaps(account):
        return False
    lifecycle.execute_command(
        account,
        kind=ALIGN,
        key=f"align-{uuid.uuid4().hex}",
        actor=SYSTEM_ACTOR,
        now=now,
        plan=lambda _command: pending_steps(account),
    )
    return True


def request_alignment() -> None:
    """Request the alignment of all bundles in the background, from the first account: a rate has changed."""
    job_runs.request_run(BUNDLES, stage=BUNDLE_STAGE)


def align_portion(run: JobRun, stages: tuple[str, ...], *, now: datetime) -> Portion:
    """Align the next accounts of a run; an account that fails is tried again the next night."""
    cursor: Cursor = run.cursor
    up_to = cursor.up_to
    if up_to is None:
        up_to = Account.objects.aggregate(newest=Max("pk"))["newest"] or 0
    end = min(cursor.after + ROWS_PER_STRETCH, up_to)
    accounts = list(
        accounts_to_align(customer__account__gt=cursor.after, customer__account__lte=end)[:ACCOUNTS_PER_PORTION]
    )
    after = accounts[-1].pk if len(accounts) == ACCOUNTS_PER_PORTION else end
    aligned: list[bool | None] = []
    for account in accounts:
        aligned.append(_try_align_account(account, now))
        if len(aligned) - aligned.count(False) == SWAPS_PER_PORTION:
            after = account.pk
            break
    following = replace(cursor, after=after, up_to=up_to) if after < up_to else cursor.next_stage(stages)
    counts = {"compared": len(aligned), "repaired": aligned.count(True), "failed": aligned.count(None)}
    return Portion(counts, following)


def align_hinted_account(account_pk: int, *, now: datetime) -> None:
    """Align the bundle coupons of an account whose subscriptions have changed, unless the same swaps do not last.

    Does nothing for an account that was erased meanwhile.
    """
    account = Account.objects.filter(pk=account_pk).first()
    if account is None:
        return
    if _is_repeated_in_vain(account, now):
        logger.error(
            "The bundle coupons of account %s change again after each alignment; the nightly job retries",
            account.pk,
        )
        return
    align_if_possible(account, now=now)


def align_if_possible(account: Account, *, now: datetime) -> None:
    """Align an account's bundle coupons; if that fails, the night does it.

    Raises nothing: the change before it was made, and must not be reported as failed.
    """
    try:
        align_account(account, now=now)
    except BillingError as error:
        logger.info("The bundle coupons of account %s will be aligned later: %s", account.pk, error.code)
    except Exception:
        logger.exception("Aligning the bundle coupons of account %s failed", account.pk)


def align_accounts(accounts: Sequence[Account], *, now: datetime, pool: Executor) -> None:
    """Align the bundle coupons of accounts as `align_if_possible`, each in a thread of a pool.

    One query if no account has several live subscriptions or a coupon.
    """
    concerned = accounts_to_align(customer__account__in=accounts)
    wait([pool.submit(copy_context().run, partial(align_if_possible, account, now=now)) for account in concerned])


def accounts_to_align(**filters: Any) -> QuerySet[Account]:
    """Return the accounts that have several live subscriptions or any coupon, in order.

    `filters` are those of the subscriptions to look at, all of an account or none.
    """
    live = Subscription.objects.filter(deleted=False, status__in=LIVE_STATUSES, **filters)
    several = live.values("customer__account").annotate(held=Count("pk")).filter(held__gt=1)
    with_coupons = live.filter(payload__coupons__0__isnull=False)
    concerned = Q(pk__in=several.values("customer__account"))
    concerned |= Q(pk__in=with_coupons.values("customer__account"))
    return Account.objects.filter(concerned).order_by("pk")


def _try_align_account(account: Account, now: datetime) -> bool | None:
    """Return whether coupons were swapped; None if that failed."""
    try:
        return align_account(account, now=now)
    except BillingError as error:
        logger.warning("The bundle coupons of account %s could not be aligned: %s", account.pk, error.code)
        return None
    except Exception:
        logger.exception("Aligning the bundle coupons of account %s failed", account.pk)
        return None


def _is_repeated_in_vain(account: Account, now: datetime) -> bool:
    """Whether the needed swaps were made several times within the window, and did not last."""
    recent = Command.objects.filter(account=account, kind=ALIGN_BUNDLE, first_sent_at__gt=now - REPEAT_WINDOW)
    needed_swaps = _requested_swaps(pending_steps(account))
    past_swaps = [_requested_swaps(command.steps) for command in recent.only("steps")]
    return past_swaps.count(needed_swaps) >= MAX_REPEATS


def _requested_swaps(steps: Iterable[Step]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(step.subscription_id, step.arguments) for step in steps]


ALIGN = CommandKind(ALIGN_BUNDLE)
