import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { isLive } from '@/domain/plans/plans';
import { accountOptions, managePlansOptions } from '@/lib/api/queries';
import { refetchAccount } from '@/lib/api/refetchAccount';
import type { Plan } from '@/lib/api/types';
import { sessionKey, useAuth } from '@/stores/auth';

/**
 * Writes the plans from a response into the cache. What is cached beside them is older than the
 * change, so it is read again: reads that the change has started would be aborted with their screen,
 * and what is written here would count as fresh.
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
  refetchAccount(client);
}

/**
 * Refetches the plans, so that the next screen does not open with stale ones, and drops the account
 * unless a screen shows it. Once another account's session has begun, the promise stays pending: the
 * caller would lead it to the receipt.
 */
async function fetchPlans(client: QueryClient): Promise<readonly Plan[]> {
  const session = sessionKey(useAuth.getState());
  client.removeQueries({ queryKey: accountOptions.queryKey, type: 'inactive' });
  const plans = await client.fetchQuery({ ...managePlansOptions, staleTime: 0 }).then(
    ({ existingPlans }) => existingPlans,
    () => [],
  );
  const current = useAuth.getState();
  if (current.token === null || sessionKey(current) === session) return plans;
  return new Promise<never>(() => undefined);
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
