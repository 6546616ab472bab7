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

/** The next screen opens on what the change has made of the plans, not on what they were. */
async function readAnew(client: QueryClient): Promise<readonly Plan[]> {
  refresh(client);
  const read = client.fetchQuery({ ...managePlansOptions, staleTime: 0 });
  return read.then(
    ({ existingPlans }) => existingPlans,
    () => [],
  );
}

function refresh(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: keys.account.all });
}

interface AfterChange {
  /** For the plans a change answered with. */
  taken: (plans: Plan[]) => void;
  /** After a change that failed, since the page may be out of date. */
  stale: () => void;
  /** After a change that answered with something else: resolves to the plans, read anew; none where that fails. */
  settled: () => Promise<readonly Plan[]>;
}

/** Brings what is cached of the account in line with a change. */
export function usePlansAfterChange(): AfterChange {
  const client = useQueryClient();
  return {
    settled: useCallback(() => readAnew(client), [client]),
    taken: useCallback((plans: Plan[]) => takePlans(client, plans), [client]),
    stale: useCallback(() => refresh(client), [client]),
  };
}

/** What can be taken back while it is only scheduled, by the last part of its address. */
type Undoing =
  | 'remove-scheduled-pause'
  | 'remove-scheduled-change'
  | 'remove-scheduled-cancellation';

interface Undone {
  plan: Pick<Plan, 'subId' | 'name'>;
}

/** Gets the words of the success, and the subscription as it then is: one, or none where it has gone. */
type OnUndone = (message: string, plans: readonly Plan[]) => void;

function useUndo(undoing: Undoing, wordsFor: (name: string) => string, onUndone: OnUndone) {
  const { taken, stale } = usePlansAfterChange();
  return useCommand<PlansAnswer, Undone>(
    ({ plan }, idempotencyKey) =>
      post<PlansAnswer>(`/api/account/subscription/${undoing}`, {
        body: { subscriptionId: [plan.subId] },
        idempotencyKey,
      }),
    {
      onSuccess: ({ plans }, { plan }) => {
        taken(plans);
        onUndone(
          wordsFor(plan.name),
          plans.filter(({ subId }) => subId === plan.subId),
        );
      },
      onError: (error) => {
        stale();
        notifyError(error);
      },
    },
  );
}

/**
 * Takes back the scheduled pause of one subscription.
 *
 * A failure is said in the snackbar. `onRemoved` gets the words of the success, which the caller shows
 * where the subscriber then is. So do the two below.
 */
export function useCancelScheduledPause(onRemoved: OnUndone) {
  return useUndo(
    'remove-scheduled-pause',
    () => 'Scheduled Pause has been removed successfully.',
    onRemoved,
  );
}

/** Takes back the scheduled change of one subscription's billing period. */
export function useUndoChange(onUndone: OnUndone) {
  return useUndo(
    'remove-scheduled-change',
    (name) => `${name} stays as it is. The scheduled change has been removed.`,
    onUndone,
  );
}

/** Takes back the scheduled end of one subscription. */
export function useKeepSubscription(onKept: OnUndone) {
  return useUndo(
    'remove-scheduled-cancellation',
    (name) => `You keep ${name}. It goes on as before.`,
    onKept,
  );
}
