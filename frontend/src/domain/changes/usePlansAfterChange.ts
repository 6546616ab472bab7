import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { isLive } from '@/domain/plans/plans';
import { accountOptions, managePlansOptions, queryKeys } from '@/lib/api/queries';
import type { Plan } from '@/lib/api/types';

/** Writes the plans from a response into the cache and invalidates the rest of the account. */
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
  invalidateAccount(client);
}

/** Refetches the plans, so that the next screen does not open with stale ones. */
async function fetchPlans(client: QueryClient): Promise<readonly Plan[]> {
  invalidateAccount(client);
  const answer = client.fetchQuery({ ...managePlansOptions, staleTime: 0 });
  return answer.then(
    ({ existingPlans }) => existingPlans,
    () => [],
  );
}

function invalidateAccount(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: queryKeys.account.all });
}

interface AfterChange {
  /** Stores the plans that a change responded with. */
  storePlans: (plans: Plan[]) => void;
  /** Refetches the account after a failed change, because the page may be out of date. */
  refreshAccount: () => void;
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
    refreshAccount: useCallback(() => invalidateAccount(client), [client]),
  };
}
