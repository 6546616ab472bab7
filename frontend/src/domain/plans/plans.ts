import type { PeriodUnit, Plan, PlanStatus, StreamingService } from '@/lib/api/types';
import { formatDate, formatList, formatPrice } from '@/lib/formats';

/** The status in upper case, because the API sends either case. */
export function planStatus({ status }: Pick<Plan, 'status'>): PlanStatus {
  return status.toUpperCase() as PlanStatus;
}

function hasStatus(plan: Pick<Plan, 'status'>, ...statuses: PlanStatus[]): boolean {
  return statuses.includes(planStatus(plan));
}

/** Not canceled: listed among the current subscriptions. */
export function isLive(plan: Pick<Plan, 'status'>): boolean {
  return !hasStatus(plan, 'CANCELLED');
}

export function isPaused(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'PAUSED');
}

/** Has no running term that it could end with, so that a cancellation ends it immediately. */
export function endsAtOnce(plan: Pick<Plan, 'status' | 'startsAt'>): boolean {
  return isPaused(plan) || Boolean(plan.startsAt);
}

/**
 * A sentence about a price that nobody can start at today. An account that was stored by an older
 * release says nothing about today's price.
 */
export function lostPriceSentence(plan: Plan): string[] {
  const { name, amount, amountToday } = plan;
  const price = formatPrice(amount, plan);
  if (amountToday === null) {
    return [`This plan is no longer sold. You can’t get ${name} back at ${price}.`];
  }
  if (!(amountToday > amount)) return [];
  return [
    `You’ll lose your price of ${price}. Starting ${name} again costs ${formatPrice(amountToday, plan)}.`,
  ];
}

/**
 * A sentence about the scheduled pauses or changes that canceling these plans drops; the server
 * restores them if that is undone.
 */
export function setAsideSentence(what: 'pause' | 'change', plans: readonly Plan[]): string {
  return `This also cancels the scheduled ${what} of ${formatPlanNames(plans)}. If you undo the cancellation, we’ll put it back.`;
}

/** Will end and not renew. */
export function isEnding(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'NON_RENEWING');
}

/** Will be billed at the end of its period or trial, so it counts toward the total. */
export function willBill(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL');
}

/** Has a next bill that a code could lower. One that can only be canceled takes no codes. */
export function canUseCode(plan: Pick<Plan, 'status' | 'isChangeable'>): boolean {
  return willBill(plan) && plan.isChangeable;
}

/** Will end, but not before its next bill. */
export function billsBeforeEnd(plan: Pick<Plan, 'status' | 'nextBillingAt'>): boolean {
  return isEnding(plan) && plan.nextBillingAt !== null;
}

/** Can be watched now. */
export function isWatchable(plan: Pick<Plan, 'status' | 'startsAt'>): boolean {
  return !plan.startsAt && hasStatus(plan, 'ACTIVE', 'IN_TRIAL', 'NON_RENEWING');
}

/** Could be started today. An account that was stored by an older release does not say. */
export function isSold({ amountToday }: Pick<Plan, 'amountToday'>): boolean {
  return amountToday !== null;
}

/** Active and changeable, with neither a pause nor a change scheduled. */
export function canBePaused(plan: Plan): boolean {
  const hasNothingScheduled = !plan.hasScheduledPause && !plan.hasScheduledChange;
  return hasStatus(plan, 'ACTIVE') && plan.isChangeable && hasNothingScheduled;
}

/** Why a plan outside the catalog, at other terms than its own, or under contract can only be canceled. */
export function onlyCancelableSentence({
  name,
  contractEndsAt,
}: Pick<Plan, 'name' | 'contractEndsAt'>): string {
  if (contractEndsAt) {
    return `${name} has a contract until ${formatDate(contractEndsAt)}. Until then it can’t be changed here. To change it, contact Customer Service.`;
  }
  return `${name} can’t be changed here, only canceled. To change it, contact Customer Service.`;
}

/** A cancellation would end it, or end it earlier than it is set to end. */
export function canBeCancelled(
  plan: Pick<Plan, 'status' | 'nextBillingAt' | 'contractEndsAt'>,
): boolean {
  if (billsBeforeEnd(plan)) return plan.contractEndsAt === null;
  return hasStatus(plan, 'ACTIVE', 'IN_TRIAL', 'PAUSED');
}

