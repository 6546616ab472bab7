import type { Plan } from '@/lib/api/types';
import { formatDate, formatPrice } from '@/lib/formats';
import { billsBeforeEnd, formatPlanNames, isEnding, isPaused, planStatus } from './plans';

export type StepKind =
  | 'starts'
  | 'bill'
  | 'trialEnds'
  | 'pauseStarts'
  | 'resumes'
  | 'changes'
  | 'accessEnds'
  | 'pauseEnds';

/** An upcoming event of a subscription. */
export interface Step {
  kind: StepKind;
  /** Null if no date is set. */
  at: string | null;
  title: string;
  detail?: string;
}

/** The upcoming events of a plan, soonest first. What is owed or not billed yet is still collected. */
export function nextSteps(plan: Plan, isOwing = false): Step[] {
  if (isPaused(plan)) return plan.cancelAt ? endingPauseSteps(plan) : [resumeStep(plan)];
  if (billsBeforeEnd(plan)) return [billStep(plan), accessEndsStep(plan)];
  if (isEnding(plan)) return [accessEndsStep(plan, isOwing)];
  if (plan.hasScheduledPause) return [pauseStep(plan), resumeStep(plan)];
  if (plan.startsAt) return [startStep(plan), billStep(plan)];
  if (planStatus(plan) === 'IN_TRIAL') return [trialStep(plan)];
  if (planStatus(plan) !== 'ACTIVE') return [];
  return plan.hasScheduledChange ? [changeStep(plan)] : [billStep(plan)];
}

function resumeStep(plan: Plan): Step {
  return {
    kind: 'resumes',
    at: plan.resumeDate,
    title: plan.resumeDate ? 'Resumes automatically' : 'Paused until you resume it',
    detail: plan.resumeDate ? 'Billing restarts that day.' : 'Billing restarts when you resume.',
  };
}

/** Customer service can let a paused subscription end, before its pause does or after that. */
function endingPauseSteps(plan: Plan): Step[] {
  const end: Step = {
    kind: 'pauseEnds',
    at: plan.cancelAt,
    title: 'Subscription ends',
    detail: 'It won’t renew.',
  };
  return plan.resumeDate ? [resumeStep(plan), end] : [end];
}

function accessEndsStep(plan: Plan, isOwing = false): Step {
  const last = isOwing ? 'It won’t renew.' : 'It won’t renew. No more charges.';
  return {
    kind: 'accessEnds',
    at: plan.cancelAt,
    title: 'Access ends',
    detail: billsBeforeEnd(plan) ? 'No charges after that.' : last,
  };
}

function startStep({ startsAt }: Plan): Step {
  return { kind: 'starts', at: startsAt, title: 'Starts', detail: 'You can watch from then on.' };
}

function pauseStep(plan: Plan): Step {
  return {
    kind: 'pauseStarts',
    at: plan.pauseDate,
    title: 'Pause starts',
    detail: 'You can watch until then.',
  };
}

/** Customer service can schedule a change for the end of a trial. */
function trialStep(plan: Plan): Step {
  const price = plan.scheduledPlan ?? plan;
  return {
    kind: 'trialEnds',
    at: plan.nextBillingAt,
    title: 'Trial ends and billing begins',
    detail: `Then ${formatPrice(price.amount, price)}`,
  };
}

function changeStep(plan: Plan): Step {
  const to = plan.scheduledPlan;
  return {
    kind: 'changes',
    at: to?.at ?? plan.nextBillingAt,
    title: 'Next bill, and your plan changes',
    ...(to && { detail: `Then ${formatPrice(to.amount, to)}` }),
  };
}

function billStep(plan: Plan): Step {
  const detail = billDetail(plan);
  return { kind: 'bill', at: plan.nextBillingAt, title: 'Next bill', ...(detail && { detail }) };
}

function billDetail(plan: Plan): string | null {
  if (plan.hasFreeMonth) return 'Your free month applies to it.';
  return plan.hasUpcomingCoupon ? 'Coupon will be applied on your next billing cycle' : null;
}

/** The kinds that the sentence mentions: bills have a place of their own. */
type SpokenKind = Exclude<StepKind, 'bill'>;

const SENTENCES: Record<SpokenKind, (names: string, date: string, many: boolean) => string> = {
  starts: (names, date, many) =>
    `Your ${names} ${many ? 'subscriptions start' : 'subscription starts'} on ${date}.`,
  changes: (names, date, many) =>
    `Your ${names} ${many ? 'plans change' : 'plan changes'} on ${date}.`,
  trialEnds: (names, date, many) =>
    `Your ${names} ${many ? 'trials end' : 'trial ends'} on ${date}.`,
  pauseStarts: (names, date, many) => `${names} ${many ? 'pause' : 'pauses'} on ${date}.`,
  resumes: (names, date, many) =>
    `${names} ${many ? 'resume' : 'resumes'} automatically on ${date}.`,
  pauseEnds: (names, date, many) =>
    `Your ${names} ${many ? 'subscriptions end' : 'subscription ends'} on ${date}.`,
  accessEnds: (names, date) => `Your access to ${names} ends on ${date}.`,
};

/**
 * What happens on the next day with an event other than a bill, one sentence per kind; null if
 * nothing is upcoming.
 */
export function nextStepSentence(plans: readonly Plan[]): string | null {
  const dated = plans
    .flatMap((plan) => nextSteps(plan).map(({ kind, at }) => ({ plan, kind, at })))
    .filter((step): step is DatedStep => step.at !== null && step.kind !== 'bill')
    .sort((first, second) => first.at.localeCompare(second.at));
  const [first] = dated;
  if (!first) return null;
  const day = formatDate(first.at);
  const stepsOfDay = dated.filter(({ at }) => formatDate(at) === day);
  const kinds = [...new Set(stepsOfDay.map(({ kind }) => kind))];
  return kinds.map((kind) => kindSentence(kind, stepsOfDay, day)).join(' ');
}

interface DatedStep {
  plan: Plan;
  kind: SpokenKind;
  at: string;
}

function kindSentence(kind: SpokenKind, steps: readonly DatedStep[], day: string): string {
  const plans = steps.filter((step) => step.kind === kind).map(({ plan }) => plan);
  return SENTENCES[kind](formatPlanNames(plans), day, plans.length > 1);
}
