import type { Plan } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { isLive, statusOf, willBill } from '@/lib/plans';

/** What the summary can be about, as its address says it. */
const ACTIONS = [
  'upgrade',
  'downgrade',
  'downgrade_with_trial',
  'adjust_subscription',
  'remove_service',
  'coupon',
] as const;

export type SummaryAction = (typeof ACTIONS)[number];

export function summaryAddress(action: SummaryAction): string {
  return `${paths.summary}?action=${action}`;
}

/** The action an address names; null for none and for one that is not known. */
export function summaryAction(query: URLSearchParams): SummaryAction | null {
  const named = query.get('action')?.toLowerCase();
  return ACTIONS.find((action) => action === named) ?? null;
}

/** Adds what was charged to what was done. The provider may make a change and leave its invoice unpaid. */
export function withCharge(
  sentences: readonly string[],
  { dueNow, hasPaymentFailure }: { dueNow: number; hasPaymentFailure: boolean },
): readonly string[] {
  if (dueNow === 0) return sentences;
  const paid = hasPaymentFailure
    ? `The payment of ${formatCents(dueNow)} has not gone through yet.`
    : `${formatCents(dueNow)} was charged today.`;
  return [...sentences, paid];
}

interface Done {
  sentence: string;
  /** Whether a plan still shows it: anybody can type an address, and much can happen after. */
  shows: (plan: Plan) => boolean;
}

const SAVED: Done = { sentence: 'Your changes are saved.', shows: isLive };

const DONE: Record<SummaryAction, Done> = {
  upgrade: {
    sentence: 'Your upgrade is done. You are billed annually.',
    shows: (plan) => willBill(plan) && plan.periodUnit === 'year' && !plan.hasScheduledChange,
  },
  downgrade: {
    sentence: 'Your downgrade is scheduled. Nothing changes before its date.',
    shows: ({ hasScheduledChange }) => hasScheduledChange,
  },
  downgrade_with_trial: {
    sentence: 'Your downgrade is done. You are billed monthly once your trial is over.',
    shows: (plan) => statusOf(plan) === 'IN_TRIAL' && plan.periodUnit === 'month',
  },
  adjust_subscription: SAVED,
  remove_service: SAVED,
  coupon: {
    sentence: 'Your code has been applied.',
    shows: ({ hasUpcomingCoupon }) => hasUpcomingCoupon,
  },
};

/** What was done, where what was said of it at the time is not at hand. */
export function doneSentences(action: SummaryAction | null, plans: readonly Plan[]): string[] {
  if (action === null) return [];
  const { sentence, shows } = DONE[action];
  return plans.some(shows) ? [sentence] : [];
}