export function isInTrial(plan: Pick<Plan, 'status'>): boolean {
  return hasStatus(plan, 'IN_TRIAL');
}

/** The two changes of billing period: to yearly and to monthly. */
export type PeriodAction = 'upgrade' | 'downgrade';

const PERIOD_BEFORE: Record<PeriodAction, PeriodUnit> = { upgrade: 'month', downgrade: 'year' };

/**
 * Whether this change of billing period is possible: the plan has the other period, is sold with
 * this one, and has nothing scheduled.
 */
export function canChangePeriod(plan: Plan, action: PeriodAction): boolean {
  const hasNothingScheduled = !plan.hasScheduledPause && !plan.hasScheduledChange;
  const isSold = plan.hasOtherPeriod && plan.periodUnit === PERIOD_BEFORE[action];
  return willBill(plan) && hasNothingScheduled && isSold;
}

/** The kids service has two plan ids. */
export function isKidsPlan({ id }: { id: string }): boolean {
  return id === 'Minno' || id === 'Minno-Plan';
}

/** The sentences under a plan's name in lists; none for a plan that just renews. */
export function planNotes(plan: Omit<Plan, 'subId'>): string[] {
  if (billsBeforeEnd(plan) && plan.cancelAt) {
    return [
      `Your access to ${plan.name} will end on ${formatDate(plan.cancelAt)}. You’re billed for it until then.`,
    ];
  }
  if (isEnding(plan) && plan.cancelAt) {
    return [
      `Your access to ${plan.name} will end at the end of your billing cycle, ${formatDate(plan.cancelAt)}.`,
    ];
  }
  const coupon = plan.hasUpcomingCoupon
    ? ['Coupon will be applied on your next billing cycle']
    : [];
  return [...startNotes(plan), ...pauseNotes(plan), ...changeNotes(plan), ...coupon];
}

function startNotes({ startsAt }: Pick<Plan, 'startsAt'>): string[] {
  return startsAt ? [`Your subscription starts on ${formatDate(startsAt)}.`] : [];
}

function changeNotes({ name, scheduledPlan }: Pick<Plan, 'name' | 'scheduledPlan'>): string[] {
  return scheduledPlan ? [scheduledChangeSentence(name, scheduledPlan)] : [];
}

/** To what and when a plan changes. */
export function scheduledChangeSentence(
  name: string,
  scheduled: NonNullable<Plan['scheduledPlan']>,
): string {
  const when = scheduled.at ? `on ${formatDate(scheduled.at)}` : 'at the end of your billing cycle';
  return `${name} changes to ${formatPrice(scheduled.amount, scheduled)} ${when}.`;
}

function pauseNotes(plan: Omit<Plan, 'subId'>): string[] {
  const resumes = plan.resumeDate
    ? ` It resumes automatically on ${formatDate(plan.resumeDate)}.`
    : '';
  const ends = plan.cancelAt ? ` It ends on ${formatDate(plan.cancelAt)}.` : '';
  if (isPaused(plan)) return [`Your subscription is paused.${resumes}${ends}`];
  if (!plan.hasScheduledPause) return [];
  const when = plan.pauseDate
    ? `on ${formatDate(plan.pauseDate)}`
    : 'at the end of your billing cycle';
  return [`Your pause takes effect ${when}.${resumes}`];
}

/** The services of the watchable plans, without duplicates, in the plans' order. */
export function watchableServices(
  plans: readonly Pick<Plan, 'status' | 'startsAt' | 'service'>[],
  services: readonly StreamingService[] = [],
): StreamingService[] {
  const planServices = plans
    .filter(isWatchable)
    .map((plan) => services.find(({ id }) => id.toLowerCase() === plan.service.toLowerCase()));
  return [...new Set(planServices)].filter((service) => service !== undefined);
}

/** `Faith & Family, Gospel TV, and Kids`. */
export function formatPlanNames(plans: readonly { name: string }[]): string {
  return formatList(plans.map(({ name }) => name));
}
