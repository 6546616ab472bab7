import { useQuery } from '@tanstack/react-query';
import { billSentences } from '@/domain/costs/nextBills';
import { formatPlanNames, isEnding } from '@/domain/plans/plans';
import { managePlansOptions } from '@/lib/api/queries';
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
 * they were otherwise.
 */
function useRemainingBills(
  chosen: readonly Plan[],
  staying: readonly Plan[],
): { bills: readonly NextBill[] | undefined; isPending: boolean } {
  const planIds = staying.filter(isInEstimate).map(({ id }) => id);
  const isEstimated = planIds.length > 0 && chosen.some(isInEstimate);
  const current = useQuery(managePlansOptions);
  const estimate = useQuery({ ...remainingCostsOptions(planIds), enabled: isEstimated });
  const { data, isPending } = isEstimated ? estimate : current;
  const ids = staying.map(({ subId }) => subId);
  // The estimate still has the bills of canceled plans that it cannot remove.
  const bills = data?.nextBills.filter(({ plans }) => plans.some((subId) => ids.includes(subId)));
  return { bills, isPending };
}

/** Whether an estimate of a change of services can remove the plan, or leave it as it is. */
function isInEstimate(plan: Plan): boolean {
  return plan.isChangeable && !isEnding(plan);
}
