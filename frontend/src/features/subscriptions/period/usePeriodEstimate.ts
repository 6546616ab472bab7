import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { PeriodAction } from '@/domain/plans/plans';
import { periodEstimateOptions } from '@/features/subscriptions/shared/api';
import { useDebounced } from '@/features/subscriptions/shared/useDebounced';
import type { PeriodEstimate, Plan } from '@/lib/api/types';

const DEBOUNCE_MS = 250;

/** The estimate for the chosen plans. The previous one is shown while the next one loads. */
export function usePeriodEstimate(action: PeriodAction, chosen: readonly Plan[]) {
  const planIds = chosen.map(({ id }) => id);
  const joinedIds = planIds.join(' ');
  const isSettled = useDebounced(joinedIds, DEBOUNCE_MS) === joinedIds;
  const options = periodEstimateOptions(action, planIds);
  const estimate = useQuery({
    ...options,
    enabled: isSettled && planIds.length > 0,
    placeholderData: keepPreviousData,
  });
  const isCurrent = isSettled && !estimate.isFetching && !estimate.isPlaceholderData;
  const figures: PeriodEstimate | undefined =
    isCurrent && estimate.isSuccess ? estimate.data : undefined;
  return { estimate, estimateKey: options.queryKey, planIds, figures, shown: estimate.data };
}
