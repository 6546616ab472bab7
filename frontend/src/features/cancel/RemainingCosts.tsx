import { useQuery } from '@tanstack/react-query';
import { billSentences } from '@/domain/costs/nextBills';
import { formatPlanNames, isEnding } from '@/domain/plans/plans';
import { accountOptions, managePlansOptions } from '@/lib/api/queries';
import type { NextBill, Plan } from '@/lib/api/types';
import { Point } from '@/ui/display/Points';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { Skeleton } from '@/ui/loading/Skeleton';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import { remainingCostsOptions } from './api';
import type { CancelSelection } from './useCancelSelection';

/** The remaining plans and their next bills; nothing if none remain. */
export function RemainingCosts({ chosen, staying }: Pick<CancelSelection, 'chosen' | 'staying'>) {
  const { bills, isPending } = useRemainingBills(chosen, staying);
  if (staying.length === 0) return null;
  if (isPending) {
    return (
      <li>
        <Skeleton height="3rem" />
      </li>
    );
  }
  return (
    <Point icon={<PlayIcon />}>
      <UnbrokenDates>
        {[
          `You’ll keep ${formatPlanNames(staying)}.`,
          ...(bills ? billSentences(bills, { plans: staying }) : []),
        ].join(' ')}
      </UnbrokenDates>
    </Point>
  );
}

/**
 * The next bills of the remaining plans. They are estimated if the bundle gets smaller, and are as
 * they were otherwise; without amounts if a credit would have paid the bill of a canceled plan, of
 * which the estimate knows nothing, and will pay more of theirs.
 */
function useRemainingBills(
  chosen: readonly Plan[],
  staying: readonly Plan[],
): { bills: readonly NextBill[] | undefined; isPending: boolean } {
  const planIds = staying.filter(isInEstimate).map(({ id }) => id);
  const isEstimated = planIds.length > 0 && chosen.some(isInEstimate);
  const current = useQuery(managePlansOptions);
  const estimate = useQuery({ ...remainingCostsOptions(planIds), enabled: isEstimated });
  const account = useQuery(accountOptions);
  const { data, isPending } = isEstimated ? estimate : current;
  const bills = data && billsOf(staying, data.nextBills);
  // The estimate still has the bills of canceled plans that it cannot remove.
  const unremoved = isEstimated ? chosen.filter((plan) => !isInEstimate(plan)) : chosen;
  if (!data || billsOf(unremoved, data.nextBills).length === 0) return { bills, isPending };
  const hasCredit = (account.data?.creditBalance ?? 0) > 0;
  return { bills: hasCredit ? bills?.flatMap(dateAlone) : bills, isPending: account.isPending };
}

function billsOf(plans: readonly Plan[], bills: readonly NextBill[]): NextBill[] {
  const ids = plans.map(({ subId }) => subId);
  return bills.filter((bill) => bill.plans.some((subId) => ids.includes(subId)));
}

/** A next bill without its amount; nothing of what follows it. */
function dateAlone(bill: NextBill): NextBill[] {
  return bill.follows ? [] : [{ ...bill, amount: null, tax: 'included' }];
}

/** Whether an estimate of a change of services can remove the plan, or leave it as it is. */
function isInEstimate(plan: Plan): boolean {
  return plan.isChangeable && !isEnding(plan);
}
