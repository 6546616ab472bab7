import { keepPreviousData, useQuery } from '@tanstack/react-query';

import type { Plan, Preview } from '@/lib/api/types';
import type { PeriodAction } from '@/lib/plans';
import { periodEstimateOptions } from './api';
import { useDebounced } from './useDebounced';

const SETTLED_AFTER_MS = 250;

/** What changing the chosen plans comes to; what was shown stays while the next is on the way. */
export function usePeriodEstimate(action: PeriodAction, chosen: readonly Plan[]) {
  const planIds = chosen.map(({ id }) => id);
  const named = planIds.join(' ');
  const settled = useDebounced(named, SETTLED_AFTER_MS) === named;
  const options = periodEstimateOptions(action, planIds);
  const estimate = useQuery({
    ...options,
    enabled: settled && planIds.length > 0,
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled && !estimate.isFetching && !estimate.isPlaceholderData;
  const figures: Preview | undefined = isCurrent && estimate.isSuccess ? estimate.data : undefined;
  return { estimate, estimateKey: options.queryKey, planIds, figures, shown: estimate.data };
}
