import { useQuery } from '@tanstack/react-query';
import { billSentences } from '@/domain/costs/nextBills';
import { formatPlanNames } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { Point } from '@/ui/display/Points';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { Skeleton } from '@/ui/loading/Skeleton';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import { remainingCostsOptions } from './api';

/**
 * The remaining plans and their next bills, because the bundle discount may shrink; nothing if none
 * remain.
 */
export function RemainingCosts({ staying }: { staying: readonly Plan[] }) {
  const planIds = staying.map(({ id }) => id);
  const costs = useQuery({ ...remainingCostsOptions(planIds), enabled: planIds.length > 0 });
  if (planIds.length === 0) return null;
  if (costs.isPending) {
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
          ...(costs.data ? billSentences(costs.data.nextBills) : []),
        ].join(' ')}
      </UnbrokenDates>
    </Point>
  );
}
