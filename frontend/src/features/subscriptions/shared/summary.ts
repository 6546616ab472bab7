import { isLive, planStatus, willBill } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { paths } from '@/lib/paths';

/** The actions that the summary's URL can name. */
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

/** The action in the URL; null if missing or unknown. */
export function readSummaryAction(query: URLSearchParams): SummaryAction | null {
  const actionInUrl = query.get('action')?.toLowerCase();
  return ACTIONS.find((action) => action === actionInUrl) ?? null;
}

/**
 * Appends the charge to the receipt. The provider may make a change although its invoice stays
 * unpaid.
 */
export function addChargeSentence(
  sentences: readonly string[],
  {
    dueNow,
    dueCurrencyCode,
    hasPaymentFailure,
  }: { dueNow: number; dueCurrencyCode: string; hasPaymentFailure: boolean },
): readonly string[] {
  if (dueNow === 0) return sentences;
  const chargeSentence = hasPaymentFailure
    ? `Your ${formatCents(dueNow, dueCurrencyCode)} payment hasn’t gone through yet.`
    : `${formatCents(dueNow, dueCurrencyCode)} was charged today.`;
  return [...sentences, chargeSentence];
}

interface DoneMessage {
  sentence: string;
  /**
   * Whether a plan still shows the change, because the receipt can be out of date.
   */
  shows: (plan: Plan) => boolean;
}

const SAVED: DoneMessage = { sentence: 'Your changes are saved.', shows: isLive };

const DONE: Record<SummaryAction, DoneMessage> = {
  upgrade: {
    sentence: 'You’re now billed annually.',
    shows: (plan) => willBill(plan) && plan.periodUnit === 'year' && !plan.hasScheduledChange,
  },
  downgrade: {
    sentence: 'Your downgrade is scheduled. Nothing changes until then.',
    shows: ({ hasScheduledChange }) => hasScheduledChange,
  },
  downgrade_with_trial: {
    sentence: 'Your downgrade is done. You’ll be billed monthly after your trial.',
    shows: (plan) => planStatus(plan) === 'IN_TRIAL' && plan.periodUnit === 'month',
  },
  adjust_subscription: SAVED,
  remove_service: SAVED,
  coupon: {
    sentence: 'Your code was applied.',
    shows: ({ hasUpcomingCoupon }) => hasUpcomingCoupon,
  },
};

/** What was done, if the receipt in the navigation state is out of date. */
export function summarySentences(action: SummaryAction | null, plans: readonly Plan[]): string[] {
  if (action === null) return [];
  const { sentence, shows } = DONE[action];
  return plans.some(shows) ? [sentence] : [];
}
