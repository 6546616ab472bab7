import { useQuery } from '@tanstack/react-query';
import { accountOptions, paymentFailureOptions } from '@/lib/api/queries';
import type { Plan, PlanToBe } from '@/lib/api/types';
import { formatCents, formatList } from '@/lib/formats';

/**
 * What is overdue for these plans, which neither a cancellation nor a pause settles: `$6.99`; null if
 * nothing is, or while it is not known.
 */
export function useOverdueAmount(plans: readonly Pick<Plan | PlanToBe, 'subId'>[]): string | null {
  const { data: failure } = useQuery(paymentFailureOptions);
  const overdue = (failure?.failedPayments ?? []).filter(({ subIds }) =>
    plans.some(({ subId }) => subId !== null && subIds.includes(subId)),
  );
  if (overdue.length === 0) return null;
  return formatList(
    overdue.map(({ amountDue, currencyCode }) => formatCents(amountDue, currencyCode)),
  );
}

/** Whether charges wait for a bill, which the end of a subscription brings; false while not known. */
export function useHasUnbilledCharges(): boolean {
  const { data: account } = useQuery(accountOptions);
  return account?.hasUnbilledCharges ?? false;
}

/** The ids of the subscriptions with an overdue bill; none while that is not known. */
export function useOverdueIds(): readonly string[] {
  const { data: failure } = useQuery(paymentFailureOptions);
  return (failure?.failedPayments ?? []).flatMap(({ subIds }) => subIds);
}
