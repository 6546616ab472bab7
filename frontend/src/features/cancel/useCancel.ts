import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { createReceiptState } from '@/domain/changes/receipts';
import { usePlansAfterChange } from '@/domain/changes/usePlansAfterChange';
import { useHasUnbilledCharges, useOverdueAmount } from '@/domain/payments/useOverdueAmount';
import { canBeCancelled, isEnding } from '@/domain/plans/plans';
import { ApiError } from '@/lib/api/errors';
import { notifyError } from '@/lib/api/notifyError';
import type { CancelAnswer, Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { haveSameIds } from '@/lib/haveSameIds';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import { paths } from '@/lib/paths';
import { type CancelRequest, cancelSubscriptions } from './api';
import { cancellationReceipt } from './endingMessages';
import type { CancelSelection } from './useCancelSelection';

/** A failed attempt: the plans it canceled anyway, and the ids it was sent with. */
interface Attempt {
  cancelledPlans: readonly Plan[];
  sentIds: readonly string[];
}

/** The updated plans in an error response, if it has them. */
function plansFromError(error: Error): Plan[] | null {
  const { plans } = ((error instanceof ApiError && error.body) || {}) as { plans?: unknown };
  return Array.isArray(plans) ? plans : null;
}

/** Repeats a failed attempt with the same ids, so that the server knows what remains to be done. */
function idsToSend({ chosen }: CancelSelection, attempt: Attempt | null): readonly string[] {
  const ids = chosen.map(({ subId }) => subId);
  if (!attempt) return ids;
  const allIds = [...attempt.cancelledPlans, ...chosen].map(({ subId }) => subId);
  return haveSameIds(allIds, attempt.sentIds) ? attempt.sentIds : ids;
}

/**
 * Cancels the chosen plans, and navigates to the dashboard with a receipt of what ends when.
 *
 * `setFrozen` keeps the screen unchanged until then. After a failure the plans are refetched, and
 * `cancelledPlans` lists those that were canceled anyway; submitting again cancels the rest.
 */
export function useCancel(selection: CancelSelection, setFrozen: SetFrozen) {
  const navigate = useNavigate();
  const { storePlans } = usePlansAfterChange();
  const [attempt, setAttempt] = useState<Attempt | null>(null);
  const ids = idsToSend(selection, attempt);
  // The answer tells of what a failed attempt canceled, too.
  const before = [...(attempt?.cancelledPlans ?? []), ...selection.chosen].filter(({ subId }) =>
    ids.includes(subId),
  );
  const overdue = useOverdueAmount(before);
  const hasUnbilled = useHasUnbilledCharges();

  const sendFrozen = (request: CancelRequest, idempotencyKey: string) => {
    setFrozen(true);
    return cancelSubscriptions(request, idempotencyKey);
  };

  const command = useCommand<CancelAnswer, CancelRequest>(sendFrozen, {
    onSuccess: ({ plans, cancelled }) => {
      storePlans(plans);
      const affectedPlans = plans.filter(({ subId }) =>
        cancelled.some((subscription) => subscription.subId === subId),
      );
      const result = { cancelled, before, after: plans, overdue, hasUnbilled };
      void navigate(paths.dashboard, {
        state: createReceiptState(
          cancellationReceipt(result),
          affectedPlans,
          affectedPlans.filter(isEnding).map(({ subId }) => subId),
        ),
      });
    },
    onError: (error, { subscriptionIds: sentIds }) => {
      setFrozen(false);
      const plans = plansFromError(error);
      if (!plans) return;
      storePlans(plans);
      const remainingIds = plans.filter(canBeCancelled).map(({ subId }) => subId);
      const cancelledPlans = selection.chosen.filter(({ subId }) => !remainingIds.includes(subId));
      setAttempt({
        cancelledPlans: [...(attempt?.cancelledPlans ?? []), ...cancelledPlans],
        sentIds,
      });
      // If no plan is left, the form unmounts and cannot show the error.
      if (cancelledPlans.length === selection.chosen.length) notifyError(error);
    },
  });
  return {
    ...command,
    cancelledPlans: command.isError ? (attempt?.cancelledPlans ?? []) : [],
    cancel: (survey: Omit<CancelRequest, 'subscriptionIds'>) =>
      command.mutate({ ...survey, subscriptionIds: ids }),
  };
}
