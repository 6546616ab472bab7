import type { Redeemed } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';

/** What a code did, in a sentence. */
export function redeemedSentence({
  existingPlans,
  appliedTo,
}: Pick<Redeemed, 'existingPlans' | 'appliedTo'>): string {
  const plan = existingPlans.find(({ subId }) => subId === appliedTo);
  if (!plan) return 'Your code has been applied to your next bill.';
  const when = plan.nextBillingAt ? ` on ${formatDate(plan.nextBillingAt)}` : '';
  return `Your code has been applied to the next bill of ${plan.name}${when}.`;
}
