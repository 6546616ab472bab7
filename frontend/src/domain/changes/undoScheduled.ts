import { postJson } from '@/lib/api/http';
import { notifyError } from '@/lib/api/notifyError';
import type { Plan, PlansAnswer } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { usePlansAfterChange } from './usePlansAfterChange';

/** The last part of the endpoint that removes each kind of scheduled change. */
type UndoPath =
  | 'remove-scheduled-pause'
  | 'remove-scheduled-change'
  | 'remove-scheduled-cancellation';

interface UndoTarget {
  plan: Pick<Plan, 'subId' | 'name'>;
}

/**
 * Receives the success message and the updated subscription; an empty list if it no longer exists.
 */
export type OnUndone = (message: string, plans: readonly Plan[]) => void;

function useUndoCommand(
  undoPath: UndoPath,
  successMessage: (name: string) => string,
  onUndone: OnUndone,
) {
  const { storePlans, refreshAccount } = usePlansAfterChange();
  return useCommand<PlansAnswer, UndoTarget>(
    ({ plan }, idempotencyKey) =>
      postJson<PlansAnswer>(`/api/account/subscription/${undoPath}`, {
        body: { subscriptionId: [plan.subId] },
        idempotencyKey,
      }),
    {
      onSuccess: ({ plans }, { plan }) => {
        storePlans(plans);
        onUndone(
          successMessage(plan.name),
          plans.filter(({ subId }) => subId === plan.subId),
        );
      },
      onError: (error) => {
        refreshAccount();
        notifyError(error);
      },
    },
  );
}

/**
 * Removes the scheduled pause of a subscription.
 *
 * Failures are shown in the snackbar; the caller shows the success message. The same holds for the
 * two hooks below.
 */
export function useCancelScheduledPause(onRemoved: OnUndone) {
  return useUndoCommand(
    'remove-scheduled-pause',
    () => 'Scheduled Pause has been removed successfully.',
    onRemoved,
  );
}

/** Removes the scheduled change of a subscription's billing period. */
export function useUndoScheduledChange(onUndone: OnUndone) {
  return useUndoCommand(
    'remove-scheduled-change',
    (name) => `The change was undone. ${name} stays as it is.`,
    onUndone,
  );
}

/** Removes the scheduled cancellation of a subscription. */
export function useKeepSubscription(onKept: OnUndone) {
  return useUndoCommand(
    'remove-scheduled-cancellation',
    (name) => `Your cancellation was undone. ${name} will renew as usual.`,
    onKept,
  );
}
