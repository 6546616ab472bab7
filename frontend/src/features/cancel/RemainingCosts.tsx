import { useQuery } from '@tanstack/react-query';

import type { Plan } from '@/lib/api/types';
import { priceAfterEnd } from '@/lib/bundles';
import { namesOf, willBill } from '@/lib/plans';
import { periodPrices } from '@/lib/totals';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { Point } from '@/ui/Points';
import { Skeleton } from '@/ui/Skeleton';
import { remainingCostsOptions } from './api';

/** What one keeps and what that costs then, since a bundle's savings may go; nothing where nothing stays. */
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
  const later = costs.data && priceAfterEnd(costs.data);
  return (
    <Point icon={<PlayIcon />}>
      You keep {namesOf(staying)}
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
