import type { Plan, PlanStatus, StreamingService } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';

/** The status in upper case, whichever way it was sent. */
export function statusOf({ status }: Pick<Plan, 'status'>): PlanStatus {
  return status.toUpperCase() as PlanStatus;
}

function hasStatus(plan: Plan, ...statuses: PlanStatus[]): boolean {
  return statuses.includes(statusOf(plan));
}

/** Not cancelled: shown in the lists of what one holds. */
export function isLive(plan: Plan): boolean {
  return !hasStatus(plan, 'CANCELLED');
}

export function isPaused(plan: Plan): boolean {
  return hasStatus(plan, 'PAUSED');
}

/** Ends at a date and does not renew. */
export function isEnding(plan: Plan): boolean {
  return hasStatus(plan, 'NON_RENEWING');
}

/** Counts in the total: it bills at the end of its period or trial. */
export function willBill(plan: Plan): boolean {
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL');
}

/** Can be watched now. */
export function isWatchable(plan: Plan): boolean {
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL', 'NON_RENEWING');
}

/** A pause can be placed: active, with neither a pause nor a change scheduled. */
export function canBePaused(plan: Plan): boolean {
  return hasStatus(plan, 'ACTIVE') && !plan.hasScheduledPause && !plan.hasScheduledChange;
}

/** The kids service has two plans. */
export function isKidsPlan({ id }: { id: string }): boolean {
  return id === 'Minno' || id === 'Minno-Plan';
}

/** What is said under a plan's name in the lists, in whole sentences; none for a plan that simply goes on. */
export function planNotes(plan: Plan): string[] {
  if (isEnding(plan) && plan.cancelAt) {
    return [
      `Your access to ${plan.name} will end at the end of your billing cycle, ${formatDate(plan.cancelAt)}.`,
    ];
  }
  const coupon = plan.hasUpcomingCoupon
    ? ['Coupon will be applied on your next billing cycle']
    : [];
  return [...pauseNotes(plan), ...coupon];
}

function pauseNotes(plan: Plan): string[] {
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
  plans: readonly Plan[],
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
