import { formatPlanNames } from '@/domain/plans/plans';
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
  /** The others that one press has scheduled with it. */
  others?: readonly Pick<Plan, 'subId' | 'name'>[];
}

/** Receives the success message and the updated subscriptions, without those that have ended. */
export type OnUndone = (message: string, plans: readonly Plan[]) => void;

/** Receives a failure; a dialog that shows it itself passes one that does nothing. */
type OnFailed = (error: Error) => void;

function useUndoCommand(
  undoPath: UndoPath,
  successMessage: (names: string, isSingle: boolean) => string,
  onUndone: OnUndone,
  onFailed: OnFailed,
) {
  const { storePlans, refreshAccount } = usePlansAfterChange();
  return useCommand<PlansAnswer, UndoTarget>(
    ({ plan, others = [] }, idempotencyKey) =>
      postJson<PlansAnswer>(`/api/account/subscription/${undoPath}`, {
        body: { subscriptionId: [plan, ...others].map(({ subId }) => subId) },
        idempotencyKey,
      }),
    {
      onSuccess: ({ plans }, { plan, others = [] }) => {
        const targets = [plan, ...others];
        storePlans(plans);
        onUndone(
          successMessage(formatPlanNames(targets), others.length === 0),
          plans.filter(({ subId }) => targets.some((target) => target.subId === subId)),
        );
      },
      onError: (error) => {
        refreshAccount();
        onFailed(error);
      },
    },
  );
}

/**
 * Removes the scheduled pause of a subscription.
 *
 * Failures are shown in the snackbar unless the caller takes them; the caller shows the success
 * message. The same holds for the two hooks below.
 */
export function useCancelScheduledPause(onRemoved: OnUndone, onFailed: OnFailed = notifyError) {
  return useUndoCommand(
    'remove-scheduled-pause',
    () => 'Scheduled Pause has been removed successfully.',
    onRemoved,
    onFailed,
  );
}

/** Removes the scheduled change of a subscription's billing period. */
export function useUndoScheduledChange(onUndone: OnUndone, onFailed: OnFailed = notifyError) {
  return useUndoCommand(
    'remove-scheduled-change',
    (names, isSingle) =>
      isSingle
        ? `The change was undone. ${names} stays as it is.`
        : `The changes were undone. ${names} stay as they are.`,
    onUndone,
    onFailed,
  );
}

/** Removes the scheduled cancellation of a subscription. */
export function useKeepSubscription(onKept: OnUndone, onFailed: OnFailed = notifyError) {
  return useUndoCommand(
    'remove-scheduled-cancellation',
    (names) => `Your cancellation was undone. ${names} will renew as usual.`,
    onKept,
    onFailed,
  );
}
