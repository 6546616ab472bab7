import type { PeriodUnit, Plan, PlanStatus, StreamingService } from '@/lib/api/types';
import { formatDate, formatPrice } from '@/lib/formats';

/** The status in upper case, whichever way it was sent. */
export function statusOf({ status }: Pick<Plan, 'status'>): PlanStatus {
  return status.toUpperCase() as PlanStatus;
}

function hasStatus(plan: Pick<Plan, 'status'>, ...statuses: PlanStatus[]): boolean {
  return statuses.includes(statusOf(plan));
}

/** Not cancelled: shown in the lists of what one holds. */
export function isLive(plan: Pick<Plan, 'status'>): boolean {
  return !hasStatus(plan, 'CANCELLED');
}

export function isPaused(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'PAUSED');
}

/** Ends at a date and does not renew. */
export function isEnding(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'NON_RENEWING');
}

/** Counts in the total: it bills at the end of its period or trial. */
export function willBill(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL');
}

/** Can be watched now. */
export function isWatchable(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL', 'NON_RENEWING');
}

/** A pause can be placed: active, with neither a pause nor a change scheduled. */
export function canBePaused(plan: Plan): boolean {
  return hasStatus(plan, 'ACTIVE') && !plan.hasScheduledPause && !plan.hasScheduledChange;
}

/** Can be cancelled: it has neither ended nor is it about to. */
export function canBeCancelled(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL', 'PAUSED');
}

export function isInTrial(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'IN_TRIAL');
}

/** The two changes of billing period: to yearly, to monthly. */
export type PeriodAction = 'upgrade' | 'downgrade';

const CHANGED_PERIOD: Record<PeriodAction, PeriodUnit> = { upgrade: 'month', downgrade: 'year' };

/** Its billing period can be changed so: it bills at the other one, is sold at this one, and nothing is scheduled for it. */
export function canChangePeriod(plan: Plan, action: PeriodAction): boolean {
  const isFree = !plan.hasScheduledPause && !plan.hasScheduledChange;
  const isSold = plan.hasOtherPeriod && plan.periodUnit === CHANGED_PERIOD[action];
  return willBill(plan) && isFree && isSold;
}

/** The kids service has two plans. */
export function isKidsPlan({ id }: { id: string }): boolean {
  return id === 'Minno' || id === 'Minno-Plan';
}

/** What is said under a plan's name in the lists, in whole sentences; none for a plan that simply goes on. */
export function planNotes(plan: Omit<Plan, 'subId'>): string[] {
  if (isEnding(plan) && plan.cancelAt) {
    return [
      `Your access to ${plan.name} will end at the end of your billing cycle, ${formatDate(plan.cancelAt)}.`,
    ];
  }
  const coupon = plan.hasUpcomingCoupon
    ? ['Coupon will be applied on your next billing cycle']
    : [];
  return [...pauseNotes(plan), ...changeNotes(plan), ...coupon];
}

function changeNotes({ name, scheduledPlan }: Pick<Plan, 'name' | 'scheduledPlan'>): string[] {
  if (!scheduledPlan) return [];
  const { amount, periodUnit, at } = scheduledPlan;
  const when = at ? `on ${formatDate(at)}` : 'at the end of your billing cycle';
  return [`${name} changes to ${formatPrice(amount, periodUnit)} ${when}.`];
}

function pauseNotes(plan: Omit<Plan, 'subId'>): string[] {
  const resumes = plan.resumeDate
    ? ` It resumes automatically on ${formatDate(plan.resumeDate)}.`
    : '';
  if (isPaused(plan)) return [`Your subscription is paused.${resumes}`];
  if (!plan.hasScheduledPause) return [];
  const when = plan.pauseDate
    ? `on ${formatDate(plan.pauseDate)}`
    : 'at the end of your billing cycle';
  return [`Your pause takes effect ${when}.${resumes}`];
}

/** The streaming services of the plans that can be watched now, each once, in the plans' order. */
export function watchableServices(
  plans: readonly Pick<Plan, 'status' | 'service'>[],
  services: readonly StreamingService[] = [],
): StreamingService[] {
  const found = plans
    .filter(isWatchable)
    .map((plan) => services.find(({ id }) => id.toLowerCase() === plan.service.toLowerCase()));
  return [...new Set(found)].filter((service) => service !== undefined);
}

const NAMES = new Intl.ListFormat('en-US', { type: 'conjunction' });

/** `Faith & Family, Gospel TV, and Kids`. */
export function namesOf(plans: readonly { name: string }[]): string {
  return NAMES.format(plans.map(({ name }) => name));
}
