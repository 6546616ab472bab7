import { useQuery } from '@tanstack/react-query';
import { laterPriceSentence } from '@/domain/costs/bundlePrices';
import { periodPrices } from '@/domain/costs/totals';
import { formatPlanNames, willBill } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { Point } from '@/ui/Points';
import { Skeleton } from '@/ui/Skeleton';
import { remainingCostsOptions } from './api';

/**
 * The remaining plans and their cost, because the bundle discount may shrink; nothing if none
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
  const prices = costs.data && staying.some(willBill) && periodPrices(costs.data).join(' and ');
  const later = costs.data && laterPriceSentence(costs.data);
  return (
    <Point icon={<PlayIcon />}>
      You’ll keep {formatPlanNames(staying)}
      {prices && (
        <>
          {' '}
          for <strong>{prices}</strong> and applicable taxes
        </>
      )}
      .{later && ` ${later}`}
    </Point>
  );
}
