import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { isLive } from '@/domain/plans/plans';
import { accountOptions, managePlansOptions, queryKeys } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';

/**
 * Writes the plans from a response into the cache. What is cached beside them is older than the
 * change, so it stays invalidated; a read that the change has started already is not repeated.
 */
function writePlans(client: QueryClient, plans: Plan[]): void {
  client.setQueryData(
    accountOptions.queryKey,
    (cached) =>
      cached && {
        ...cached,
        plans,
        hasPauseSub: plans.some(({ hasPauseSub }) => hasPauseSub),
        hasScheduledPause: plans.some(({ hasScheduledPause }) => hasScheduledPause),
      },
  );
  client.setQueryData(
    managePlansOptions.queryKey,
    (cached) => cached && { ...cached, existingPlans: plans.filter(isLive) },
  );
  void client.invalidateQueries({ queryKey: queryKeys.account.all }, { cancelRefetch: false });
}

/**
 * Refetches the plans, so that the next screen does not open with stale ones, and drops the account
 * unless a screen shows it.
 */
async function fetchPlans(client: QueryClient): Promise<readonly Plan[]> {
  client.removeQueries({ queryKey: accountOptions.queryKey, type: 'inactive' });
  const answer = client.fetchQuery({ ...managePlansOptions, staleTime: 0 });
  return answer.then(
    ({ existingPlans }) => existingPlans,
    () => [],
  );
}

interface AfterChange {
  /** Stores the plans that a change responded with. */
  storePlans: (plans: Plan[]) => void;
  /**
   * Refetches the plans after a change that did not respond with them; resolves to an empty list on
   * failure.
   */
  refetchPlans: () => Promise<readonly Plan[]>;
}

/** Updates the cached account after a change. */
export function usePlansAfterChange(): AfterChange {
  const client = useQueryClient();
  return {
    refetchPlans: useCallback(() => fetchPlans(client), [client]),
    storePlans: useCallback((plans: Plan[]) => writePlans(client, plans), [client]),
  };
}
