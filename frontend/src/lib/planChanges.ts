import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

import { accountOptions, keys, managePlansOptions } from '@/lib/api/queries';
import type { Plan, PlansAnswer } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { post } from '@/lib/http';
import { notifyError } from '@/lib/notices';
import { isLive } from '@/lib/plans';

/** Writes the plans a change answered with where they are shown, and asks for everything else anew. */
function takePlans(client: QueryClient, plans: Plan[]): void {
  client.setQueryData(
    accountOptions.queryKey,
    (held) =>
      held && {
        ...held,
        plans,
        hasPauseSub: plans.some(({ hasPauseSub }) => hasPauseSub),
        hasScheduledPause: plans.some(({ hasScheduledPause }) => hasScheduledPause),
      },
  );
  client.setQueryData(
    managePlansOptions.queryKey,
    (held) => held && { ...held, existingPlans: plans.filter(isLive) },
  );
  refresh(client);
}

function refresh(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: keys.account.all });
}

/** `taken` for the plans a change answered with; `stale` after one that failed, since the page may be. */
export function usePlansAfterChange(): { taken: (plans: Plan[]) => void; stale: () => void } {
  const client = useQueryClient();
  return {
    taken: useCallback((plans: Plan[]) => takePlans(client, plans), [client]),
    stale: useCallback(() => refresh(client), [client]),
  };
}

const PAUSE_REMOVED = 'Scheduled Pause has been removed successfully.';

/**
 * Takes back the scheduled pause of one subscription.
 *
 * A failure is said in the snackbar. `onRemoved` gets the words of the success, which the caller shows
 * where the subscriber then is.
 */
export function useCancelScheduledPause(onRemoved: (message: string) => void) {
  const { taken, stale } = usePlansAfterChange();
  return useCommand<PlansAnswer, { subId: string }>(
    ({ subId }, idempotencyKey) =>
      post<PlansAnswer>('/api/account/subscription/remove-scheduled-pause', {
        body: { subscriptionId: [subId] },
        idempotencyKey,
      }),
    {
      onSuccess: ({ plans }) => {
        taken(plans);
        onRemoved(PAUSE_REMOVED);
      },
      onError: (error) => {
        stale();
        notifyError(error);
      },
    },
  );
}
