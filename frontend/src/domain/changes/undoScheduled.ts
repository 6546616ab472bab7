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

type NamedPlan = Pick<Plan, 'subId' | 'name'>;

interface UndoTarget {
  plan: NamedPlan;
  /** The others that one press has scheduled with it. */
  others?: readonly NamedPlan[];
}

/** Receives the success message and the updated subscriptions, without those that have ended. */
export type OnUndone = (message: string, plans: readonly Plan[]) => void;

/** Receives a failure; a dialog that shows it itself passes one that does nothing. */
type OnFailed = (error: Error) => void;

function useUndoCommand(
  undoPath: UndoPath,
  successMessage: (targets: readonly NamedPlan[], plans: readonly Plan[]) => string,
  onUndone: OnUndone,
  onFailed: OnFailed,
) {
  const { storePlans } = usePlansAfterChange();
  return useCommand<PlansAnswer, UndoTarget>(
    ({ plan, others = [] }, idempotencyKey) =>
      postJson<PlansAnswer>(`/api/account/subscription/${undoPath}`, {
        body: { subscriptionId: [plan, ...others].map(({ subId }) => subId) },
        idempotencyKey,
      }),
    {
      onSuccess: ({ plans }, { plan, others = [] }) => {
        const targets = [plan, ...others];
        const undone = plans.filter(({ subId }) =>
          targets.some((target) => target.subId === subId),
        );
        storePlans(plans);
        onUndone(successMessage(targets, undone), undone);
      },
      onError: onFailed,
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
    (targets) =>
      targets.length === 1
        ? `The change was undone. ${formatPlanNames(targets)} stays as it is.`
        : `The changes were undone. ${formatPlanNames(targets)} stay as they are.`,
    onUndone,
    onFailed,
  );
}

/** Removes the scheduled cancellation of a subscription; what it had set aside is scheduled again. */
export function useKeepSubscription(onKept: OnUndone, onFailed: OnFailed = notifyError) {
  return useUndoCommand('remove-scheduled-cancellation', keptMessage, onKept, onFailed);
}

function keptMessage(targets: readonly NamedPlan[], plans: readonly Plan[]): string {
  const pausing = plans.filter((plan) => plan.hasScheduledPause);
  const changing = plans.filter((plan) => plan.hasScheduledChange);
  const restored = [...pausing, ...changing].map(({ subId }) => subId);
  const renewing = targets.filter(({ subId }) => !restored.includes(subId));
  return [
    'Your cancellation was undone.',
    ...(renewing.length > 0 ? [`${formatPlanNames(renewing)} will renew as usual.`] : []),
    ...pausing.map(({ name }) => `Your pause of ${name} is scheduled again.`),
    ...changing.map(({ name }) => `Your plan change for ${name} is scheduled again.`),
  ].join(' ');
}
