import type { Plan } from '@/lib/api/types';
import { formatDate, formatPrice } from '@/lib/formats';
import { isEnding, isPaused, namesOf, statusOf } from '@/lib/plans';

export type StepKind = 'bill' | 'trialEnds' | 'pauseStarts' | 'resumes' | 'changes' | 'accessEnds';

/** One thing that is going to happen to a subscription. */
export interface Step {
  kind: StepKind;
  /** Null where no date is set. */
  at: string | null;
  title: string;
  detail?: string;
}

/** What comes next for a plan, soonest first. */
export function nextSteps(plan: Plan): Step[] {
  if (isPaused(plan)) return [resumeStep(plan)];
  if (isEnding(plan)) return [accessEndsStep(plan)];
  if (plan.hasScheduledPause) return [pauseStep(plan), resumeStep(plan)];
  if (statusOf(plan) === 'IN_TRIAL') return [trialStep(plan)];
  if (statusOf(plan) !== 'ACTIVE') return [];
  return plan.hasScheduledChange ? [changeStep(plan)] : [billStep(plan)];
}

function resumeStep(plan: Plan): Step {
  return {
    kind: 'resumes',
    at: plan.resumeDate,
    title: plan.resumeDate ? 'Resumes automatically' : 'Stays paused until you resume it',
    detail: 'It is billed again from then on.',
  };
}

function accessEndsStep(plan: Plan): Step {
  return {
    kind: 'accessEnds',
    at: plan.cancelAt,
    title: 'Access ends',
    detail: 'It will not renew, and nothing more is billed for it.',
  };
}

function pauseStep(plan: Plan): Step {
  return {
    kind: 'pauseStarts',
    at: plan.pauseDate,
    title: 'Pause starts',
    detail: 'You can watch until then.',
  };
}

function trialStep(plan: Plan): Step {
  return {
    kind: 'trialEnds',
    at: plan.nextBillingAt,
    title: 'Trial ends and billing begins',
    detail: `Then ${formatPrice(plan.amount, plan.periodUnit)}`,
  };
}

function changeStep(plan: Plan): Step {
  const to = plan.scheduledPlan;
  return {
    kind: 'changes',
    at: to?.at ?? plan.nextBillingAt,
    title: 'Next bill, and your plan changes',
    ...(to && { detail: `From then on ${formatPrice(to.amount, to.periodUnit)}` }),
  };
}

function billStep(plan: Plan): Step {
  const detail = billDetail(plan);
  return { kind: 'bill', at: plan.nextBillingAt, title: 'Next bill', ...(detail && { detail }) };
}

function billDetail(plan: Plan): string | null {
  if (plan.hasFreeMonth) return 'Your free month will be applied to it.';
  return plan.hasUpcomingCoupon ? 'Coupon will be applied on your next billing cycle' : null;
}

/** What the sentence speaks of: a bill is a bill, also where the plan changes with it. */
type SpokenKind = Exclude<StepKind, 'changes'>;

const SENTENCES: Record<SpokenKind, (names: string, date: string, many: boolean) => string> = {
  bill: (names, date) => `Your next bill comes on ${date}, for ${names}.`,
  trialEnds: (names, date) => `Your trial of ${names} ends on ${date}.`,
  pauseStarts: (names, date, many) => `${names} ${many ? 'pause' : 'pauses'} on ${date}.`,
  resumes: (names, date, many) =>
    `${names} ${many ? 'resume' : 'resumes'} automatically on ${date}.`,
  accessEnds: (names, date) => `Your access to ${names} ends on ${date}.`,
};

/** What happens on the next day on which anything does, in a sentence for each kind; null when nothing will. */
export function nextSentence(plans: readonly Plan[]): string | null {
  const dated = plans
    .flatMap((plan) => nextSteps(plan).map(({ kind, at }) => ({ plan, kind: spoken(kind), at })))
    .filter((step): step is DatedStep => step.at !== null)
    .sort((one, other) => one.at.localeCompare(other.at));
  const [first] = dated;
  if (!first) return null;
  const day = formatDate(first.at);
  const thatDay = dated.filter(({ at }) => formatDate(at) === day);
  const kinds = [...new Set(thatDay.map(({ kind }) => kind))];
  return kinds.map((kind) => sentence(kind, thatDay, day)).join(' ');
}

interface DatedStep {
  plan: Plan;
  kind: SpokenKind;
  at: string;
}

function spoken(kind: StepKind): SpokenKind {
  return kind === 'changes' ? 'bill' : kind;
}

function sentence(kind: SpokenKind, steps: readonly DatedStep[], day: string): string {
  const plans = steps.filter((step) => step.kind === kind).map(({ plan }) => plan);
  return SENTENCES[kind](namesOf(plans), day, plans.length > 1);
}
