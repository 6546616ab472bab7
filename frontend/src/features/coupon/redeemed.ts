import type { Redeemed } from '@/lib/api/types';
import { formatCents, formatDate } from '@/lib/formats';

/** What a code did, in sentences. */
export function redeemedSentences({
  existingPlans,
  appliedTo,
  couponDiscount,
}: Redeemed): string[] {
  const plan = existingPlans.find(({ subId }) => subId === appliedTo);
  const when = plan?.nextBillingAt ? ` on ${formatDate(plan.nextBillingAt)}` : '';
  const saving =
    couponDiscount > 0
      ? [`Your codes take ${formatCents(couponDiscount)} off what comes next.`]
      : [];
  return [
    plan
      ? `Your code has been applied to the next bill of ${plan.name}${when}.`
      : 'Your code has been applied to your next bill.',
    ...saving,
  ];
}
